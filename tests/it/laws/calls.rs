//! What a caller gets, on every store.

use std::time::Duration;

use dlock_runtime::{Acquire, Error, Key, Lease, Locks, Outcome, singleton};
use tokio::sync::oneshot;

use super::stores::Store;
use crate::support::journal::Journal;
use crate::support::poll;
use crate::support::probe::{Probe, Word};
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(10);

#[singleton(key = "calls:value", ttl = "5s")]
async fn value(n: u32) -> u32 {
    n + 1
}

#[singleton(key = "calls:option", ttl = "5s")]
async fn own_none() -> Option<u8> {
    None
}

#[singleton(key = "calls:question", ttl = "5s")]
async fn question(text: &str) -> Result<u32, Box<dyn std::error::Error + Send + Sync>> {
    if text.is_empty() {
        return Err("empty".into());
    }
    Ok(text.parse::<u32>()?)
}

#[singleton(key = "calls:until", ttl = "5s")]
async fn until(end: oneshot::Receiver<()>, begun: oneshot::Sender<()>) -> &'static str {
    let _ = begun.send(());
    let _ = end.await;
    "done"
}

#[singleton(key = "calls:{tenant}", ttl = "5s")]
async fn for_tenant(tenant: &str) -> String {
    Lease::assert_held(format!("calls:{tenant}"));
    Lease::current().expect("inside a body").key().to_string()
}

#[singleton(key = "calls:outer", ttl = "5s")]
async fn outer() -> (Option<String>, bool) {
    let inner = for_tenant("inner").await;
    Lease::assert_held("calls:outer");
    (inner, Lease::current().is_some_and(|lease| lease.key().as_str() == "calls:outer"))
}

#[singleton(key = "calls:recursion", ttl = "5s")]
async fn same_key_inside() -> Option<u32> {
    Box::pin(innermost()).await
}

#[singleton(key = "calls:recursion", ttl = "5s")]
async fn innermost() -> u32 {
    1
}

async fn on_each_store(check: impl AsyncFn(&Store, &Locks)) {
    for store in Store::all() {
        let locks = store.locks();
        locks.scope(check(&store, &locks)).await;
    }
}

#[tokio::test]
async fn a_value_is_some_and_two_calls_in_a_row_both_run() {
    on_each_store(async |store, _| {
        for n in 0..20 {
            assert_eq!(value(n).await, Some(n + 1), "{}", store.name());
        }
    })
    .await;
}

#[tokio::test]
async fn a_bodys_own_none_is_some_none_and_question_mark_and_return_are_the_bodys() {
    on_each_store(async |store, _| {
        assert_eq!(own_none().await, Some(None), "{}", store.name());
        assert_eq!(question("7").await.expect("ran").expect("a number"), 7);
        assert_eq!(question("").await.expect("ran").expect_err("returned").to_string(), "empty");
        assert!(question("x").await.expect("ran").is_err());
    })
    .await;
}

#[tokio::test]
async fn the_second_of_two_concurrent_calls_is_none_in_the_same_task_set_and_in_another_runtime() {
    on_each_store(async |store, locks| {
        let ((end, ended), (begin, begun)) = (oneshot::channel(), oneshot::channel());
        let first = until(ended, begin);
        let second = async {
            begun.await.expect("the first has begun");
            let (_end, ended) = oneshot::channel();
            let second = until(ended, oneshot::channel().0).await;
            let there = locks.clone();
            let elsewhere = tokio::task::spawn_blocking(move || in_a_runtime_of_its_own(&there));
            (second, elsewhere.await.expect("no panic"), end.send(()))
        };
        let (first, (second, elsewhere, _)) = tokio::join!(first, second);
        assert_eq!((first, second, elsewhere), (Some("done"), None, None), "{}", store.name());
        assert_eq!(in_a_fresh_call(locks).await, Some("done"));
    })
    .await;
}

fn in_a_runtime_of_its_own(locks: &Locks) -> Option<&'static str> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(in_a_fresh_call(locks))
}

async fn in_a_fresh_call(locks: &Locks) -> Option<&'static str> {
    let (end, ended) = oneshot::channel();
    drop(end);
    locks.scope(until(ended, oneshot::channel().0)).await
}

#[test]
fn the_second_of_two_concurrent_calls_is_none_in_another_process() {
    for store in Store::all().into_iter().filter(|store| store.name() != "memory") {
        let dir = TempDir::new();
        let journal = dir.path().join("journal");
        let first =
            Probe::at(&store.url(), "p").set("steps", 10_000).set("step-ms", 1).journal(&journal).spawn();
        poll::until("the first body", SOON, || !Journal::read(&journal).entries.is_empty());
        let second = Probe::at(&store.url(), "p").spawn();
        assert_eq!(second.outcome(1, SOON).word, Word::Skipped, "{}", store.name());
        let other_key = Probe::at(&store.url(), "q").spawn();
        assert_eq!(other_key.outcome(1, SOON).word, Word::Ran, "{}", store.name());
        drop(first);
    }
}

#[tokio::test]
async fn nested_locks_know_their_own_keys_and_the_same_key_inside_is_a_skip() {
    on_each_store(async |store, _| {
        let (inner, outer_again) = outer().await.expect("ran");
        assert_eq!((inner.as_deref(), outer_again), (Some("calls:inner"), true), "{}", store.name());
        assert!(Lease::current().is_none());
        assert_eq!(same_key_inside().await, Some(None), "{}", store.name());
        assert_eq!(same_key_inside().await, Some(None), "the inner call has freed nothing: {}", store.name());
    })
    .await;
}

#[tokio::test]
async fn a_namespace_keeps_deployments_apart_and_assert_held_takes_the_key_as_written() {
    let store = dlock_runtime::Memory::new();
    let billing = Locks::builder(store.clone()).namespace("billing").build();
    let shop = Locks::builder(store).namespace("shop").build();
    let lease = acquired(billing.lease("calls:a").ttl(SOON).try_acquire().await);
    assert_eq!(shop.scope(for_tenant("a")).await.as_deref(), Some("shop:calls:a"));
    assert_eq!(billing.scope(for_tenant("a")).await, None);
    drop(lease);
}

#[tokio::test]
async fn an_empty_or_oversized_key_is_an_error_and_runs_nothing() {
    on_each_store(async |store, locks| {
        for key in [String::new(), "a\0b".to_owned(), "x".repeat(Key::MAX_BYTES + 1)] {
            let error = locks.lease(key).ttl(SOON).try_acquire().await.expect_err(store.name());
            assert_eq!(error.kind(), dlock_runtime::ErrorKind::InvalidKey);
        }
        let odd = ["a b", "*", "[x]?", "%s", "a\nb", "é", "e\u{301}", "🔒", "../x", "\u{202e}x", "A", "a"];
        let mut held = Vec::new();
        for key in odd
            .iter()
            .map(|key| (*key).to_owned())
            .chain([format!("{}1", "y".repeat(4000)), format!("{}2", "y".repeat(4000))])
        {
            held.push(acquired(locks.lease(key.clone()).ttl(SOON).try_acquire().await));
            let again = locks.lease(key).ttl(SOON).try_acquire().await.expect("an answer");
            assert!(matches!(again, Acquire::Contended(_)), "{}", store.name());
        }
    })
    .await;
}

#[tokio::test]
async fn a_contended_key_names_its_holder() {
    for store in Store::all() {
        let locks = store.locks();
        let lease = acquired(locks.lease("who").ttl(SOON).try_acquire().await);
        let again = store.locks().lease("who").ttl(SOON).try_acquire().await.expect("an answer");
        let Acquire::Contended(contended) = again else { panic!("{} granted twice", store.name()) };
        assert_eq!(contended.holder.as_ref(), Some(lease.holder()), "{}", store.name());
        assert!(lease.holder().as_str().contains(&std::process::id().to_string()));
    }
}

#[tokio::test]
async fn locks_run_tells_what_became_of_the_body() {
    on_each_store(async |store, locks| {
        let ran = locks.run("run", SOON, |lease| async move { lease.is_held() }).await.expect("an answer");
        assert!(matches!(ran, Outcome::Ran(true)), "{}", store.name());
        let _lease = acquired(locks.lease("run").ttl(SOON).try_acquire().await);
        let skipped = locks.run("run", SOON, |_| async {}).await.expect("an answer");
        assert!(matches!(skipped, Outcome::Skipped(_)), "{}", store.name());
    })
    .await;
}

#[tokio::test]
async fn an_unknown_backend_is_an_error_that_names_the_registered_ones() {
    let locks =
        Locks::builder(dlock_runtime::Memory::new()).backend("db", dlock_runtime::Memory::new()).build();
    let error = locks.lease("a").ttl(SOON).backend("dv").try_acquire().await.expect_err("unknown");
    assert_eq!(error.kind(), dlock_runtime::ErrorKind::UnknownBackend);
    assert!(error.to_string().contains("db"), "{error}");
    let on_db = locks.lease("a").ttl(SOON).backend("db").try_acquire().await;
    drop((acquired(on_db), acquired(locks.lease("a").ttl(SOON).try_acquire().await)));
}

#[test]
fn without_any_runtime_a_call_works_and_never_panics() {
    for store in Store::all() {
        let locks = store.locks();
        let mut call = std::pin::pin!(locks.scope(value(1)));
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        let ran =
            poll::value("the call without a runtime", SOON, || match call.as_mut().poll(&mut context) {
                std::task::Poll::Ready(ran) => Some(ran),
                std::task::Poll::Pending => None,
            });
        assert_eq!(ran, Some(2), "{}", store.name());
    }
}

#[test]
fn on_a_runtime_without_timers_a_call_works() {
    for store in Store::all() {
        let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
        assert_eq!(runtime.block_on(store.locks().scope(value(1))), Some(2), "{}", store.name());
    }
}

/// The lease, where there must be one.
pub(super) fn acquired(answer: Result<Acquire, Error>) -> dlock_runtime::OwnedLease {
    match answer.expect("the store answers") {
        Acquire::Acquired(lease) => lease,
        Acquire::Contended(contended) => panic!("contended: {contended}"),
    }
}

#[tokio::test]
async fn a_bad_url_is_refused_at_once() {
    for url in ["redis//x", "redis://u:12345#x@host", "local:", "memory:x", "rediss://host"] {
        let error = Locks::from_url(url).expect_err(url);
        assert_eq!(error.kind(), dlock_runtime::ErrorKind::InvalidUrl);
        assert!(!error.to_string().contains("12345"), "{error}");
    }
}

#[tokio::test]
async fn misuse_is_an_error_that_says_what_to_write() {
    let locks = Locks::builder(dlock_runtime::Memory::new()).namespace("").build();
    let error = locks.lease("a").try_acquire().await.expect_err("no ttl");
    assert!(error.to_string().contains(".ttl("), "{error}");
    assert_eq!(error.key(), Some("a"), "an empty namespace is none");
    let error =
        locks.lease("a").ttl(SOON).min_hold(Duration::MAX).try_acquire().await.expect_err("out of bounds");
    assert_eq!(error.kind(), dlock_runtime::ErrorKind::InvalidTtl);
    let error = locks.lease("a").ttl(SOON).backend("nowhere").try_acquire().await.expect_err("unknown");
    assert_eq!(error.key(), Some("a"));
}
