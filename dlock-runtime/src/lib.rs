//! dlock runs an async fn in at most one process at a time.
//!
//! ```no_run
//! use dlock_runtime::singleton;
//!
//! #[singleton(key = "jobs:invoice", ttl = "30s")]
//! async fn send_invoice_reminders() -> std::io::Result<usize> {
//!     Ok(42)
//! }
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! dlock_runtime::init(dlock_runtime::Locks::from_env()?)?;
//! match send_invoice_reminders().await {
//!     Some(result) => println!("sent {}", result?),
//!     None => println!("another instance is at it"),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! * [`singleton`] is the attribute and the reference of its options.
//! * [`init`] and [`Locks`] say where locks live: [`Redis`], [`Local`] or [`Memory`], or a [`Backend`] of your own.
//! * [`Lease`] is the lock as its body sees it; [`Locks::lease`] and [`Locks::run`] do without the attribute.
//! * [`Error`] is what can go wrong. A contended key is none.
//!
//! # The promise
//!
//! No step of a body starts unless this process can prove from its own clock that its lease is still valid on the
//! store. The clock goes on while the machine is suspended and is read before the request is sent, so that neither a
//! pause nor a slow answer can make a lease look longer than it is. What that cannot do is said in the README: a store that
//! forgets, or an effect that has already left the process.
//!
//! # Features
//!
//! * `redis` (default): the Redis backend, over deadpool-redis.
//! * `testing`: the conformance suite for backends, a simulated store, processes on a paused clock.
#![forbid(unsafe_code)]
#![cfg_attr(not(feature = "redis"), allow(rustdoc::broken_intra_doc_links))]

pub use dlock_macros::singleton;

mod assembly;
mod backend;
mod backends;
pub mod guide;
mod protocol;
mod telemetry;
#[cfg(feature = "testing")]
pub mod testing;
mod vocabulary;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use assembly::global::init;
pub use assembly::locks::{DEFAULT_STORE_TIMEOUT, Locks, LocksBuilder};
pub use assembly::request::LeaseRequest;
pub use backend::{
    Answer, Backend, Claim, Contended, Fault, Fence, Grant, Release, Renewal, StoreError, holder_in,
};
#[cfg(feature = "redis")]
pub use backends::redis::Redis;
pub use backends::{local::Local, memory::Memory};
pub use protocol::acquire::Acquire;
pub use protocol::lease::{Lease, OwnedLease};
pub use protocol::release::Released;
pub use vocabulary::error::{Error, ErrorKind};
pub use vocabulary::fencing::FencingToken;
pub use vocabulary::holder::Holder;
pub use vocabulary::key::Key;
pub use vocabulary::lost::Lost;
pub use vocabulary::outcome::Outcome;
pub use vocabulary::token::Token;
pub use vocabulary::ttl::Ttl;
