//! The key vanishes or changes hands while the body runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dlock_runtime::{Error, ErrorKind, Lease, Lost, Outcome, singleton};

use super::calls::acquired;
use super::stores::locks;
use crate::support::poll;
use crate::support::redis::RedisServer;

const SOON: Duration = Duration::from_secs(10);

#[singleton(key = "taken:job", ttl = "900ms")]
async fn job(steps: Arc<AtomicU32>) -> Result<(), Error> {
    endless(&steps).await;
    Ok(())
}

#[singleton(key = "taken:job", ttl = "900ms", on_error = "skip")]
async fn quiet_job(steps: Arc<AtomicU32>) -> Result<(), Error> {
    endless(&steps).await;
    Ok(())
}

#[singleton(key = "taken:job", ttl = "900ms", on_lost = "continue")]
async fn stubborn_job() -> Option<Lost> {
    Lease::current().expect("inside").lost().await
}

async fn endless(steps: &AtomicU32) {
    loop {
        steps.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// Each way in which a key stops to be ours, and what must be there afterwards, untouched.
const WAYS: [(&[&str], Option<&str>); 4] = [
    (&["DEL", "taken:job"], None),
    (&["FLUSHALL"], None),
    (&["SET", "taken:job", "foreign", "PX", "60000"], Some("foreign")),
    (&["SET", "taken:job", "foreign", "XX", "KEEPTTL"], Some("foreign")),
];

#[tokio::test]
async fn the_body_is_stopped_the_outcome_is_lost_and_nobody_elses_key_is_touched() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    for (way, left) in WAYS {
        let steps = Arc::new(AtomicU32::new(0));
        let call = tokio::spawn({
            let (locks, steps) = (locks.clone(), Arc::clone(&steps));
            async move { locks.scope(job(steps)).await }
        });
        poll::until_async("the body", SOON, async || steps.load(Ordering::SeqCst) > 2).await;
        server.cmd(way);
        let monitor = server.monitor();
        let error = call.await.expect("no panic").expect("told").expect_err("lost");
        assert_eq!((error.kind(), error.lost()), (ErrorKind::Lost, Some(Lost::Taken)), "{way:?}");
        assert_eq!(error.key(), Some("taken:job"));
        let stopped_at = steps.load(Ordering::SeqCst);
        assert_eq!(server.get("taken:job").as_deref(), left, "{way:?}");
        tokio::time::sleep(Duration::from_millis(500)).await;
        assert_eq!(steps.load(Ordering::SeqCst), stopped_at, "the body is stopped for good");
        assert_eq!(
            server.get("taken:job").as_deref().filter(|_| way[0] != "SET" || way[3] == "PX"),
            left.filter(|_| way[0] != "SET" || way[3] == "PX")
        );
        let touching = ["set", "del", "pexpire", "psetex", "expire"];
        let touched: Vec<_> =
            monitor.all().into_iter().filter(|it| touching.contains(&it.name().as_str())).collect();
        assert_eq!(touched, [], "after {way:?}");
        server.cmd(&["DEL", "taken:job"]);
    }
}

#[tokio::test]
async fn a_lost_run_is_none_with_on_error_skip_and_lost_as_an_outcome() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let steps = Arc::new(AtomicU32::new(0));
    let lose = async {
        poll::until_async("the key", SOON, async || server.get("taken:job").is_some()).await;
        server.cmd(&["DEL", "taken:job"]);
    };
    let (outcome, ()) = tokio::join!(locks.scope(quiet_job(Arc::clone(&steps))), lose);
    assert!(outcome.is_none());
    let lose = async {
        poll::until_async("the key", SOON, async || server.get("taken:run").is_some()).await;
        server.cmd(&["DEL", "taken:run"]);
    };
    let run = locks.run("taken:run", Duration::from_millis(600), |_| std::future::pending::<()>());
    let (outcome, ()) = tokio::join!(run, lose);
    assert!(matches!(outcome, Ok(Outcome::Lost(Lost::Taken))), "{outcome:?}");
}

#[tokio::test]
async fn a_body_that_asked_to_continue_is_told_and_ends_by_itself() {
    let server = RedisServer::start();
    let lose = async {
        poll::until_async("the key", SOON, async || server.get("taken:job").is_some()).await;
        server.cmd(&["SET", "taken:job", "foreign", "PX", "60000"]);
    };
    let locks = locks(&server.url());
    let (told, ()) = tokio::join!(locks.scope(stubborn_job()), lose);
    assert_eq!(told, Some(Some(Lost::Taken)));
    assert_eq!(server.get("taken:job").as_deref(), Some("foreign"));
}

#[tokio::test]
async fn renewal_never_extends_a_foreign_key() {
    let server = RedisServer::start();
    let lease = acquired(
        locks(&server.url()).lease("taken:extend").ttl(Duration::from_millis(600)).try_acquire().await,
    );
    server.cmd(&["SET", "taken:extend", "foreign", "PX", "1500"]);
    let mut last = Duration::MAX;
    while let Some(left) = server.pttl("taken:extend") {
        assert!(left <= last, "extended from {last:?} to {left:?}");
        last = left;
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert!(!lease.is_held());
    assert_eq!(lease.lost().await, Some(Lost::Taken));
    drop(lease);
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(server.get("taken:extend"), None, "never made again");
}

#[tokio::test]
async fn a_release_that_finds_a_foreign_key_says_so_and_frees_nothing() {
    let server = RedisServer::start();
    let lease = acquired(locks(&server.url()).lease("taken:release").ttl(SOON).try_acquire().await);
    server.cmd(&["SET", "taken:release", "foreign", "PX", "60000"]);
    assert_eq!(lease.release().await.expect("an answer"), dlock_runtime::Released::NotOurs);
    assert_eq!(server.get("taken:release").as_deref(), Some("foreign"));
}
