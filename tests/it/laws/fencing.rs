//! Fencing tokens grow with every grant, whatever the store forgets.

use std::time::Duration;

use dlock_runtime::{ErrorKind, FencingToken, Locks, Lost};

use super::calls::acquired;
use super::stores::{Store, locks};
use crate::support::redis::RedisServer;

const SOON: Duration = Duration::from_secs(20);

/// Takes the lock, asks for its number, and gives it back.
async fn one(locks: &Locks, key: &str) -> FencingToken {
    let lease = acquired(locks.lease(key).ttl(SOON).try_acquire().await);
    let token = lease.fencing_token().await.expect("a number");
    let _ = lease.release().await.expect("released");
    token
}

#[tokio::test]
async fn tokens_grow_from_grant_to_grant_and_one_lease_has_one() {
    for store in Store::all() {
        let (ours, theirs) = (store.locks(), store.locks());
        let mut last = None;
        for round in 0..20 {
            let locks = if round % 2 == 0 { &ours } else { &theirs };
            let lease = acquired(locks.lease("fencing:a").ttl(SOON).try_acquire().await);
            let token = lease.fencing_token().await.expect("a number");
            assert!(last < Some(token), "{}: {last:?} then {token}", store.name());
            assert_eq!(lease.fencing_token().await.expect("remembered"), token);
            assert!(i64::try_from(token.as_u64()).is_ok(), "it fits a signed column");
            last = Some(token);
            let _ = lease.release().await.expect("released");
        }
    }
}

#[tokio::test]
async fn a_lease_that_is_not_held_has_no_token() {
    let server = RedisServer::start();
    let lease = acquired(locks(&server.url()).lease("fencing:lost").ttl(SOON).try_acquire().await);
    server.cmd(&["SET", "fencing:lost", "foreign", "PX", "60000"]);
    let error = lease.fencing_token().await.expect_err("not ours");
    assert_eq!((error.kind(), error.lost()), (ErrorKind::Lost, Some(Lost::Taken)));
    assert!(!lease.is_held(), "what the store has said counts at once");
    let view = dlock_runtime::Lease::clone(&lease);
    drop(lease);
    assert!(view.fencing_token().await.is_err());
}

#[tokio::test]
async fn a_counter_that_was_lost_never_goes_back() {
    let mut server = RedisServer::start();
    let locks = locks(&server.url());
    let keys = ["fencing:plain", "fencing:{tag}", "fencing:}{"];
    let mut last = [None; 3];
    for round in 0..12 {
        for (key, last) in keys.iter().zip(&mut last) {
            let token = one(&locks, key).await;
            assert!(*last < Some(token), "{key} round {round}: {last:?} then {token}");
            *last = Some(token);
        }
        match round % 4 {
            0 => drop(server.cmd(&["FLUSHALL"])),
            1 => {
                server.kill();
                server.restart_empty();
            }
            2 if round > 4 => {
                let odd = ["-5", "not a number", "9223372036854775807"][round % 3];
                server.cmd(&["SET", "{fencing:plain}:fencing-w", odd]);
                server.cmd(&["HSET", "fencing:{tag}:fencing-t", "a", "b"]);
                server.cmd(&["SET", "\0fencing:}{", odd]);
            }
            2 => drop(server.cmd(&["DEL", "{fencing:plain}:fencing-w", "fencing:{tag}:fencing-t"])),
            _ => {}
        }
    }
    let left = server.pttl("{fencing:plain}:fencing-w").expect("a counter expires");
    assert!(left > Duration::from_secs(86_000) && left <= Duration::from_secs(86_400), "{left:?}");
}

#[tokio::test]
async fn a_hundred_thousand_acquisitions_over_restarts_strictly_grow() {
    const ROUNDS: usize = 10;
    const TASKS: usize = 50;
    const EACH: usize = 200;
    let mut server = RedisServer::start();
    let locks = locks(&server.url());
    let mut last: Vec<Option<FencingToken>> = vec![None; TASKS];
    for round in 0..ROUNDS {
        let tasks = last.into_iter().enumerate().map(|(n, mut last)| {
            let locks = locks.clone();
            tokio::spawn(async move {
                let key = format!("fencing:many:{n}");
                for _ in 0..EACH {
                    let token = one(&locks, &key).await;
                    assert!(last < Some(token), "{key} in round {round}: {last:?} then {token}");
                    last = Some(token);
                }
                last
            })
        });
        let tasks: Vec<_> = tasks.collect();
        last = Vec::new();
        for task in tasks {
            last.push(task.await.expect("no panic"));
        }
        server.kill();
        server.restart_empty();
    }
    assert_eq!(ROUNDS * TASKS * EACH, 100_000);
}

#[tokio::test]
async fn a_lock_file_that_was_deleted_does_not_make_tokens_go_back() {
    let dir = crate::support::temp::TempDir::new();
    let locks = Locks::from(dlock_runtime::Local::new(dir.path()).expect("a directory"));
    let first = one(&locks, "fenced").await;
    std::fs::remove_file(dir.path().join("fenced.lock")).expect("there is a file");
    let second = one(&locks, "fenced").await;
    let mut last = second;
    assert!(first < second, "{first} {second}");
    for spoilt in
        ["not a number", "+0000000000000000005\nx", "18446744073709551615\nx", "09223372036854775807\nx", ""]
    {
        std::fs::write(dir.path().join("fenced.lock"), spoilt).expect("written");
        let next = one(&locks, "fenced").await;
        assert!(last < next, "{last} then {next} after {spoilt:?}");
        last = next;
    }
}
