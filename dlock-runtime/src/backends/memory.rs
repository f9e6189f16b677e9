//! Memory: a store inside this process, and the model that the others are measured against.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::FencingToken;
use crate::backend::{
    Answer, Backend, Claim, Contended, Fence, Grant, Release, Renewal, StoreError, holder_in,
};
use crate::vocabulary::clock::{Clock, Moment};

/// A store in this process's memory: excludes the tasks and threads that share it (by cloning, or through one
/// [`Locks`](crate::Locks)), and nobody else.
///
/// For tests and single-process programs. Keys expire as on a server.
#[derive(Clone)]
pub struct Memory {
    clock: Clock,
    table: Arc<Mutex<Table>>,
}

impl Memory {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self { clock: Clock::System, table: Arc::default() }
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Keys, their values and when they expire: what any store does, given the time.
#[derive(Default)]
pub(crate) struct Table {
    keys: HashMap<String, Stored>,
    /// One for all keys: a table that forgets its keys does not forget it.
    fenced: u64,
}

struct Stored {
    value: String,
    expires: Moment,
}

impl Table {
    pub(crate) fn acquire(&mut self, now: Moment, claim: &Claim) -> Grant {
        // Only a table that has grown is swept: a live key is checked where it is looked up.
        if self.keys.len() >= self.keys.capacity() {
            self.keys.retain(|_, stored| stored.expires > now);
        }
        match self.keys.get(claim.key.as_str()) {
            Some(stored) if stored.expires > now && stored.value != claim.value => {
                Grant::Contended(Contended::by(holder_in(&stored.value)))
            }
            _ => {
                let expires = now.plus(claim.ttl.as_duration());
                self.keys
                    .insert(claim.key.as_str().to_owned(), Stored { value: claim.value.clone(), expires });
                Grant::Acquired
            }
        }
    }

    pub(crate) fn renew(&mut self, now: Moment, claim: &Claim) -> Renewal {
        match self.ours(now, claim) {
            Some(stored) => {
                stored.expires = now.plus(claim.ttl.as_duration());
                Renewal::Held
            }
            None => Renewal::NotOurs,
        }
    }

    pub(crate) fn release(&mut self, now: Moment, claim: &Claim, keep: Option<Duration>) -> Release {
        match (self.ours(now, claim), keep) {
            (Some(stored), Some(keep)) => stored.expires = now.plus(keep),
            (Some(_), None) => drop(self.keys.remove(claim.key.as_str())),
            (None, _) => return Release::NotOurs,
        }
        Release::Freed
    }

    pub(crate) fn fence(&mut self, now: Moment, claim: &Claim) -> Fence {
        if self.ours(now, claim).is_none() {
            return Fence::NotOurs;
        }
        self.fenced += 1;
        Fence::Token(FencingToken::new(self.fenced))
    }

    fn ours(&mut self, now: Moment, claim: &Claim) -> Option<&mut Stored> {
        self.keys
            .get_mut(claim.key.as_str())
            .filter(|stored| stored.expires > now && stored.value == claim.value)
    }

    #[cfg(feature = "testing")]
    pub(crate) fn value(&self, now: Moment, key: &str) -> Option<&str> {
        self.keys.get(key).filter(|stored| stored.expires > now).map(|stored| stored.value.as_str())
    }

    #[cfg(feature = "testing")]
    pub(crate) fn put(&mut self, key: &str, value: &str, expires: Moment) {
        self.keys.insert(key.to_owned(), Stored { value: value.to_owned(), expires });
    }

    #[cfg(feature = "testing")]
    pub(crate) fn clear(&mut self) {
        self.keys.clear();
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").finish_non_exhaustive()
    }
}

impl Backend for Memory {
    fn name(&self) -> &'static str {
        "memory"
    }

    fn try_acquire<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Grant, StoreError>> {
        Box::pin(async move { Ok(self.table().acquire(self.clock.now(), claim)) })
    }

    fn renew<'a>(&'a self, claims: &'a [Arc<Claim>]) -> Answer<'a, Vec<Result<Renewal, StoreError>>> {
        Box::pin(async move {
            let (now, mut table) = (self.clock.now(), self.table());
            claims.iter().map(|claim| Ok(table.renew(now, claim))).collect()
        })
    }

    fn fence<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Fence, StoreError>> {
        Box::pin(async move { Ok(self.table().fence(self.clock.now(), claim)) })
    }

    fn release<'a>(
        &'a self,
        claim: &'a Claim,
        keep: Option<Duration>,
    ) -> Answer<'a, Result<Release, StoreError>> {
        Box::pin(async move { Ok(self.table().release(self.clock.now(), claim, keep)) })
    }
}
