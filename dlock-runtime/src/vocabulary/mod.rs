//! The words of the product as types: what the rest of the crate talks in.

pub(crate) mod clock;
pub(crate) mod entropy;
pub(crate) mod error;
pub(crate) mod fencing;
pub(crate) mod holder;
pub(crate) mod key;
pub(crate) mod lost;
pub(crate) mod outcome;
pub(crate) mod token;
pub(crate) mod ttl;
