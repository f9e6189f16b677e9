//! Memory: a store inside this process, and the model that the others are measured against.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use crate::backend::{Answer, Backend, Claim, Contended, Grant, Release, Renewal, StoreError, holder_in};
use crate::vocabulary::clock::{Clock, Moment};

/// A store in this process's memory: excludes the tasks and threads that share it (by cloning, or through one
/// [`Locks`](crate::Locks)), and nobody else.
///
/// For tests and single-process programs. Keys expire as on a server.
#[derive(Clone)]
pub struct Memory {
    clock: Clock,
    keys: Arc<Mutex<HashMap<String, Stored>>>,
}

struct Stored {
    value: String,
    expires: Moment,
}

impl Memory {
    /// An empty store.
    #[must_use]
    pub fn new() -> Self {
        Self {
            clock: Clock::System,
            keys: Arc::default(),
        }
    }

    fn live(&self, now: Moment) -> MutexGuard<'_, HashMap<String, Stored>> {
        let mut keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        // Only a store that has grown is swept: a live key is checked where it is looked up.
        if keys.len() >= keys.capacity() {
            keys.retain(|_, stored| stored.expires > now);
        }
        keys
    }

    fn acquire_now(&self, claim: &Claim) -> Grant {
        let now = self.clock.now();
        let mut keys = self.live(now);
        match keys.get(claim.key.as_str()) {
            Some(stored) if stored.expires > now && stored.value != claim.value => {
                Grant::Contended(Contended::by(holder_in(&stored.value)))
            }
            _ => {
                let expires = now.plus(claim.ttl.as_duration());
                keys.insert(
                    claim.key.as_str().to_owned(),
                    Stored {
                        value: claim.value.clone(),
                        expires,
                    },
                );
                Grant::Acquired
            }
        }
    }

    fn renew_now(&self, claim: &Claim) -> Renewal {
        let now = self.clock.now();
        match self.live(now).get_mut(claim.key.as_str()) {
            Some(stored) if stored.expires > now && stored.value == claim.value => {
                stored.expires = now.plus(claim.ttl.as_duration());
                Renewal::Held
            }
            _ => Renewal::NotOurs,
        }
    }

    fn release_now(&self, claim: &Claim, keep: Option<Duration>) -> Release {
        let now = self.clock.now();
        let mut keys = self.live(now);
        match keys.get_mut(claim.key.as_str()) {
            Some(stored) if stored.expires > now && stored.value == claim.value => {
                match keep {
                    Some(keep) => stored.expires = now.plus(keep),
                    None => drop(keys.remove(claim.key.as_str())),
                }
                Release::Freed
            }
            _ => Release::NotOurs,
        }
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
        Box::pin(async move { Ok(self.acquire_now(claim)) })
    }

    fn renew<'a>(&'a self, claims: &'a [Arc<Claim>]) -> Answer<'a, Vec<Result<Renewal, StoreError>>> {
        Box::pin(async move { claims.iter().map(|claim| Ok(self.renew_now(claim))).collect() })
    }

    fn release<'a>(
        &'a self,
        claim: &'a Claim,
        keep: Option<Duration>,
    ) -> Answer<'a, Result<Release, StoreError>> {
        Box::pin(async move { Ok(self.release_now(claim, keep)) })
    }
}
