//! A seeded generator: the same numbers in every run, so that a failure can be repeated.

/// xorshift64*
pub(super) struct Rng(u64);

impl Rng {
    pub(super) fn seeded(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D)
    }

    /// A number below `bound`.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        usize::try_from((self.next() >> 33) % (bound.max(1) as u64)).expect("below a usize")
    }

    pub(super) fn one_of<'t, T: ?Sized>(&mut self, from: &[&'t T]) -> &'t T {
        from[self.below(from.len())]
    }

    /// Text over an alphabet, shorter than `length`.
    pub(super) fn text(&mut self, alphabet: &[&str], length: usize) -> String {
        (0..self.below(length)).map(|_| self.one_of(alphabet)).collect()
    }
}
