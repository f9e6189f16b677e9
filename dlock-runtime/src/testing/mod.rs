//! For tests: the laws that every backend keeps, a store that fails on command, and processes on a paused clock.
//!
//! Needs the feature `testing`. Nothing here is for production.
//!
//! * [`conformance::check`] tests a [`Backend`](crate::Backend) of your own.
//! * [`SimulatedStore`] is a store whose requests arrive late, twice or never, as the test says.
//! * [`Process`] is a `Locks` whose watchdog has no thread and whose time is tokio's: on a runtime with a paused clock a
//!   whole history of several processes is one deterministic computation.

pub mod conformance;
mod process;
mod simulated;

pub use process::Process;
pub use simulated::{Call, Fate, Link, Reply, SimulatedStore};
