//! Process: a `Locks` without a thread, on tokio's clock.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::atomic::AtomicU64;

use crate::assembly::locks::{Locks, LocksBuilder};
use crate::protocol::watchdog::Watchdog;
use crate::vocabulary::clock::Clock;
use crate::vocabulary::entropy::Entropy;

/// What stands for one process in a simulation: its `Locks`, and its watchdog as a future.
#[must_use = "a lease is only renewed while the watchdog is polled"]
pub struct Process {
    /// The process's locks.
    pub locks: Locks,
    /// Its watchdog: poll it beside the process's own work, and not while the process is meant to be stopped. It ends
    /// when the locks and all leases are gone and everything owed has been released.
    pub watchdog: Pin<Box<dyn Future<Output = ()>>>,
}

impl Process {
    /// Makes one. Tokens follow from `seed`, time is tokio's since `start`.
    ///
    /// # Panics
    ///
    /// Outside of a tokio runtime.
    #[track_caller]
    pub fn new(builder: LocksBuilder, seed: u64, start: tokio::time::Instant) -> Self {
        let clock = Clock::Tokio(start);
        let Some((watchdog, driven)) = Watchdog::hosted_here(clock) else {
            panic!("a simulated process needs a tokio runtime around it");
        };
        let locks = builder.build_on(clock, Entropy::Seeded(AtomicU64::new(seed)), watchdog);
        Self { locks, watchdog: Box::pin(driven) }
    }
}

impl fmt::Debug for Process {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Process").field("locks", &self.locks).finish_non_exhaustive()
    }
}
