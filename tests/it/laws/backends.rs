//! Every backend keeps the laws of the conformance suite, and one that does not harms only itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::time::Duration;

use dlock_runtime::testing::{Fate, SimulatedStore, conformance};
use dlock_runtime::{
    Answer, Backend, Claim, Contended, Grant, Local, Locks, Lost, Memory, Redis, Release, Renewal, StoreError,
};
use tokio::time::Instant;

use super::calls::acquired;
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
        Box::pin(async move {
            match flaw {
                Flaw::PanicsInRenew => panic!("a flaw of the backend"),
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
    for flaw in [Flaw::PanicsInRenew, Flaw::AnswersForNone, Flaw::NeverAnswersRenew] {
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
        assert_eq!(server.keys(), Vec::<String>::new(), "the suite leaves nothing");
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
