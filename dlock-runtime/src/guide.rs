//! The longer texts of docs/, so that they are where the rest of the reference is.

#[doc = include_str!("../docs/guarantees.md")]
pub mod guarantees {}

#[doc = include_str!("../docs/redis.md")]
pub mod redis {}

/// The README, so that its examples are compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}
