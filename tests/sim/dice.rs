//! Dice: the one source of chance in a history.

use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Random numbers that follow from a seed. Clones roll the same dice.
#[derive(Clone)]
pub(crate) struct Dice(Arc<Mutex<u64>>);

impl Dice {
    pub(crate) fn of(seed: u64) -> Dice {
        Dice(Arc::new(Mutex::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)))
    }

    /// A number below `end`.
    pub(crate) fn below(&self, end: u64) -> u64 {
        let mut state = self.0.lock().expect("no panic while rolling");
        // xorshift64*
        *state ^= *state >> 12;
        *state ^= *state << 25;
        *state ^= *state >> 27;
        (state.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % end
    }

    /// Whether one of `in_a_hundred` chances came true.
    pub(crate) fn percent(&self, in_a_hundred: u64) -> bool {
        self.below(100) < in_a_hundred
    }

    /// A duration of up to so many milliseconds, in microseconds.
    pub(crate) fn millis(&self, most: u64) -> Duration {
        Duration::from_micros(self.below(most * 1000 + 1))
    }
}
