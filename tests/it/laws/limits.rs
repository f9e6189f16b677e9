//! What a lock cannot do, shown; and what catches it.

use std::fs::OpenOptions;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dlock_runtime::{FencingToken, Lost, Outcome, OwnedLease};

use super::calls::acquired;
use super::stores::{Store, locks};
use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(20);

#[tokio::test]
async fn a_step_that_has_begun_goes_on_to_its_next_await_whatever_becomes_of_the_lease() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let (ttl, steps) = (Duration::from_millis(300), AtomicU32::new(0));
    let body = async {
        steps.fetch_add(1, Ordering::SeqCst);
        server.cmd(&["DEL", "limits:step"]);
        // Nothing can stop what does not await.
        std::thread::sleep(ttl * 2);
        steps.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(1)).await;
        steps.fetch_add(1, Ordering::SeqCst);
    };
    let outcome = locks.run("limits:step", ttl, |_| body).await.expect("an answer");
    assert!(matches!(outcome, Outcome::Lost(Lost::Taken | Lost::Expired)), "{outcome:?}");
    assert_eq!(steps.into_inner(), 2, "to its next await, and not beyond");
}

/// Takes a key from its holder as a store would that has forgotten it, and grants it to another.
async fn two_holders(store: &Store) -> Option<(OwnedLease, OwnedLease)> {
    let ask = || async { acquired(store.locks().lease("two").ttl(SOON).try_acquire().await) };
    let first = ask().await;
    // So that the first holder has a number from before.
    first.fencing_token().await.expect("a number");
    match store {
        Store::Redis(server) => drop(server.cmd(&["FLUSHALL"])),
        Store::Local(dir) => std::fs::remove_file(dir.path().join("two.lock")).expect("there is a file"),
        // Forgets nothing.
        Store::Memory(_) => return None,
    }
    Some((first, ask().await))
}

/// A resource that remembers the largest fencing token and refuses smaller ones.
#[derive(Default)]
struct Checked(Mutex<(Option<FencingToken>, Vec<&'static str>)>);

impl Checked {
    fn write(&self, token: FencingToken, what: &'static str) -> bool {
        let mut state = self.0.lock().expect("no panic");
        let accepts = state.0 <= Some(token);
        if accepts {
            state.0 = Some(token);
            state.1.push(what);
        }
        accepts
    }
}

#[tokio::test]
async fn a_resource_that_checks_fencing_tokens_refuses_the_write_of_a_holder_that_was_overtaken() {
    for store in Store::all() {
        let Some((first, second)) = two_holders(&store).await else { continue };
        let old = first.fencing_token().await.expect("it was asked for before");
        let new = second.fencing_token().await.expect("a number");
        let resource = Checked::default();
        assert!(resource.write(old, "in time") && resource.write(new, "the successor's"));
        assert!(!resource.write(old, "too late"), "{}: {old} after {new}", store.name());
        assert!(resource.write(new, "the successor's again"));
        assert_eq!(resource.0.lock().expect("no panic").1.len(), 3);
    }
}

#[tokio::test]
async fn a_file_that_is_made_anew_or_not_at_all_is_made_once_by_two_holders() {
    for store in Store::all() {
        let Some((first, second)) = two_holders(&store).await else { continue };
        let outbox = TempDir::new();
        let made = [&first, &second].map(|_| {
            let reminder = outbox.path().join("invoice-4711");
            OpenOptions::new().write(true).create_new(true).open(reminder).is_ok()
        });
        assert_eq!(made, [true, false], "{}", store.name());
    }
}
