//! dlock runs an async fn in at most one process at a time.
pub use dlock_macros::singleton;

mod assembly;
mod backend;
mod backends;
mod protocol;
mod telemetry;
mod vocabulary;

#[doc(hidden)]
#[path = "private.rs"]
pub mod __private;

pub use assembly::global::init;
pub use assembly::locks::{DEFAULT_STORE_TIMEOUT, Locks, LocksBuilder};
pub use assembly::request::LeaseRequest;
pub use backend::{Answer, Backend, Claim, Contended, Fault, Grant, Release, Renewal, StoreError, holder_in};
#[cfg(feature = "redis")]
pub use backends::redis::Redis;
pub use backends::{local::Local, memory::Memory};
pub use protocol::acquire::Acquire;
pub use protocol::lease::{Lease, OwnedLease};
pub use protocol::release::Released;
pub use vocabulary::error::{Error, ErrorKind};
pub use vocabulary::holder::Holder;
pub use vocabulary::key::Key;
pub use vocabulary::lost::Lost;
pub use vocabulary::outcome::Outcome;
pub use vocabulary::token::Token;
pub use vocabulary::ttl::Ttl;
