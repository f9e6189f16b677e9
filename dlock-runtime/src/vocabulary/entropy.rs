//! Entropy: where the randomness of tokens comes from. The only room that draws any.

use std::sync::atomic::{AtomicU64, Ordering};

/// A source of random numbers.
#[derive(Debug)]
pub(crate) enum Entropy {
    /// The operating system's.
    System,
    /// The same for the same seed: a simulation that is run again is the same simulation.
    #[cfg_attr(not(feature = "testing"), allow(dead_code, reason = "made by simulations only"))]
    Seeded(AtomicU64),
}

impl Entropy {
    /// The next 128 bits.
    pub(crate) fn next(&self) -> u128 {
        match self {
            Entropy::System => uuid::Uuid::new_v4().as_u128(),
            Entropy::Seeded(state) => u128::from(step(state)) << 64 | u128::from(step(state)),
        }
    }
}

/// SplitMix64.
fn step(state: &AtomicU64) -> u64 {
    const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut z = state.fetch_add(GAMMA, Ordering::Relaxed).wrapping_add(GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_gives_the_same_numbers_again_and_another_seed_others() {
        let draw = |seed| {
            let entropy = Entropy::Seeded(AtomicU64::new(seed));
            [entropy.next(), entropy.next()]
        };
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        assert_ne!(draw(1)[0], draw(1)[1]);
    }
}
