//! The fencing token: the number that grows with every grant and that the protected resource can check.

use std::fmt;

/// A number that is larger than that of every earlier grant of the same key.
///
/// A resource that remembers the largest one it has seen, and refuses smaller ones, is safe from a holder that was
/// paused between its last check and its write. From [`Lease::fencing_token`](crate::Lease::fencing_token).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FencingToken(u64);

impl FencingToken {
    /// As a backend answers it.
    #[must_use]
    pub fn new(number: u64) -> Self {
        Self(number)
    }

    /// The number. It fits a signed 64-bit column.
    #[must_use]
    pub fn as_u64(self) -> u64 {
        self.0
    }
}

impl fmt::Display for FencingToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}
