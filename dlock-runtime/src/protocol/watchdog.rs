//! Watchdog: one thread for a `Locks` that renews leases while bodies run, ends those whose deadline has passed,
//! and releases what nobody waits for. It has a runtime of its own, so that it outlives the caller's and is not
//! held up by a body that blocks it.

use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use super::lease::Held;
use super::registry::{Due, Registry};
use super::release::{self, Owed};
use super::renew;
use crate::telemetry;
use crate::vocabulary::clock::{Clock, Moment};

/// The handle that the rest of the protocol has. Dropping it lets the thread finish what is owed and end.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    /// `None` inside when the thread could not be started.
    thread: OnceLock<Option<Handle>>,
}

struct Shared {
    clock: Clock,
    registry: Mutex<Registry>,
    wake: Notify,
}

impl Shared {
    fn registry(&self) -> MutexGuard<'_, Registry> {
        // The registry's own code does not panic while it is changed.
        self.registry.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn schedule_again(&self, held: &Arc<Held>, at: Option<Moment>) {
        let mut registry = self.registry();
        let early = match at {
            Some(at) => registry.reschedule(held, at),
            None => {
                registry.forget(held);
                false
            }
        };
        drop(registry);
        if early {
            self.wake.notify_one();
        }
    }
}

impl Watchdog {
    pub(crate) fn new(clock: Clock) -> Self {
        let shared = Shared {
            clock,
            registry: Mutex::default(),
            wake: Notify::new(),
        };
        Self {
            shared: Arc::new(shared),
            thread: OnceLock::new(),
        }
    }

    /// The watchdog's runtime, for work that finds none of its own. Starts the thread. `None` when the system
    /// refuses another thread.
    pub(crate) fn host(&self) -> Option<&Handle> {
        self.thread.get_or_init(|| start(&self.shared)).as_ref()
    }

    /// Looks after a lease. `false` when there is no watchdog to do it.
    pub(crate) fn keep(&self, held: &Arc<Held>, at: Moment) -> bool {
        if self.host().is_none() {
            return false;
        }
        if self.shared.registry().schedule(held, at) {
            self.shared.wake.notify_one();
        }
        true
    }

    /// Stops looking after a lease.
    pub(crate) fn forget(&self, held: &Arc<Held>) {
        self.shared.registry().forget(held);
    }

    /// Takes over a release.
    pub(crate) fn release_later(&self, owed: Owed) {
        if self.host().is_none() {
            return;
        }
        self.shared.registry().owe(owed);
        self.shared.wake.notify_one();
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.registry().close();
        self.shared.wake.notify_one();
    }
}

/// Starts the thread and hands out its runtime.
fn start(shared: &Arc<Shared>) -> Option<Handle> {
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => {
            telemetry::watchdog_missing(&error);
            return None;
        }
    };
    let handle = runtime.handle().clone();
    let shared = Arc::clone(shared);
    let thread = std::thread::Builder::new().name("dlock-watchdog".to_owned());
    match thread.spawn(move || runtime.block_on(watch(&shared))) {
        Ok(_) => Some(handle),
        Err(error) => {
            telemetry::watchdog_missing(&error);
            None
        }
    }
}

/// The watchdog's loop: what is due, then sleep until the next is or somebody wakes us.
async fn watch(shared: &Arc<Shared>) {
    let mut releases = JoinSet::new();
    loop {
        while releases.try_join_next().is_some() {}
        let now = shared.clock.now();
        let Due {
            leases,
            owed,
            next,
            finished,
        } = shared.registry().take_due(now);
        if finished && releases.is_empty() {
            return;
        }
        for owed in owed {
            let clock = shared.clock;
            releases.spawn(release::pay(owed, move || clock.now()));
        }
        renew_what_is_due(shared, leases, now);
        let pause = next.map_or(Duration::MAX, |next| next.since(shared.clock.now()));
        tokio::select! {
            () = shared.wake.notified() => {}
            () = tokio::time::sleep(pause) => {}
            Some(_) = releases.join_next() => {}
        }
    }
}

fn renew_what_is_due(shared: &Arc<Shared>, leases: Vec<Arc<Held>>, now: Moment) {
    let mut due = Vec::new();
    for held in leases {
        if !held.standing.watch(now) {
            if let Some(lost) = held.standing.loss_to_tell(now) {
                telemetry::lost(&held.claim, lost);
            }
            shared.schedule_again(&held, None);
            continue;
        }
        // While the renewal is on its way the lease is only watched for its deadline.
        shared.schedule_again(&held, held.standing.deadline());
        if held.standing.begin_renewal() {
            due.push(held);
        }
    }
    for leases in renew::batches(due) {
        tokio::spawn(renew(Arc::clone(shared), leases));
    }
}

/// Renews a batch and plans what comes next for each of its leases.
async fn renew(shared: Arc<Shared>, leases: Vec<Arc<Held>>) {
    let clock = shared.clock;
    for (held, next) in renew::batch(leases, move || clock.now()).await {
        shared.schedule_again(&held, next);
    }
}
