//! A history: what three processes do in a minute, with everything that goes wrong.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use dlock_runtime::testing::{Process, SimulatedStore};
use dlock_runtime::{Acquire, Error, FencingToken, Lease, Locks, Lost, Outcome};
use tokio::time::Instant;

use crate::dice::Dice;
use crate::faults::{Network, SETTLED, Weather};
use crate::pausable::{Pausable, Stopped};

const PROCESSES: u64 = 3;
const KEYS: [&str; 2] = ["a", "b"];
const LENGTH: Duration = Duration::from_secs(40);

/// What happened, in numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    ran: u64,
    skipped: u64,
    taken: u64,
    expired: u64,
    failed: u64,
    dropped: u64,
    stops: u64,
    wipes: u64,
    steps: u64,
    fenced: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Counts) {
        for (sum, (_, count)) in self.fields().into_iter().zip(other.each()) {
            *sum += count;
        }
    }

    fn fields(&mut self) -> [&mut u64; 10] {
        let Counts { ran, skipped, taken, expired, failed, dropped, stops, wipes, steps, fenced } = self;
        [ran, skipped, taken, expired, failed, dropped, stops, wipes, steps, fenced]
    }

    pub(crate) fn each(&self) -> [(&'static str, u64); 10] {
        let Counts { ran, skipped, taken, expired, failed, dropped, stops, wipes, steps, fenced } = *self;
        [
            ("runs", ran),
            ("skips", skipped),
            ("keys taken", taken),
            ("leases expired", expired),
            ("failures", failed),
            ("dropped calls", dropped),
            ("stopped processes", stops),
            ("wiped stores", wipes),
            ("steps", steps),
            ("fencing tokens", fenced),
        ]
    }
}

/// What all processes of one history share.
struct World {
    dice: Dice,
    store: SimulatedStore,
    counts: RefCell<Counts>,
    /// When the store last forgot everything.
    wiped: RefCell<Option<Instant>>,
    /// The largest fencing token of each key.
    fences: RefCell<BTreeMap<&'static str, FencingToken>>,
    /// When nothing goes wrong any more.
    calm: Instant,
}

/// One seed's history.
pub(crate) struct History {
    seed: u64,
}

impl History {
    pub(crate) fn of(seed: u64) -> History {
        History { seed }
    }

    /// Lives through it and checks everything on the way; panics where a law is broken.
    pub(crate) fn run(self) -> Counts {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
        runtime.expect("a runtime").block_on(self.live())
    }

    async fn live(self) -> Counts {
        let (dice, start) = (Dice::of(self.seed), Instant::now());
        // Half of what the margin is there for.
        let fast = if dice.percent(50) { 5000 } else { 0 };
        let store = SimulatedStore::new(start).running_fast(fast);
        let world = World {
            dice: dice.clone(),
            store: store.clone(),
            counts: RefCell::default(),
            wiped: RefCell::default(),
            fences: RefCell::default(),
            calm: start + LENGTH,
        };
        let world = Rc::new(world);
        let weather = Weather::of(&dice);
        let mut lives: Vec<Pin<Box<dyn Future<Output = ()>>>> = Vec::new();
        let mut watchdogs = Vec::new();
        for number in 0..PROCESSES {
            let mut network = Network::new(dice.clone(), weather, world.calm);
            let link = store.link(move |call| network.fate(call));
            let builder = Locks::builder(link).holder(format!("p{number}"));
            let process = Process::new(builder, self.seed * PROCESSES + number, start);
            let stopped = Stopped::not();
            watchdogs.push(Box::pin(Pausable::new(stopped.clone(), process.watchdog)));
            let life = live_as_a_process(Rc::clone(&world), process.locks);
            lives.push(Box::pin(Pausable::new(stopped.clone(), life)));
            lives.push(Box::pin(stop_now_and_then(Rc::clone(&world), stopped)));
        }
        lives.push(Box::pin(wipe_now_and_then(Rc::clone(&world))));
        all(lives, &mut watchdogs).await;
        for key in KEYS {
            assert_eq!(store.value(key), None, "a key is left on the store at the end");
        }
        world.counts.borrow().clone()
    }
}

/// Lives all lives beside the watchdogs, and then lets the watchdogs finish what they owe.
async fn all<W: Future<Output = ()> + Unpin>(
    lives: Vec<Pin<Box<dyn Future<Output = ()>>>>,
    watchdogs: &mut Vec<W>,
) {
    let mut lives = lives;
    std::future::poll_fn(|cx| {
        watchdogs.retain_mut(|watchdog| Pin::new(watchdog).poll(cx).is_pending());
        lives.retain_mut(|life| life.as_mut().poll(cx).is_pending());
        if lives.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    })
    .await;
    let finish = std::future::poll_fn(|cx| {
        watchdogs.retain_mut(|watchdog| Pin::new(watchdog).poll(cx).is_pending());
        if watchdogs.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
    });
    let ended = tokio::time::timeout(Duration::from_secs(120), finish).await;
    assert!(ended.is_ok(), "the watchdogs end when all locks are gone");
}

/// Calls in a loop, with pauses and drops, and asks for both keys when the weather is calm.
async fn live_as_a_process(world: Rc<World>, locks: Locks) {
    let dice = &world.dice;
    while Instant::now() < world.calm {
        let key = KEYS[usize::try_from(dice.below(2)).expect("small")];
        let ttl = Duration::from_millis([300, 1000, 4000][usize::try_from(dice.below(3)).expect("small")]);
        let steps = dice.below(40);
        let body = |lease: Lease| work(Rc::clone(&world), lease, key, ttl, steps);
        let call = locks.run(key, ttl, body);
        if dice.percent(25) {
            match tokio::time::timeout(dice.millis(1500), call).await {
                Ok(outcome) => count(&world, &outcome),
                Err(_) => world.counts.borrow_mut().dropped += 1,
            }
        } else {
            let outcome = call.await;
            count(&world, &outcome);
        }
        tokio::time::sleep(dice.millis(300)).await;
    }
    tokio::time::sleep(SETTLED).await;
    for key in KEYS {
        is_obtained_in_bounded_time(&locks, key).await;
    }
}

/// The body: each step is only right while the store has the key as ours, or has just forgotten everything.
async fn work(world: Rc<World>, lease: Lease, key: &'static str, ttl: Duration, steps: u64) -> u64 {
    let begun = Instant::now();
    for step in 0..steps {
        assert!(lease.is_held(), "a body is polled although its lease is not held");
        let forgotten = world.wiped.borrow().is_some_and(|at| at >= begun - ttl && at + ttl > Instant::now());
        let value = world.store.value(key).unwrap_or_default();
        let ours = value.starts_with(&lease.token().to_string());
        assert!(
            ours || forgotten,
            "step {step} of a body on {key:?} whose lease the store gave to {value:?}"
        );
        world.counts.borrow_mut().steps += 1;
        if step == 0 && world.dice.percent(30) {
            fence(&world, &lease, key).await;
        }
        tokio::time::sleep(world.dice.millis(100)).await;
    }
    steps
}

/// Whoever still holds the key has a larger number than all who had it before.
async fn fence(world: &World, lease: &Lease, key: &'static str) {
    let Ok(token) = lease.fencing_token().await else { return };
    let ours = world.store.value(key).is_some_and(|value| value.starts_with(&lease.token().to_string()));
    let mut fences = world.fences.borrow_mut();
    let largest = fences.entry(key).or_insert(token);
    assert!(!ours || token >= *largest, "{key:?} has {token} after {largest}");
    *largest = token.max(*largest);
    world.counts.borrow_mut().fenced += 1;
}

fn count(world: &World, outcome: &Result<Outcome<u64>, Error>) {
    let mut counts = world.counts.borrow_mut();
    match outcome {
        Ok(Outcome::Ran(_)) => counts.ran += 1,
        Ok(Outcome::Skipped(_)) => counts.skipped += 1,
        Ok(Outcome::Lost(Lost::Taken)) => counts.taken += 1,
        Ok(Outcome::Lost(_)) => counts.expired += 1,
        Ok(Outcome::Failed(_)) | Err(_) => counts.failed += 1,
    }
}

async fn is_obtained_in_bounded_time(locks: &Locks, key: &str) {
    for _ in 0..400 {
        if let Ok(Acquire::Acquired(lease)) = locks.lease(key).ttl(Duration::from_secs(1)).try_acquire().await
        {
            lease.release().await.map(drop).expect("the weather is calm");
            return;
        }
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
    panic!("{key:?} is not obtained although nobody works any more");
}

async fn stop_now_and_then(world: Rc<World>, stopped: Stopped) {
    let dice = &world.dice;
    while Instant::now() < world.calm {
        tokio::time::sleep(dice.millis(20_000)).await;
        if Instant::now() < world.calm && dice.percent(50) {
            stopped.until(Instant::now() + dice.millis(6000));
            world.counts.borrow_mut().stops += 1;
        }
    }
}

async fn wipe_now_and_then(world: Rc<World>) {
    // Most histories have a store that forgets nothing: there a single step without the lease is a fault.
    if !world.dice.percent(30) {
        return;
    }
    while Instant::now() < world.calm {
        tokio::time::sleep(world.dice.millis(30_000)).await;
        if Instant::now() < world.calm {
            world.store.wipe();
            *world.wiped.borrow_mut() = Some(Instant::now());
            world.counts.borrow_mut().wipes += 1;
        }
    }
}
