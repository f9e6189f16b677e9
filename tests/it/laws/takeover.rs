//! Who has the key after a holder was killed, stopped or cut off, and after the store has lost what it knew.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dlock_runtime::{Acquire, Locks, Lost, Outcome, OwnedLease};

use super::calls::acquired;
use super::stores::{Store, locks};
use crate::support::journal::{Journal, now};
use crate::support::poll;
use crate::support::probe::{Probe, Word};
use crate::support::proxy::{Mode, Proxy};
use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(20);
/// What a busy machine adds.
const NOISE: Duration = Duration::from_millis(500);

/// Asks until the key is granted.
async fn obtain(locks: &Locks, key: &str, ttl: Duration) -> OwnedLease {
    let mut lease = None;
    poll::until_async("the key", SOON, async || {
        if let Ok(Acquire::Acquired(granted)) = locks.lease(key).ttl(ttl).try_acquire().await {
            lease = Some(granted);
        }
        lease.is_some()
    })
    .await;
    lease.expect("it was waited for")
}

#[tokio::test]
async fn the_key_of_a_killed_holder_is_free_after_its_ttl_on_redis_and_not_before_and_at_once_on_local() {
    let ttl = Duration::from_millis(1500);
    for store in Store::all().into_iter().filter(|store| store.name() != "memory") {
        let dir = TempDir::new();
        let journal = dir.path().join("journal");
        let holder = Probe::at(&store.url(), "killed").set("ttl-ms", ttl.as_millis());
        let mut holder = holder.set("steps", 100_000).set("step-ms", 5).journal(&journal).spawn();
        poll::until("the body", SOON, || !Journal::read(&journal).entries.is_empty());
        let locks = store.locks();
        holder.kill();
        let killed = Instant::now();
        let (left, patience) = match &store {
            Store::Redis(server) => (server.pttl("accept:killed").expect("it is held"), ttl),
            _ => (Duration::ZERO, Duration::ZERO),
        };
        drop(obtain(&locks, "accept:killed", ttl).await);
        let after = killed.elapsed();
        assert!(after < patience + NOISE, "{}: only after {after:?}", store.name());
        assert!(after + Duration::from_millis(50) >= left, "{}: after {after:?} of {left:?}", store.name());
    }
}

#[test]
fn a_stopped_holder_keeps_its_key_on_local_and_goes_on_and_a_killed_one_loses_it_even_while_stopped() {
    let dir = TempDir::new();
    let url = format!("local:{}", dir.path().join("locks").display());
    let path = dir.path().join("journal");
    let job =
        |steps: u32| Probe::at(&url, "stopped").set("ttl-ms", 200).set("steps", steps).set("step-ms", 5);
    let first = job(100).journal(&path).spawn();
    poll::until("the body", SOON, || Journal::read(&path).entries.len() > 3);
    first.stop();
    // Five times its ttl.
    let asked = now();
    while Duration::from_nanos(now() - asked) < Duration::from_secs(1) {
        assert_eq!(job(1).spawn().outcome(1, SOON).word, Word::Skipped);
    }
    first.cont();
    assert_eq!(first.outcome(1, SOON).word, Word::Ran);
    let mut second = job(100_000).journal(&path).spawn();
    poll::until("the second body", SOON, || {
        Journal::read(&path).entries.iter().any(|entry| entry.pid == second.pid())
    });
    second.stop();
    second.kill();
    assert_eq!(job(1).journal(&path).spawn().outcome(1, SOON).word, Word::Ran);
    assert_eq!(Journal::read(&path).overlaps(), []);
}

#[test]
fn a_process_that_was_stopped_past_its_ttl_has_lost_its_lease_in_memory_too() {
    let dir = TempDir::new();
    let path = dir.path().join("journal");
    let probe = Probe::at("memory:", "stopped").set("ttl-ms", 500).set("steps", 100_000).set("step-ms", 5);
    let probe = probe.journal(&path).spawn();
    poll::until("the body", SOON, || Journal::read(&path).entries.len() > 3);
    probe.stop();
    std::thread::sleep(Duration::from_millis(1000));
    let woken = now();
    probe.cont();
    assert_eq!(probe.outcome(1, SOON).word, Word::Lost);
    // It may have been stopped within a poll, which then goes on to its next await.
    assert!(Journal::read(&path).after(probe.pid(), woken).len() <= 1);
}

/// When a body has last been polled, in microseconds after a moment.
#[derive(Clone)]
struct Steps(Arc<AtomicU64>, Instant);

impl Steps {
    fn new() -> Steps {
        Steps(Arc::default(), Instant::now())
    }

    async fn endless(self) {
        loop {
            let at = u64::try_from(self.1.elapsed().as_micros()).expect("a short test");
            self.0.store(at, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    fn last(&self) -> Instant {
        self.1 + Duration::from_micros(self.0.load(Ordering::SeqCst))
    }

    async fn begun(&self) {
        poll::until_async("the body", SOON, async || self.0.load(Ordering::SeqCst) > 0).await;
    }
}

/// A body that runs until it is stopped.
fn run(locks: &Locks, key: &'static str, ttl: Duration) -> (Steps, tokio::task::JoinHandle<Option<Lost>>) {
    let (locks, steps) = (locks.clone(), Steps::new());
    let body = steps.clone();
    let call = async move {
        match locks.run(key, ttl, |_| body.endless()).await {
            Ok(Outcome::Lost(lost)) => Some(lost),
            _ => None,
        }
    };
    (steps, tokio::spawn(call))
}

#[tokio::test]
async fn a_holder_that_is_cut_off_has_stopped_before_another_is_granted_the_key() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let (ttl, key) = (Duration::from_millis(1500), "takeover:partition");
    let (cut_off, other) = (locks(&proxy.url()), locks(&server.url()));
    for _ in 0..3 {
        let (steps, call) = run(&cut_off, key, ttl);
        steps.begun().await;
        proxy.set(Mode::Blackhole);
        let cut = Instant::now();
        let next = obtain(&other, key, ttl).await;
        let granted = Instant::now();
        assert!(granted - cut < ttl + NOISE, "taken over only after {:?}", granted - cut);
        assert!(steps.last() < granted, "a step after the key was another's");
        assert_eq!(call.await.expect("no panic"), Some(Lost::Expired));
        // What was on its way when the network comes back touches nothing of the next one's.
        proxy.set(Mode::Pass);
        tokio::time::sleep(ttl).await;
        assert!(next.is_held());
        assert_eq!(next.release().await.expect("an answer"), dlock_runtime::Released::Freed);
    }
}

#[tokio::test]
async fn a_server_that_restarts_with_its_data_within_the_ttl_costs_no_lease() {
    let mut server = RedisServer::start_with(&["--appendonly", "yes", "--appendfsync", "always"]);
    let (ttl, key) = (Duration::from_secs(3), "takeover:aof");
    let (holder, rival) = (locks(&server.url()), locks(&server.url()));
    let lease = acquired(holder.lease(key).ttl(ttl).try_acquire().await);
    for _ in 0..3 {
        server.kill();
        server.restart();
        let answer = rival.lease(key).ttl(ttl).try_acquire().await.expect("an answer");
        assert!(matches!(answer, Acquire::Contended(_)), "granted twice");
        tokio::time::sleep(ttl / 2).await;
        assert!(lease.is_held());
    }
    assert_eq!(lease.release().await.expect("an answer"), dlock_runtime::Released::Freed);
}

/// A way in which a server forgets.
type Forget = fn(&mut RedisServer);

const WAYS: [(&str, Forget); 3] = [
    ("a restart without its data", |server| {
        server.kill();
        server.restart_empty();
    }),
    ("FLUSHALL", |server| drop(server.cmd(&["FLUSHALL"]))),
    ("eviction", |server| {
        server.cmd(&["CONFIG", "SET", "maxmemory-policy", "allkeys-random"]);
        server.cmd(&["CONFIG", "SET", "maxmemory", "1"]);
        let evicted = || {
            server.cmd(&["SET", "other", "1"]);
            server.cmd(&["DBSIZE"]) == crate::support::resp::Reply::Int(0)
        };
        poll::until("the eviction", SOON, evicted);
        server.cmd(&["CONFIG", "SET", "maxmemory", "0"]);
    }),
];

#[tokio::test]
async fn where_a_server_forgets_a_lease_its_holder_is_stopped_at_the_next_renewal_and_makes_no_key() {
    let (ttl, key) = (Duration::from_secs(3), "takeover:forgotten");
    for (way, forget) in WAYS {
        let mut server = RedisServer::start();
        let (holder, rival) = (locks(&server.url()), locks(&server.url()));
        let (steps, call) = run(&holder, key, ttl);
        steps.begun().await;
        forget(&mut server);
        // From here on there may be two.
        let next = obtain(&rival, key, ttl).await;
        let granted = Instant::now();
        assert_eq!(call.await.expect("no panic"), Some(Lost::Taken), "{way}");
        let both = steps.last().saturating_duration_since(granted);
        assert!(both < ttl / 3 + NOISE, "{way}: two bodies for {both:?}");
        assert!(next.is_held());
        assert_eq!(next.release().await.expect("an answer"), dlock_runtime::Released::Freed, "{way}");
        assert_eq!(server.get(key), None, "{way}");
    }
}

/// Asks once, from another process.
fn asks(url: &str) -> Word {
    Probe::at(url, "kept").set("ttl-ms", 1000).set("step-ms", 1).spawn().outcome(1, SOON).word
}

#[test]
fn min_hold_outlives_its_process_on_redis_and_not_on_local() {
    for store in Store::all().into_iter().filter(|store| store.name() != "memory") {
        let kept = Probe::at(&store.url(), "kept").set("ttl-ms", 1000).set("min-hold-ms", 4000);
        let mut kept = kept.set("step-ms", 1).spawn();
        assert_eq!(kept.outcome(1, SOON).word, Word::Ran);
        assert!(kept.wait(SOON).success());
        let word = if store.name() == "local" { Word::Ran } else { Word::Skipped };
        assert_eq!(asks(&store.url()), word, "{}", store.name());
    }
}

#[test]
fn min_hold_does_not_outlive_the_ttl_of_a_holder_that_was_killed_in_its_body() {
    let server = RedisServer::start();
    let killed = Probe::at(&server.url(), "kept").set("ttl-ms", 1000).set("min-hold-ms", 60_000);
    let mut killed = killed.set("steps", 100_000).spawn();
    poll::until("the key", SOON, || server.get("accept:kept").is_some());
    killed.kill();
    assert!(server.pttl("accept:kept").is_none_or(|left| left <= Duration::from_secs(1)));
    poll::until("the key to be free", SOON, || asks(&server.url()) == Word::Ran);
}

#[tokio::test]
async fn min_hold_is_kept_when_the_caller_goes_away_too() {
    for store in Store::all() {
        let locks = store.locks();
        let since = Instant::now();
        let min_hold = Duration::from_millis(1500);
        let lease = acquired(locks.lease("takeover:kept").ttl(SOON).min_hold(min_hold).try_acquire().await);
        drop(lease);
        let mut contended = 0;
        let next = async {
            loop {
                match locks.lease("takeover:kept").ttl(SOON).try_acquire().await.expect("an answer") {
                    Acquire::Acquired(lease) => return lease,
                    Acquire::Contended(_) => contended += 1,
                }
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        let next = tokio::time::timeout(SOON, next).await.expect("it ends");
        assert!(since.elapsed() >= min_hold, "{}: free after {:?}", store.name(), since.elapsed());
        assert!(contended > 0, "{}", store.name());
        drop(next);
    }
}
