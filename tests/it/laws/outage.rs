//! The server stops, dies or drops the connection while a lease is held.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::{Duration, Instant};

use dlock_runtime::{Acquire, Error, ErrorKind, Locks, Lost, singleton};

use super::calls::acquired;
use super::stores::locks;
use crate::support::poll;
use crate::support::proxy::{Mode, Proxy};
use crate::support::redis::RedisServer;

const SOON: Duration = Duration::from_secs(20);
const TTL: Duration = Duration::from_millis(2000);

#[singleton(key = "outage:job", ttl = "2s")]
async fn job(steps: Arc<AtomicU32>, end: Arc<AtomicBool>) -> Result<u32, Error> {
    while !end.load(Ordering::SeqCst) {
        steps.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    Ok(7)
}

/// A job that runs until it is told to end.
struct Running {
    steps: Arc<AtomicU32>,
    end: Arc<AtomicBool>,
    call: tokio::task::JoinHandle<Option<Result<u32, Error>>>,
}

impl Running {
    async fn start(locks: &Locks) -> Running {
        let (steps, end) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicBool::new(false)));
        let (locks, inner) = (locks.clone(), (Arc::clone(&steps), Arc::clone(&end)));
        let call = tokio::spawn(async move { locks.scope(job(inner.0, inner.1)).await });
        let running = Running { steps, end, call };
        poll::until_async("the body", SOON, async || running.steps.load(Ordering::SeqCst) > 2).await;
        running
    }

    async fn end(self) -> Result<u32, Error> {
        self.end.store(true, Ordering::SeqCst);
        self.outcome().await
    }

    async fn outcome(self) -> Result<u32, Error> {
        self.call.await.expect("no panic").expect("told")
    }
}

async fn rest(duration: Duration) {
    tokio::time::sleep(duration).await;
}

#[tokio::test]
async fn a_server_that_stops_for_less_than_the_ttl_is_survived() {
    let server = RedisServer::start();
    let running = Running::start(&locks(&server.url())).await;
    for _ in 0..3 {
        server.stop();
        rest(TTL * 2 / 5).await;
        server.cont();
        rest(TTL / 2).await;
    }
    assert!(server.get("outage:job").is_some());
    assert_eq!(running.end().await.expect("held throughout"), 7);
    assert_eq!(server.get("outage:job"), None);
}

#[tokio::test]
async fn broken_connections_are_replaced_for_old_and_for_new_leases() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let locks = locks(&proxy.url());
    let running = Running::start(&locks).await;
    for _ in 0..3 {
        proxy.reset();
        server.cmd(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
        let fresh = acquired(locks.lease("outage:fresh").ttl(TTL).try_acquire().await);
        rest(TTL / 2).await;
        assert!(fresh.is_held());
        let _ = fresh.release().await.expect("released");
    }
    rest(TTL).await;
    assert_eq!(running.end().await.expect("held throughout"), 7);
}

#[tokio::test]
async fn one_swallowed_renewal_is_tried_again_on_another_connection() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let running = Running::start(&locks(&proxy.url())).await;
    proxy.set(Mode::SwallowReplies(1));
    rest(TTL * 2).await;
    assert_eq!(running.end().await.expect("held throughout"), 7);
}

#[tokio::test]
async fn the_body_is_stopped_at_the_deadline_during_the_outage() {
    for gone in [false, true] {
        let mut server = RedisServer::start();
        let running = Running::start(&locks(&server.url())).await;
        let steps = Arc::clone(&running.steps);
        let begun = Instant::now();
        if gone {
            server.kill();
        } else {
            server.stop();
        }
        let error = running.outcome().await.expect_err("lost");
        assert_eq!((error.kind(), error.lost()), (ErrorKind::Lost, Some(Lost::Expired)), "gone: {gone}");
        // The server is still away: this was found out from our own clock.
        assert!(begun.elapsed() < TTL, "only after {:?}", begun.elapsed());
        let stopped_at = steps.load(Ordering::SeqCst);
        if !gone {
            server.cont();
            poll::until_async("the key to be given back", SOON, async || server.get("outage:job").is_none())
                .await;
        }
        assert_eq!(steps.load(Ordering::SeqCst), stopped_at);
    }
}

#[tokio::test]
async fn a_failed_release_never_masks_the_bodys_result_and_goes_on_in_the_background() {
    let server = RedisServer::start();
    let locks = Locks::builder(dlock_runtime::Redis::from_url(&server.url()).expect("a URL"));
    let locks = locks.store_timeout(Duration::from_millis(300)).build();
    let running = Running::start(&locks).await;
    server.stop();
    let begun = Instant::now();
    assert_eq!(running.end().await.expect("the body's own"), 7);
    assert!(begun.elapsed() < Duration::from_secs(5), "the caller waited {:?}", begun.elapsed());
    server.cont();
    poll::until_async("the key to be freed", SOON, async || server.get("outage:job").is_none()).await;
}

#[tokio::test]
async fn a_release_whose_answer_is_lost_is_still_a_release() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let lease = acquired(locks(&proxy.url()).lease("outage:cut").ttl(SOON).try_acquire().await);
    proxy.set(Mode::Cut(1));
    assert_eq!(lease.release().await.expect("repeated"), dlock_runtime::Released::Freed);
    assert_eq!(server.get("outage:cut"), None);
}

#[tokio::test]
async fn an_acquire_whose_answer_is_lost_recognizes_its_own_token() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let locks = locks(&proxy.url());
    drop(acquired(locks.lease("outage:warm").ttl(SOON).try_acquire().await));
    proxy.set(Mode::Cut(1));
    let lease = acquired(locks.lease("outage:cut").ttl(SOON).try_acquire().await);
    assert_eq!(
        server.get("outage:cut").expect("stored").split('@').next(),
        Some(lease.token().to_string().as_str())
    );
    let _ = lease.release().await.expect("released");
}

#[tokio::test]
async fn an_answer_that_comes_after_the_deadline_is_no_grant() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let locks = Locks::builder(dlock_runtime::Redis::from_url(&proxy.url()).expect("a URL"));
    let locks = locks.store_timeout(Duration::from_secs(30)).build();
    drop(acquired(locks.lease("outage:warm").ttl(SOON).try_acquire().await));
    let ttl = Duration::from_millis(800);
    proxy.set(Mode::DelayReplies(ttl * 3 / 2));
    let error = locks.lease("outage:late").ttl(ttl).try_acquire().await.expect_err("too late");
    assert_eq!(error.kind(), ErrorKind::StoreUnreachable);
    proxy.set(Mode::Pass);
    let direct = super::stores::locks(&server.url());
    let mut next = None;
    poll::until_async("the late grant to be given back", SOON, async || {
        next = match direct.lease("outage:late").ttl(SOON).try_acquire().await.expect("an answer") {
            Acquire::Acquired(lease) => Some(lease),
            Acquire::Contended(_) => None,
        };
        next.is_some()
    })
    .await;
    rest(ttl).await;
    assert!(server.get("outage:late").is_some(), "the late one has touched nothing of its successor");
    drop(next);
}

#[tokio::test]
async fn an_answer_that_is_merely_slow_is_a_grant_that_is_renewed_in_time() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let locks = locks(&proxy.url());
    let warm = acquired(locks.lease("outage:warm").ttl(SOON).try_acquire().await);
    let _ = warm.release().await.expect("released");
    proxy.set(Mode::DelayReplies(TTL * 7 / 10));
    let lease = acquired(locks.lease("outage:slow").ttl(TTL).try_acquire().await);
    proxy.set(Mode::Pass);
    for _ in 0..20 {
        assert!(lease.is_held() && server.get("outage:slow").is_some());
        rest(TTL / 10).await;
    }
}

#[tokio::test]
async fn a_restarted_server_has_lost_the_lease_and_the_holder_is_told() {
    let mut server = RedisServer::start();
    let running = Running::start(&locks(&server.url())).await;
    server.kill();
    server.restart_empty();
    let error = running.outcome().await.expect_err("lost");
    assert_eq!((error.kind(), error.lost()), (ErrorKind::Lost, Some(Lost::Taken)));
    assert_eq!(server.get("outage:job"), None, "never made again");
}
