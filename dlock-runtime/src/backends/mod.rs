//! Backends: one adapter for each store.

pub(crate) mod local;
pub(crate) mod memory;
#[cfg(feature = "redis")]
pub(crate) mod redis;
