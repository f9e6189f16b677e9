//! What the tests stand on: servers, processes and networks that they own and may break, and what they read
//! afterwards.
//!
//! Everything here is observed from outside of the library: what the server was asked, what the journal says,
//! what a process printed. A missing server is a failed test that says what to install, never a skipped one.

pub(crate) mod events;
pub(crate) mod journal;
pub(crate) mod lines;
pub(crate) mod monitor;
pub(crate) mod poll;
pub(crate) mod port;
pub(crate) mod probe;
pub(crate) mod process;
pub(crate) mod proxy;
pub(crate) mod redis;
pub(crate) mod resp;
pub(crate) mod temp;
