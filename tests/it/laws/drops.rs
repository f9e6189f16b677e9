//! The caller goes away: at every await of acquire, hold and release; by panic; with its runtime.

use std::future::Future;
use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use dlock_runtime::{Acquire, Locks, singleton};

use super::stores::{Store, locks};
use crate::support::poll;
use crate::support::proxy::{Mode, Proxy};
use crate::support::redis::RedisServer;

const SOON: Duration = Duration::from_secs(20);
/// A second after, the key is free; twice that on a busy machine.
const FREE_WITHIN: Duration = Duration::from_secs(2);

#[singleton(key = "drops:job", ttl = "60s")]
async fn job(pause: Duration) -> u8 {
    tokio::time::sleep(pause).await;
    1
}

#[singleton(key = "drops:job", ttl = "60s")]
async fn panicking() -> u8 {
    tokio::time::sleep(Duration::from_millis(1)).await;
    std::panic::panic_any("the body's own panic");
}

#[singleton(key = "drops:job", ttl = "60s")]
async fn telling(begun: std::sync::mpsc::Sender<()>) {
    begun.send(()).expect("somebody listens");
    tokio::time::sleep(SOON).await;
}

async fn is_free(locks: &Locks) -> bool {
    match locks.lease("drops:job").ttl(SOON).try_acquire().await {
        Ok(Acquire::Acquired(lease)) => lease.release().await.is_ok(),
        _ => false,
    }
}

async fn becomes_free(locks: &Locks, when: &str) {
    poll::until_async(&format!("a free key, {when}"), FREE_WITHIN, async || is_free(locks).await).await;
}

#[tokio::test]
async fn a_call_dropped_after_any_number_of_polls_leaves_nothing() {
    for store in Store::all() {
        let locks = store.locks();
        // A first call connects, so that each poll is one step of the protocol.
        assert_eq!(locks.scope(job(Duration::ZERO)).await, Some(1));
        for polls in 0..12 {
            let mut call = Box::pin(locks.scope(job(Duration::from_millis(2))));
            let ended = poll_times(call.as_mut(), polls).await;
            drop(call);
            becomes_free(&locks, &format!("{} after {polls} polls", store.name())).await;
            if ended {
                break;
            }
        }
    }
}

/// Polls so many times, with a wake-up in between, and says whether it was ready.
async fn poll_times(mut call: Pin<&mut impl Future>, polls: usize) -> bool {
    for _ in 0..polls {
        let once = std::future::poll_fn(|cx| Poll::Ready(call.as_mut().poll(cx).is_ready()));
        if once.await {
            return true;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    false
}

#[tokio::test]
async fn a_call_dropped_while_an_answer_is_on_its_way_leaves_nothing() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let (locks, direct) = (locks(&proxy.url()), locks(&server.url()));
    assert_eq!(locks.scope(job(Duration::ZERO)).await, Some(1));
    // In the acquire, in the body, and in the release: each answer takes 60 ms, the body 60 ms.
    for after in (0..220).step_by(10) {
        proxy.set(Mode::DelayReplies(Duration::from_millis(60)));
        let call = locks.scope(job(Duration::from_millis(60)));
        let _ = tokio::time::timeout(Duration::from_millis(after), call).await;
        proxy.set(Mode::Pass);
        becomes_free(&direct, &format!("dropped after {after} ms")).await;
    }
}

#[tokio::test]
async fn timeout_select_abort_and_a_dropped_task_set_free_the_key() {
    for store in Store::all() {
        let locks = store.locks();
        let long = || {
            let locks = locks.clone();
            async move { locks.scope(job(SOON)).await }
        };
        let short = Duration::from_millis(50);
        assert!(tokio::time::timeout(short, long()).await.is_err());
        becomes_free(&locks, "timeout").await;
        tokio::select! {
            _ = long() => panic!("it is long"),
            () = tokio::time::sleep(short) => {}
        }
        becomes_free(&locks, "select").await;
        let task = tokio::spawn(long());
        tokio::time::sleep(short).await;
        task.abort();
        becomes_free(&locks, "abort").await;
        let mut set = tokio::task::JoinSet::new();
        set.spawn(long());
        tokio::time::sleep(short).await;
        drop(set);
        becomes_free(&locks, "a dropped set").await;
    }
}

#[tokio::test]
async fn a_drop_does_not_block_even_when_the_server_is_stopped() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let mut call = Box::pin(locks.scope(job(SOON)));
    assert!(tokio::time::timeout(Duration::from_millis(100), call.as_mut()).await.is_err());
    server.stop();
    let begun = std::time::Instant::now();
    drop(call);
    assert!(begun.elapsed() < Duration::from_millis(200), "{:?}", begun.elapsed());
    server.cont();
    becomes_free(&locks, "after the server woke up").await;
}

#[tokio::test]
async fn a_panic_releases_and_goes_on_as_the_same_panic() {
    for store in Store::all() {
        let locks = store.locks();
        let there = locks.clone();
        let panic = tokio::spawn(async move { there.scope(panicking()).await }).await.expect_err("panicked");
        assert_eq!(panic.into_panic().downcast_ref(), Some(&"the body's own panic"), "{}", store.name());
        becomes_free(&locks, "after a panic").await;
    }
}

#[tokio::test]
async fn a_panic_releases_also_when_the_future_is_kept() {
    for store in Store::all() {
        let locks = store.locks();
        let mut call = Box::pin(locks.scope(panicking()));
        let panicked = std::future::poll_fn(|cx| {
            match std::panic::catch_unwind(AssertUnwindSafe(|| call.as_mut().poll(cx))) {
                Ok(Poll::Pending) => Poll::Pending,
                Ok(Poll::Ready(_)) => Poll::Ready(false),
                Err(_) => Poll::Ready(true),
            }
        });
        assert!(panicked.await);
        becomes_free(&locks, "with the future kept").await;
        drop(call);
    }
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().expect("a runtime")
}

#[test]
fn a_runtime_that_shuts_down_while_holding_releases() {
    for store in Store::all() {
        for way in ["timeout", "background", "drop"] {
            let locks = store.locks();
            let dying = runtime();
            let there = locks.clone();
            let (begun, begins) = std::sync::mpsc::channel();
            dying.spawn(async move { there.scope(telling(begun)).await });
            begins.recv_timeout(SOON).expect("the body has begun");
            let watching = runtime();
            match way {
                "timeout" => dying.shutdown_timeout(Duration::from_millis(100)),
                "background" => dying.shutdown_background(),
                _ => drop(dying),
            }
            watching.block_on(becomes_free(&locks, way));
        }
    }
}

#[test]
fn a_future_dropped_on_a_plain_thread_after_its_runtime_is_gone_releases() {
    for store in Store::all() {
        let locks = store.locks();
        let dying = runtime();
        let mut call = Box::pin(locks.scope(job(SOON)));
        dying.block_on(async {
            assert!(tokio::time::timeout(Duration::from_millis(100), call.as_mut()).await.is_err());
        });
        drop(dying);
        std::thread::scope(|scope| {
            scope.spawn(move || drop(call)).join().expect("no panic");
        });
        runtime().block_on(becomes_free(&locks, "on a plain thread"));
    }
}

#[test]
fn a_call_that_was_never_polled_asks_nothing() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    server.config_resetstat();
    drop(locks.scope(job(SOON)));
    assert_eq!(server.commandstats().get("set"), None);
    let _ = Context::from_waker(Waker::noop());
}

#[tokio::test]
async fn dropping_the_last_locks_finishes_what_is_owed() {
    let server = RedisServer::start();
    let direct = locks(&server.url());
    let short_lived = locks(&server.url());
    let lease = super::calls::acquired(short_lived.lease("drops:job").ttl(SOON).try_acquire().await);
    drop(short_lived);
    assert!(lease.is_held());
    drop(lease);
    becomes_free(&direct, "after the last Locks").await;
}

/// Calls an annotated function when it is dropped.
struct CallsWhenDropped(Locks);

impl Drop for CallsWhenDropped {
    fn drop(&mut self) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        assert_eq!(runtime.block_on(self.0.scope(job(Duration::from_millis(5)))), Some(1));
    }
}

#[test]
fn a_call_made_while_its_thread_is_unwinding_runs_to_its_end() {
    let locks = locks("memory:");
    let calls = CallsWhenDropped(locks);
    let panic = std::panic::catch_unwind(AssertUnwindSafe(move || {
        let _calls = calls;
        std::panic::panic_any("the outer panic");
    }));
    assert_eq!(panic.expect_err("panicked").downcast_ref(), Some(&"the outer panic"));
}

#[tokio::test]
async fn a_release_that_is_cancelled_is_owed_once() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let lease = super::calls::acquired(locks(&proxy.url()).lease("drops:once").ttl(SOON).try_acquire().await);
    // So that the watchdog has a connection and the server knows the script.
    let direct =
        super::calls::acquired(locks(&proxy.url()).lease("drops:warm").ttl(SOON).try_acquire().await);
    let _ = direct.release().await.expect("released");
    let monitor = server.monitor();
    proxy.set(Mode::Blackhole);
    assert!(tokio::time::timeout(Duration::from_millis(100), lease.release()).await.is_err());
    proxy.set(Mode::Pass);
    poll::until_async("the release", SOON, async || server.get("drops:once").is_none()).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    let asked = monitor.all().into_iter().filter(|command| command.name() == "evalsha").count();
    // The one that was dropped, whose bytes the network kept, and the watchdog's.
    assert!(asked <= 2, "{asked} releases");
}
