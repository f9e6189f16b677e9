//! The protocol: a lease's life from acquire to release, the same for every store.

pub(crate) mod acquire;
pub(crate) mod call;
pub(crate) mod contained;
pub(crate) mod fence;
pub(crate) mod gate;
pub(crate) mod lease;
pub(crate) mod owed;
pub(crate) mod registry;
pub(crate) mod release;
pub(crate) mod renew;
pub(crate) mod run;
pub(crate) mod schedule;
pub(crate) mod standing;
pub(crate) mod validity;
pub(crate) mod watchdog;
