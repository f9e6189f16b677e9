//! Watchdog: one thread for a `Locks` that renews leases while bodies run, ends those whose deadline has passed,
//! and releases what nobody waits for. It has a runtime of its own, so that it outlives the caller's and is not
//! held up by a body that blocks it.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::future::FutureExt;
use futures_util::stream::{FuturesUnordered, StreamExt};
use tokio::runtime::Handle;
use tokio::sync::Notify;

use super::lease::Held;
use super::owed::Owed;
use super::registry::{Due, Registry};
use super::renew;
use crate::telemetry;
use crate::vocabulary::clock::{Clock, Moment};

/// The handle that the rest of the protocol has. Dropping it lets the thread finish what is owed and end.
pub(crate) struct Watchdog {
    shared: Arc<Shared>,
    thread: OnceLock<Handle>,
    /// Held while the thread is being started: one is enough.
    starting: Mutex<()>,
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
        let shared = Shared { clock, registry: Mutex::default(), wake: Notify::new() };
        Self { shared: Arc::new(shared), thread: OnceLock::new(), starting: Mutex::default() }
    }

    /// A watchdog without a thread: its loop is for the caller to drive, on the current runtime. `None` without one.
    #[cfg(feature = "testing")]
    pub(crate) fn hosted_here(clock: Clock) -> Option<(Self, impl Future<Output = ()> + use<>)> {
        let watchdog = Self::new(clock);
        let here = Handle::try_current().ok()?;
        watchdog.thread.get_or_init(|| here);
        let shared = Arc::clone(&watchdog.shared);
        Some((watchdog, async move { watch(&shared).await }))
    }

    /// The watchdog's runtime, for work that finds none of its own. Starts the thread; `None` while the system refuses
    /// another one.
    pub(crate) fn host(&self) -> Option<&Handle> {
        if let Some(handle) = self.thread.get() {
            return Some(handle);
        }
        let _one_at_a_time = self.starting.lock().unwrap_or_else(PoisonError::into_inner);
        if self.thread.get().is_none() {
            match start(&self.shared) {
                Ok(handle) => drop(self.thread.set(handle)),
                Err(error) => telemetry::watchdog_missing(&error),
            }
        }
        self.thread.get()
    }

    /// Looks after a lease.
    pub(crate) fn keep(&self, held: &Arc<Held>, at: Moment) {
        if self.shared.registry().schedule(held, at) {
            self.shared.wake.notify_one();
        }
    }

    /// Stops looking after a lease.
    pub(crate) fn forget(&self, held: &Arc<Held>) {
        self.shared.registry().forget(held);
    }

    /// Takes over a release. Whoever has something to release has a thread, or had one refused before it asked.
    pub(crate) fn release_later(&self, owed: Owed) {
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
fn start(shared: &Arc<Shared>) -> std::io::Result<Handle> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let handle = runtime.handle().clone();
    let shared = Arc::clone(shared);
    let thread = std::thread::Builder::new().name("dlock-watchdog".to_owned());
    thread.spawn(move || runtime.block_on(watch(&shared)))?;
    Ok(handle)
}

/// Work on its way: renewals and releases. All of it is polled by the loop itself, so that whoever drives the loop
/// drives everything.
type Work = FuturesUnordered<Pin<Box<dyn Future<Output = ()> + Send>>>;

/// The watchdog's life. Should a turn of its loop panic, which nothing of ours does, it goes on with the next.
async fn watch(shared: &Arc<Shared>) {
    let mut work = Work::new();
    while AssertUnwindSafe(watch_on(shared, &mut work)).catch_unwind().await.is_err() {}
}

/// The loop: what is due, then sleep until the next is or somebody wakes us.
async fn watch_on(shared: &Arc<Shared>, work: &mut Work) {
    loop {
        let now = shared.clock.now();
        let Due { leases, owed, next, finished } = shared.registry().take_due(now);
        if finished && work.is_empty() {
            return;
        }
        for owed in owed {
            let clock = shared.clock;
            work.push(survived(owed.pay(move || clock.now())));
        }
        for batch in renew::batches(due_for_renewal(shared, leases, now)) {
            work.push(survived(renew(Arc::clone(shared), batch)));
        }
        let pause = next.map_or(Duration::MAX, |next| next.since(shared.clock.now()));
        // In this order, so that a simulation that is run again is the same.
        tokio::select! {
            biased;
            () = shared.wake.notified() => {}
            Some(()) = work.next() => {}
            () = tokio::time::sleep(pause) => {}
        }
    }
}

/// A backend that panics takes its own answer with it, and nobody else's lease.
fn survived(work: impl Future<Output = ()> + Send + 'static) -> Pin<Box<dyn Future<Output = ()> + Send>> {
    Box::pin(AssertUnwindSafe(work).catch_unwind().map(drop))
}

/// Which of the leases that are due want a renewal. Those whose deadline has passed are lost.
fn due_for_renewal(shared: &Shared, leases: Vec<Arc<Held>>, now: Moment) -> Vec<Arc<Held>> {
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
    due
}

/// Renews a batch and plans what comes next for each of its leases.
async fn renew(shared: Arc<Shared>, leases: Vec<Arc<Held>>) {
    let clock = shared.clock;
    for (held, next) in renew::batch(leases, move || clock.now()).await {
        shared.schedule_again(&held, next);
    }
}
