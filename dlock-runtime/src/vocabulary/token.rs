//! The token: proof of one acquisition.

use std::fmt;

/// The UUID v4 that proves *this* acquisition in compare-and-renew and compare-and-release.
///
/// Every acquisition has a fresh one, so a late release or renewal of an older acquisition can never touch its
/// successor, not even when both belong to the same process.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Token(uuid::Uuid);

impl Token {
    /// A token that no other acquisition has.
    pub(crate) fn fresh() -> Self {
        Self(uuid::Uuid::new_v4())
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
