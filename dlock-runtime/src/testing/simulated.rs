//! A store in memory, and links to it on which requests and answers fare as the test says.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use crate::backend::{Answer, Backend, Claim, Fault, Fence, Grant, Release, Renewal, StoreError};
use crate::backends::memory::Table;
use crate::vocabulary::clock::{Clock, Moment};

/// What is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Call {
    /// [`Backend::try_acquire`]
    Acquire,
    /// [`Backend::renew`]
    Renew,
    /// [`Backend::release`]
    Release,
    /// [`Backend::fence`]
    Fence,
}

/// How one request fares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fate {
    /// How long after it was sent the store executes it, even when nobody waits for the answer any more; `None` when it
    /// is never executed.
    pub executed: Option<Duration>,
    /// What the caller hears.
    pub reply: Reply,
}

/// What the caller of a request hears.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reply {
    /// The store's answer, this long after the request was executed. Without an execution: nothing.
    After(Duration),
    /// Nothing, ever.
    Never,
    /// This long after it was sent, that the connection broke.
    Breaks(Duration),
    /// At once, that the store cannot be reached.
    Unreachable,
    /// At once, that the store refuses.
    Refused,
}

impl Fate {
    /// Executed at once and answered at once.
    pub const PROMPT: Fate = Fate { executed: Some(Duration::ZERO), reply: Reply::After(Duration::ZERO) };
}

/// A store on tokio's clock. Clones are the same store.
#[derive(Clone)]
pub struct SimulatedStore {
    clock: Clock,
    /// By how many millionths its clock runs faster than the processes'.
    fast: u32,
    state: Arc<Mutex<State>>,
}

type Execute = Box<dyn FnOnce(&mut Table, Moment) + Send>;

#[derive(Default)]
struct State {
    table: Table,
    /// Requests on their way, by when they arrive and in the order in which they were sent.
    coming: BTreeMap<(Moment, u64), Execute>,
    sent: u64,
}

impl SimulatedStore {
    /// An empty store; time is tokio's since `start`.
    #[must_use]
    pub fn new(start: Instant) -> Self {
        Self { clock: Clock::Tokio(start), fast: 0, state: Arc::default() }
    }

    /// Lets the store's clock run faster than the processes', by so many millionths: keys expire early.
    #[must_use]
    pub fn running_fast(mut self, by_millionths: u32) -> Self {
        self.fast = by_millionths;
        self
    }

    fn now(&self) -> Moment {
        let now = self.clock.now();
        let elapsed = now.since(Clock::ORIGIN);
        now.plus(elapsed * self.fast / 1_000_000)
    }

    /// A backend that reaches this store by a link of its own. `link` decides how each request fares.
    pub fn link(&self, link: impl FnMut(Call) -> Fate + Send + 'static) -> Link {
        Link { store: self.clone(), fate: Arc::new(Mutex::new(link)) }
    }

    /// The value under a key.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<String> {
        let now = self.now();
        self.up_to(now).table.value(now, key).map(str::to_owned)
    }

    /// What another client does: sets a key for so long.
    pub fn set(&self, key: &str, value: &str, ttl: Duration) {
        let now = self.now();
        self.up_to(now).table.put(key, value, now.plus(ttl));
    }

    /// What a restart without persistence does.
    pub fn wipe(&self) {
        let now = self.now();
        self.up_to(now).table.clear();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The state after everything that has arrived until `now`.
    fn up_to(&self, now: Moment) -> MutexGuard<'_, State> {
        let mut state = self.state();
        while let Some(next) = state.coming.first_entry() {
            let at = next.key().0;
            if at > now {
                break;
            }
            let execute = next.remove();
            execute(&mut state.table, at);
        }
        state
    }

    /// Sends a request and tells what becomes of it.
    async fn ask<T: Send + 'static>(
        &self,
        fate: Fate,
        execute: impl FnOnce(&mut Table, Moment) -> T + Send + 'static,
    ) -> Result<T, StoreError> {
        let answer = Arc::new(Mutex::new(None));
        if let Some(after) = fate.executed {
            let slot = Arc::clone(&answer);
            let mut state = self.state();
            state.sent += 1;
            let key = (self.now().plus(after), state.sent);
            let run = move |table: &mut Table, at: Moment| {
                *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(execute(table, at));
            };
            state.coming.insert(key, Box::new(run));
        }
        match (fate.reply, fate.executed) {
            (Reply::After(later), Some(after)) => {
                tokio::time::sleep(after + later).await;
                drop(self.up_to(self.now()));
                let answer = answer.lock().unwrap_or_else(PoisonError::into_inner).take();
                answer
                    .ok_or_else(|| StoreError::new(Fault::Unanswered, "the simulated store lost its answer"))
            }
            (Reply::After(_), None) | (Reply::Never, _) => std::future::pending().await,
            (Reply::Breaks(after), _) => {
                tokio::time::sleep(after).await;
                Err(StoreError::new(Fault::Broken, "the simulated connection broke"))
            }
            (Reply::Unreachable, _) => {
                Err(StoreError::new(Fault::Unreachable, "the simulated store is unreachable"))
            }
            (Reply::Refused, _) => Err(StoreError::new(Fault::Refused, "the simulated store refused")),
        }
    }
}

impl fmt::Debug for SimulatedStore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SimulatedStore").finish_non_exhaustive()
    }
}

type Decide = dyn FnMut(Call) -> Fate + Send;

/// A [`Backend`] on a [`SimulatedStore`].
#[derive(Clone)]
pub struct Link {
    store: SimulatedStore,
    fate: Arc<Mutex<Decide>>,
}

impl Link {
    fn fate(&self, call: Call) -> Fate {
        let mut decide = self.fate.lock().unwrap_or_else(PoisonError::into_inner);
        (*decide)(call)
    }
}

impl fmt::Debug for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Link").finish_non_exhaustive()
    }
}

impl Backend for Link {
    fn name(&self) -> &'static str {
        "simulated"
    }

    fn try_acquire<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Grant, StoreError>> {
        Box::pin(async move {
            let (fate, claim) = (self.fate(Call::Acquire), claim.clone());
            self.store.ask(fate, move |table, now| table.acquire(now, &claim)).await
        })
    }

    fn renew<'a>(&'a self, claims: &'a [Arc<Claim>]) -> Answer<'a, Vec<Result<Renewal, StoreError>>> {
        Box::pin(async move {
            let (fate, ours) = (self.fate(Call::Renew), claims.to_vec());
            let renew = move |table: &mut Table, now: Moment| -> Vec<Renewal> {
                ours.iter().map(|claim| table.renew(now, claim)).collect()
            };
            match self.store.ask(fate, renew).await {
                Ok(answers) => answers.into_iter().map(Ok).collect(),
                Err(error) => claims.iter().map(|_| Err(error.clone())).collect(),
            }
        })
    }

    fn fence<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Fence, StoreError>> {
        Box::pin(async move {
            let (fate, claim) = (self.fate(Call::Fence), claim.clone());
            self.store.ask(fate, move |table, now| table.fence(now, &claim)).await
        })
    }

    fn release<'a>(
        &'a self,
        claim: &'a Claim,
        keep: Option<Duration>,
    ) -> Answer<'a, Result<Release, StoreError>> {
        Box::pin(async move {
            let (fate, claim) = (self.fate(Call::Release), claim.clone());
            self.store.ask(fate, move |table, now| table.release(now, &claim, keep)).await
        })
    }
}
