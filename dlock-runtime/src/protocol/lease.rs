//! Lease: what a body and its caller see of the lock that they run under.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::release::{self, Released};
use super::standing::Standing;
use super::{call, fence};
use crate::assembly::core::Core;
use crate::backend::{Backend, Claim};
use crate::vocabulary::clock::Moment;
use crate::vocabulary::lost::Lost;
use crate::{Error, FencingToken, Holder, Key, Token};

tokio::task_local! {
    static CURRENT: Lease;
}

/// All that is known of one granted lease.
pub(crate) struct Held {
    pub(crate) claim: Arc<Claim>,
    pub(crate) backend: Arc<dyn Backend>,
    pub(crate) standing: Standing,
    /// When the grant had arrived: the key was granted before.
    pub(crate) answered: Moment,
    pub(crate) min_hold: Option<Duration>,
    /// An earlier request for the same grant may still be on its way.
    pub(crate) doubtful: bool,
    pub(crate) fencing: OnceLock<FencingToken>,
    pub(crate) core: Arc<Core>,
    pub(crate) parent: Option<Lease>,
}

impl Held {
    /// How long the key has to stay taken from `now` on, whatever became of the body.
    pub(crate) fn min_hold_left(&self, now: Moment) -> Option<Duration> {
        let left = self.answered.plus(self.min_hold?).since(now);
        (left > Duration::ZERO).then_some(left)
    }
}

/// A time-bounded grant of the lock to one acquisition, as seen from inside: whether it is still held, and whose it is.
///
/// A `Lease` observes and does not own: dropping it frees nothing. Inside an annotated function it is
/// [`Lease::current`]; from [`Locks::lease`](crate::Locks::lease) it comes inside an [`OwnedLease`].
#[derive(Clone)]
pub struct Lease(pub(crate) Arc<Held>);

impl Lease {
    /// The lease under which this task's code runs, inside an annotated function's body (the innermost, when they
    /// are nested). `None` outside, and in tasks that the body spawned.
    #[must_use]
    pub fn current() -> Option<Lease> {
        CURRENT.try_with(Lease::clone).ok()
    }

    /// Asserts that this task's code runs under a lock on `key` that is certainly held: for helpers that must not be
    /// called otherwise. `key` is compared with the key as the user wrote it and with its namespace.
    ///
    /// # Panics
    ///
    /// If no lease of this task has that key, or it is no longer held.
    #[track_caller]
    pub fn assert_held(key: impl Into<Key>) {
        let key = key.into();
        let mut lease = Lease::current();
        while let Some(here) = lease {
            if here.is_for(&key) {
                assert!(here.is_held(), "dlock: the lease on {key:?} is no longer held");
                return;
            }
            lease = here.0.parent.clone();
        }
        panic!("dlock: this code must run under a lock on {key:?}, and this task holds none");
    }

    /// Runs `poll` with this lease as the current one.
    pub(crate) fn enter<T>(&self, poll: impl FnOnce() -> T) -> T {
        CURRENT.sync_scope(self.clone(), poll)
    }

    fn is_for(&self, key: &Key) -> bool {
        let own = self.key();
        own == key
            || self.0.core.namespace().is_some_and(|namespace| {
                own.as_str().strip_prefix(namespace).and_then(|rest| rest.strip_prefix(':'))
                    == Some(key.as_str())
            })
    }

    /// The key, with its namespace.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.0.claim.key
    }

    /// The token of this acquisition.
    #[must_use]
    pub fn token(&self) -> Token {
        self.0.claim.token
    }

    /// This process, as the store shows it to others.
    #[must_use]
    pub fn holder(&self) -> &Holder {
        &self.0.claim.holder
    }

    /// How long the lease is still certain without a further renewal: zero once it is lost or released,
    /// [`Duration::MAX`] where leases do not expire.
    #[must_use]
    pub fn remaining(&self) -> Duration {
        let now = self.0.core.now();
        if !self.is_held() {
            return Duration::ZERO;
        }
        self.0.standing.deadline().map_or(Duration::MAX, |deadline| deadline.since(now))
    }

    /// Whether this process can prove, from its own clock, that the lease is still valid on the store.
    #[must_use]
    pub fn is_held(&self) -> bool {
        self.0.standing.is_held_at(self.0.core.now())
    }

    /// The number of this grant, larger than that of every earlier grant of the key, for the protected resource to check:
    /// one question to the store the first time, remembered then.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use dlock_runtime::{Acquire, Locks, Memory};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), dlock_runtime::Error> {
    /// # let locks = Locks::from(Memory::new());
    /// if let Acquire::Acquired(lease) = locks.lease("ledger").ttl(Duration::from_secs(30)).try_acquire().await? {
    ///     let token = lease.fencing_token().await?;
    ///     // update ledger set .., fence = $token where fence < $token
    ///     # let _ = token.as_u64();
    ///     lease.release().await?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The lease is lost or released, the store refused or did not answer, or the backend has no fencing tokens.
    ///
    /// # Cancel safety
    ///
    /// May be dropped and called again; a number may be skipped then.
    pub async fn fencing_token(&self) -> Result<FencingToken, Error> {
        let work = fence::token(Arc::clone(&self.0));
        call::hosted(&self.0.core.watchdog, work, || Err(crate::assembly::request::no_host())).await
    }

    /// Waits until the lease is no longer held: `Some` with the reason when it was lost, `None` when it was released.
    ///
    /// # Cancel safety
    ///
    /// May be dropped and called again at any time.
    pub async fn lost(&self) -> Option<Lost> {
        self.0.standing.no_longer_held(|| self.0.core.now()).await
    }
}

impl fmt::Debug for Lease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Lease")
            .field("key", self.key())
            .field("token", &self.token())
            .field("holder", self.holder())
            .field("held", &self.is_held())
            .finish()
    }
}

/// A lease that belongs to whoever has this value: the watchdog renews it until it is released or dropped.
///
/// Nothing stops the holder's code when the lease is lost, other than in an annotated function: check
/// [`is_held`](Lease::is_held) before each step, or wait for [`lost`](Lease::lost) beside the work.
///
/// Dropping it releases in the background: the drop does not block, and works on any thread, with or without a runtime.
/// A process that exits in that very moment leaves the key to its ttl: call [`release`](OwnedLease::release) where that
/// matters.
#[must_use = "dropping it releases the lock at once"]
pub struct OwnedLease {
    lease: Lease,
    released: bool,
}

impl OwnedLease {
    pub(crate) fn new(held: Arc<Held>) -> Self {
        Self { lease: Lease(held), released: false }
    }

    /// Gives the key back and waits for the store's answer, so that whoever asks next can have it.
    ///
    /// From the moment of the call the lease counts as not held. With a `min_hold` the key stays taken until that
    /// is over; the call does not wait for it.
    ///
    /// # Errors
    ///
    /// The store gave no answer: the release goes on in the background, until the ttl frees the key anyhow.
    ///
    /// # Cancel safety
    ///
    /// When dropped, the release goes on in the background.
    pub async fn release(mut self) -> Result<Released, Error> {
        // From its first step on the release sees to itself, also when this future is dropped.
        self.released = true;
        release::now(&self.lease.0).await
    }
}

impl Deref for OwnedLease {
    type Target = Lease;

    fn deref(&self) -> &Lease {
        &self.lease
    }
}

impl Drop for OwnedLease {
    fn drop(&mut self) {
        if !self.released {
            release::in_background(&self.lease.0);
        }
    }
}

impl fmt::Debug for OwnedLease {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.lease, f)
    }
}
