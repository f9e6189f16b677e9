//! Between two calls the server forgets, restarts, or the runtime changes: the next call works.

use std::time::Duration;

use dlock_runtime::{Locks, singleton};

use super::calls::acquired;
use super::stores::{Store, locks};
use crate::support::proxy::Proxy;
use crate::support::redis::RedisServer;
use crate::support::resp::requests;

const SOON: Duration = Duration::from_secs(20);

#[singleton(key = "servers:job", ttl = "5s")]
async fn job() -> u8 {
    1
}

#[tokio::test]
async fn after_script_flush_and_after_a_restart_the_next_call_works() {
    let mut server = RedisServer::start();
    let locks = locks(&server.url());
    for round in 0..3 {
        assert_eq!(locks.scope(job()).await, Some(1), "round {round}");
        server.cmd(&["SCRIPT", "FLUSH"]);
        assert_eq!(locks.scope(job()).await, Some(1), "after SCRIPT FLUSH");
        assert_eq!(server.get("servers:job"), None, "and was released");
        server.kill();
        server.restart();
    }
    assert_eq!(locks.scope(job()).await, Some(1));
    server.cmd(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
    assert_eq!(locks.scope(job()).await, Some(1), "after CLIENT KILL");
    assert_eq!(server.get("servers:job"), None);
}

#[test]
fn one_runtime_per_test_with_one_locks_works() {
    for store in Store::all() {
        let locks = store.locks();
        let mut parked = Vec::new();
        for round in 0..100 {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            assert_eq!(runtime.block_on(locks.scope(job())), Some(1), "{} round {round}", store.name());
            // Some live on without being driven.
            if round % 10 == 0 {
                parked.push(runtime);
            }
        }
        for runtime in &parked {
            assert_eq!(runtime.block_on(locks.scope(job())), Some(1), "{}", store.name());
        }
    }
}

#[tokio::test]
async fn a_pool_that_the_user_configures_is_enough() {
    let server = RedisServer::start();
    let pool =
        deadpool_redis::Config::from_url(server.url()).create_pool(Some(deadpool_redis::Runtime::Tokio1));
    let pool = pool.expect("a pool");
    // All of the pool's own connections are busy: locks do not wait for them.
    let mut busy = Vec::new();
    for _ in 0..pool.status().max_size {
        busy.push(pool.get().await.expect("a connection"));
    }
    let locks = Locks::from(pool);
    assert_eq!(locks.scope(job()).await, Some(1));
    drop(busy);
}

#[tokio::test]
async fn sixty_four_tasks_share_one_connection() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let tasks: Vec<_> = (0..64)
        .map(|n| {
            let locks = locks.clone();
            tokio::spawn(async move {
                for round in 0..20 {
                    let lease =
                        acquired(locks.lease(format!("servers:{n}:{round}")).ttl(SOON).try_acquire().await);
                    let _ = lease.release().await.expect("released");
                }
            })
        })
        .collect();
    for task in tasks {
        task.await.expect("no panic");
    }
    let clients = server.cmd(&["CLIENT", "LIST", "TYPE", "normal"]);
    let clients = clients.text().expect("a list").lines().count();
    // Ours, the watchdog's, and the one that asks.
    assert!(clients <= 3, "{clients} connections");
    assert_eq!(server.keys(), Vec::<String>::new());
}

#[tokio::test]
async fn a_connection_that_breaks_before_its_first_answer_is_replaced() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    // The first script that is asked for on a connection is the question for rights.
    let broken = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
    let (seen, proxy) = (std::sync::Arc::clone(&broken), std::sync::Arc::new(proxy));
    let cutter = std::sync::Arc::downgrade(&proxy);
    proxy.rewrite(move |chunk| {
        let asks = requests(chunk).iter().any(|words| words[0] == "EVAL");
        if asks && !seen.swap(true, std::sync::atomic::Ordering::SeqCst) {
            let cutter = cutter.clone();
            std::thread::spawn(move || cutter.upgrade().inspect(|proxy| proxy.reset()));
            return Some(Vec::new());
        }
        None
    });
    let locks = locks(&proxy.url());
    assert_eq!(locks.scope(job()).await, Some(1), "asked again on a new connection");
    assert!(broken.load(std::sync::atomic::Ordering::SeqCst));
    assert_eq!(locks.scope(job()).await, Some(1));
}
