//! Every backend keeps the laws of the conformance suite, and one that does not harms only itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use dlock_runtime::testing::{Fate, SimulatedStore, conformance};
use dlock_runtime::{
    Answer, Backend, Claim, Contended, Grant, Local, Locks, Lost, Memory, Redis, Release, Released, Renewal,
    StoreError,
};
use tokio::time::Instant;

use super::calls::acquired;
use super::stores::locks;
use crate::support::poll;
use crate::support::proxy::Proxy;
use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(20);
const TTL: Duration = Duration::from_millis(300);

/// What is wrong with it.
#[derive(Clone, Copy, PartialEq)]
enum Flaw {
    PanicsInRenew,
    PanicsBeforeRenew,
    AnswersForNone,
    NeverAnswersRenew,
}

/// One key, and a flaw.
struct Flawed {
    flaw: Flaw,
    taken: AtomicBool,
    releases: Arc<AtomicU32>,
}

impl Backend for Flawed {
    fn name(&self) -> &'static str {
        "flawed"
    }

    fn try_acquire<'a>(&'a self, _: &'a Claim) -> Answer<'a, Result<Grant, StoreError>> {
        let taken = self.taken.swap(true, Ordering::SeqCst);
        Box::pin(
            async move { Ok(if taken { Grant::Contended(Contended::default()) } else { Grant::Acquired }) },
        )
    }

    fn renew<'a>(&'a self, _: &'a [Arc<Claim>]) -> Answer<'a, Vec<Result<Renewal, StoreError>>> {
        let flaw = self.flaw;
        assert!(flaw != Flaw::PanicsBeforeRenew, "a flaw of the backend");
        Box::pin(async move {
            match flaw {
                Flaw::PanicsInRenew | Flaw::PanicsBeforeRenew => panic!("a flaw of the backend"),
                Flaw::AnswersForNone => Vec::new(),
                Flaw::NeverAnswersRenew => std::future::pending().await,
            }
        })
    }

    fn release<'a>(&'a self, _: &'a Claim, _: Option<Duration>) -> Answer<'a, Result<Release, StoreError>> {
        self.releases.fetch_add(1, Ordering::SeqCst);
        self.taken.store(false, Ordering::SeqCst);
        Box::pin(async { Ok(Release::Freed) })
    }
}

#[tokio::test]
async fn a_backend_that_never_renews_loses_its_leases_at_the_deadline_and_hangs_nobody() {
    for flaw in [Flaw::PanicsInRenew, Flaw::PanicsBeforeRenew, Flaw::AnswersForNone, Flaw::NeverAnswersRenew]
    {
        let releases = Arc::new(AtomicU32::new(0));
        let backend = Flawed { flaw, taken: AtomicBool::new(false), releases: Arc::clone(&releases) };
        let locks = Locks::from(backend);
        let lease = acquired(locks.lease("flawed").ttl(TTL).try_acquire().await);
        let lost = tokio::time::timeout(SOON, lease.lost()).await.expect("told");
        assert_eq!(lost, Some(Lost::Expired));
        assert!(!lease.is_held());
        let released = tokio::time::timeout(SOON, lease.release()).await.expect("no hang");
        assert!(released.is_ok());
        let next = acquired(locks.lease("flawed").ttl(TTL).try_acquire().await);
        drop(next);
        poll::until_async("a release in the background", SOON, async || releases.load(Ordering::SeqCst) > 1)
            .await;
    }
}

#[tokio::test]
async fn memory_conforms() {
    let store = Memory::new();
    conformance::check(&store, &store.clone(), "conformance").await;
}

#[tokio::test]
async fn local_conforms() {
    let dir = TempDir::new();
    let process = || Local::new(dir.path()).expect("a directory");
    conformance::check(&process(), &process(), "conformance").await;
}

#[tokio::test]
async fn redis_conforms() {
    let server = RedisServer::start();
    for url in [server.url(), format!("{}?protocol=resp3", server.url())] {
        let process = || Redis::from_url(&url).expect("a URL");
        conformance::check(&process(), &process(), "conformance").await;
        let locks: Vec<String> = server.keys().into_iter().filter(|key| !key.contains(":fencing-")).collect();
        assert_eq!(locks, Vec::<String>::new(), "the suite leaves nothing but counters");
    }
}

#[tokio::test]
async fn redis_conforms_when_it_is_asked_in_two_steps() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    proxy.rewrite(super::wire::refusing_nx_with_get);
    let process = || Redis::from_url(&proxy.url()).expect("a URL");
    conformance::check(&process(), &process(), "conformance").await;
}

#[tokio::test(start_paused = true)]
async fn the_simulated_store_conforms() {
    let store = SimulatedStore::new(Instant::now());
    conformance::check(&store.link(|_| Fate::PROMPT), &store.link(|_| Fate::PROMPT), "conformance").await;
}

#[tokio::test]
async fn a_waker_that_panics_harms_nobody_elses_lease() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let doomed = acquired(locks.lease("waker:doomed").ttl(TTL).try_acquire().await);
    let mut lost = Box::pin(async move { doomed.lost().await });
    let waker = std::task::Waker::from(Arc::new(Panicking));
    assert!(lost.as_mut().poll(&mut std::task::Context::from_waker(&waker)).is_pending());
    let healthy = acquired(locks.lease("waker:healthy").ttl(TTL).try_acquire().await);
    server.cmd(&["DEL", "waker:doomed"]);
    tokio::time::sleep(TTL * 4).await;
    assert!(healthy.is_held(), "its lease is renewed all the same");
    drop(healthy);
    poll::until_async("a release in the background", SOON, async || server.get("waker:healthy").is_none())
        .await;
}

struct Panicking;

impl std::task::Wake for Panicking {
    fn wake(self: Arc<Self>) {
        panic!("a waker's own panic");
    }
}

#[tokio::test]
async fn a_lock_file_that_was_deleted_while_held_is_told_at_release() {
    let dir = TempDir::new();
    let locks = Locks::from(Local::new(dir.path()).expect("a directory"));
    let first = acquired(locks.lease("deleted").ttl(SOON).try_acquire().await);
    std::fs::remove_file(dir.path().join("deleted.lock")).expect("there is a file");
    let second = acquired(locks.lease("deleted").ttl(SOON).try_acquire().await);
    assert_eq!(first.release().await.expect("an answer"), Released::NotOurs);
    assert_eq!(second.release().await.expect("an answer"), Released::Freed);
}
