//! The token: proof of one acquisition.

use std::fmt;

/// The UUID v4 that proves *this* acquisition in compare-and-renew and compare-and-release.
///
/// Every acquisition has a fresh one, so a late release or renewal of an older acquisition can never touch its
/// successor, not even when both belong to the same process.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(uuid::Uuid);

impl Token {
    /// A token that no other acquisition has, given random bits.
    pub(crate) fn from_random(bits: u128) -> Self {
        Self(uuid::Builder::from_random_bytes(bits.to_be_bytes()).into_uuid())
    }

    /// The 128 bits of the UUID.
    #[must_use]
    pub fn as_u128(&self) -> u128 {
        self.0.as_u128()
    }
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0.hyphenated(), f)
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
