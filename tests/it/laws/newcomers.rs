//! Somebody comes while a body runs: another process, or the body itself by a second call.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dlock_runtime::{Acquire, Lease, Locks, singleton};
use rustix::process::{Pid, Signal, kill_process};
use tokio::sync::Notify;

use super::stores::Store;
use crate::support::journal::Journal;
use crate::support::poll;
use crate::support::probe::{Probe, Word};
use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(20);

/// Ten processes come and go, by themselves, by SIGTERM and by SIGKILL, half of them for the key that is held.
fn come_and_go(url: &str) {
    for number in 0..10_u32 {
        let same = number.is_multiple_of(2);
        let name = if same { "boot".to_owned() } else { format!("boot{number}") };
        let newcomer = Probe::at(url, &name).set("steps", 1).set("step-ms", 1);
        // A key of its own is held by it when it is killed.
        let mut newcomer = match number % 3 {
            0 => newcomer.spawn(),
            _ => newcomer.set("linger-ms", 60_000).set("calls", 2).set("gap-ms", 5).spawn(),
        };
        let expected = if same { Word::Skipped } else { Word::Ran };
        assert_eq!(newcomer.outcome(1, SOON).word, expected, "newcomer {number}");
        match number % 3 {
            0 => assert!(newcomer.wait(SOON).success()),
            1 => {
                let pid = Pid::from_raw(i32::try_from(newcomer.pid()).expect("a process id"));
                kill_process(pid.expect("a process id"), Signal::TERM).expect("it runs");
                newcomer.wait(SOON);
            }
            _ => newcomer.kill(),
        }
    }
}

#[test]
fn processes_that_start_and_end_free_nothing_of_a_running_one_on_redis() {
    let server = RedisServer::start();
    let monitor = server.monitor();
    let mut holder = Probe::at(&server.url(), "boot").set("ttl-ms", 2000).set("steps", 100_000).spawn();
    let value = poll::value("the holder's key", SOON, || server.get("accept:boot"));
    std::thread::scope(|scope| {
        let url = server.url();
        let newcomers = scope.spawn(move || come_and_go(&url));
        while !newcomers.is_finished() {
            assert_eq!(server.get("accept:boot").as_deref(), Some(&*value), "in every sample");
            std::thread::sleep(Duration::from_millis(10));
        }
        newcomers.join().expect("the newcomers got what they should");
    });
    assert!(holder.outcomes().is_empty(), "it still runs: {:?}", holder.outcomes());
    for command in monitor.all() {
        let name = command.name();
        assert!(!["scan", "keys", "flushall", "flushdb", "unlink"].contains(&&*name), "{command:?}");
        let frees = name == "del" && command.words.iter().any(|word| word == "accept:boot");
        assert!(!frees, "{command:?}");
    }
    holder.kill();
}

#[test]
fn processes_that_start_and_end_free_nothing_of_a_running_one_on_local() {
    let dir = TempDir::new();
    let (url, journal) = (format!("local:{}", dir.path().display()), dir.path().join("journal"));
    let holder = Probe::at(&url, "boot").set("steps", 100_000).set("step-ms", 5).journal(&journal).spawn();
    poll::until("the holder's body", SOON, || !Journal::read(&journal).entries.is_empty());
    come_and_go(&url);
    assert!(holder.outcomes().is_empty(), "it still runs: {:?}", holder.outcomes());
    assert_eq!(Probe::at(&url, "boot").spawn().outcome(1, SOON).word, Word::Skipped);
}

/// Somebody who asks again and again while the body runs, and neither before nor after.
#[derive(Default)]
struct Contender {
    begins: Notify,
    /// How often it was told that the key is contended.
    contended: AtomicU32,
    ends: AtomicBool,
    ended: Notify,
}

impl Contender {
    async fn asks(&self, locks: &Locks) {
        self.begins.notified().await;
        while !self.ends.load(Ordering::SeqCst) {
            let answer = locks.lease("nested:n").ttl(SOON).try_acquire().await.expect("an answer");
            assert!(matches!(answer, Acquire::Contended(_)), "the contender was granted the key");
            self.contended.fetch_add(1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        self.ended.notify_one();
    }

    /// Waits until it has asked a few more times.
    async fn has_asked(&self) {
        let before = self.contended.load(Ordering::SeqCst);
        let asked = async || self.contended.load(Ordering::SeqCst) > before + 5;
        poll::until_async("the contender to ask", SOON, asked).await;
    }
}

#[singleton(key = "nested:{name}", ttl = "30s")]
async fn outer(name: &str, contender: &Contender) -> (Option<u8>, Duration) {
    contender.begins.notify_one();
    contender.has_asked().await;
    let begun = Instant::now();
    let within = inner(name).await;
    let took = begun.elapsed();
    // What the inner call has given back, if anything, the contender would have by now.
    contender.has_asked().await;
    Lease::assert_held(format!("nested:{name}"));
    contender.ends.store(true, Ordering::SeqCst);
    contender.ended.notified().await;
    (within, took)
}

#[singleton(key = "nested:{name}", ttl = "30s")]
async fn inner(name: &str) -> u8 {
    1
}

#[tokio::test]
async fn a_call_inside_of_its_own_key_is_skipped_at_once_and_frees_nothing_for_a_contender() {
    for store in Store::all() {
        let (locks, other) = (store.locks(), store.locks());
        let contender = Contender::default();
        let (outcome, ()) = tokio::join!(locks.scope(outer("n", &contender)), contender.asks(&other));
        let (within, took) = outcome.expect("the outer call ran");
        assert_eq!(within, None, "{}", store.name());
        assert!(took < Duration::from_secs(5), "{}: the inner call took {took:?}", store.name());
        assert_eq!(other.scope(inner("n")).await, Some(1), "{}: free when the outer ends", store.name());
    }
}
