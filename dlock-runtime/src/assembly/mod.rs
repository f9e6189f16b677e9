//! Assembly: from a pool, a URL or the environment to a `Locks` that annotated functions find.

pub(crate) mod core;
pub(crate) mod global;
pub(crate) mod locks;
pub(crate) mod request;
pub(crate) mod url;
