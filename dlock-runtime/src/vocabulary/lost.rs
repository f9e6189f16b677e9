//! Lost: why a lease is no longer certain.

use std::fmt;

/// Why it is no longer certain that a lease is held. Sticky: a lost lease is never held again.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Lost {
    /// The store said that the key is not ours: somebody deleted it, overwrote it, or took it after it had expired.
    Taken,
    /// The deadline passed without a confirmed renewal: the store did not answer, or this process was paused.
    Expired,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Lost::Taken => {
                "the store no longer has the key as ours (deleted, overwritten or taken by another)"
            }
            Lost::Expired => "no renewal was confirmed before the deadline",
        })
    }
}
