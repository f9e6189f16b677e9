//! `min_hold`: after a short run the key stays taken.

use std::time::Duration;

use dlock_runtime::{Acquire, singleton};

use super::calls::acquired;
use super::stores::{Store, locks};
use crate::support::journal::{Journal, now};
use crate::support::poll;
use crate::support::probe::{Probe, Word};
use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(90);

#[singleton(key = "min:held", ttl = "30s", min_hold = "600ms")]
async fn held(fail: bool) -> Result<(), std::io::Error> {
    if fail { Err(std::io::Error::other("the body failed")) } else { Ok(()) }
}

/// Ticks are 900 ms apart, the job takes 20 ms, and the second process's clock is 150 ms late: without `min_hold`
/// each tick would run twice.
fn ticks(url: &str, ticks: usize, fail: bool) -> usize {
    let dir = TempDir::new();
    let journal = dir.path().join("journal");
    let from = now() + 500_000_000;
    let start = |late: bool| {
        let command = Probe::at(url, "ticks").set("ttl-ms", 5000).set("min-hold-ms", 700).set("step-ms", 20);
        let command = command
            .set("calls", ticks)
            .set("every-ms", 900)
            .set("from-ns", from + if late { 150_000_000 } else { 0 });
        // On local the key is kept by the process, so none may end before the other's last tick.
        let command = command.set("linger-ms", 1000);
        let command = if fail { command.flag("fail") } else { command };
        command.journal(&journal)
    };
    let (mut first, mut second) = (start(false).spawn(), start(true).spawn());
    assert!(first.wait(SOON).success() && second.wait(SOON).success());
    for probe in [&first, &second] {
        assert_eq!(probe.outcomes().len(), ticks);
        let unlike = |word: Word| word != Word::Skipped && word != if fail { Word::Error } else { Word::Ran };
        assert!(!probe.outcomes().iter().any(|outcome| unlike(outcome.word)));
    }
    let journal = Journal::read(&journal);
    assert_eq!(journal.overlaps(), []);
    journal.calls().len()
}

#[test]
fn thirty_ticks_of_a_short_job_fired_by_two_processes_are_thirty_runs_on_redis() {
    assert_eq!(ticks(&RedisServer::start().url(), 30, false), 30);
}

#[test]
fn thirty_ticks_are_thirty_runs_also_when_the_body_fails() {
    assert_eq!(ticks(&RedisServer::start().url(), 30, true), 30);
}

#[test]
fn thirty_ticks_are_thirty_runs_on_local() {
    let dir = TempDir::new();
    assert_eq!(ticks(&format!("local:{}", dir.path().display()), 30, false), 30);
}

#[tokio::test]
async fn the_caller_is_not_kept_waiting_and_the_key_is_free_when_min_hold_is_over() {
    for store in Store::all() {
        let locks = store.locks();
        for fail in [false, true] {
            let begun = std::time::Instant::now();
            let ran = locks.scope(held(fail)).await.expect("ran");
            assert_eq!(ran.is_err(), fail);
            assert!(locks.scope(held(false)).await.is_none(), "still kept: {}", store.name());
            assert!(begun.elapsed() < Duration::from_millis(600), "{}: the caller waited", store.name());
            poll::until_async("the end of min_hold", SOON, async || {
                match locks.lease("min:held").ttl(SOON).try_acquire().await {
                    Ok(Acquire::Acquired(lease)) => lease.release().await.is_ok(),
                    _ => false,
                }
            })
            .await;
            assert!(begun.elapsed() >= Duration::from_millis(600), "{}: freed too early", store.name());
        }
    }
}

#[tokio::test]
async fn a_kept_key_expires_on_the_server_and_not_by_us() {
    let server = RedisServer::start();
    let lease = locks(&server.url()).lease("min:server").ttl(SOON).min_hold(Duration::from_secs(3));
    let lease = acquired(lease.try_acquire().await);
    assert_eq!(lease.release().await.expect("released"), dlock_runtime::Released::Freed);
    let left = server.pttl("min:server").expect("kept");
    assert!(left <= Duration::from_secs(3) && left > Duration::from_secs(2), "{left:?}");
}

#[tokio::test]
async fn min_hold_is_kept_also_when_the_idle_connection_had_been_closed_before() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    for _ in 0..2 {
        let warm = acquired(locks.lease("min:warm").ttl(SOON).try_acquire().await);
        let _ = warm.release().await.expect("released");
        server.cmd(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
        let request = locks.lease("min:closed").ttl(SOON).min_hold(Duration::from_millis(1500));
        let lease = acquired(request.try_acquire().await);
        assert_eq!(lease.release().await.expect("released"), dlock_runtime::Released::Freed);
        let begun = std::time::Instant::now();
        while begun.elapsed() < Duration::from_millis(1300) {
            assert!(server.get("min:closed").is_some(), "freed after {:?}", begun.elapsed());
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        poll::until_async("the end of min_hold", SOON, async || server.get("min:closed").is_none()).await;
    }
}
