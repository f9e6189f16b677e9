//! What goes over the wire to Redis, and what other clients see.

use std::time::Duration;

use dlock_runtime::{Acquire, Locks, singleton};

use super::calls::acquired;
use super::stores::locks;
use crate::support::proxy::Proxy;
use crate::support::redis::RedisServer;
use crate::support::resp::{Reply, requests};

#[singleton(key = "wire:job", ttl = "30s")]
async fn job() -> u8 {
    1
}

#[tokio::test]
async fn the_value_is_a_uuid_v4_and_the_holder_and_the_ttl_is_exact() {
    let server = RedisServer::start();
    let locks = Locks::builder(dlock_runtime::Redis::from_url(&server.url()).expect("a URL"))
        .holder("worker-7")
        .build();
    for ms in [1500_u64, 2000, 60_000, 3_600_000, 86_400_000, 365 * 86_400_000] {
        let monitor = server.monitor();
        let lease = acquired(locks.lease("wire:value").ttl(Duration::from_millis(ms)).try_acquire().await);
        let value = server.get("wire:value").expect("stored");
        let (token, holder) = value.split_once('@').expect("token@holder");
        assert_eq!((token.len(), token.as_bytes()[14]), (36, b'4'), "a UUID v4: {token}");
        assert_eq!(token, lease.token().to_string());
        assert_eq!(holder, lease.holder().as_str());
        assert!(holder.ends_with(&format!("/{}/worker-7", std::process::id())), "{holder}");
        let left = server.pttl("wire:value").expect("it expires");
        assert!(
            left <= Duration::from_millis(ms) && left > Duration::from_millis(ms - 1000),
            "{left:?} of {ms} ms"
        );
        let set = monitor.all().into_iter().find(|command| command.name() == "set").expect("a SET");
        assert_eq!(set.words[3..], ["NX", "PX", &ms.to_string(), "GET"]);
        assert_eq!(lease.release().await.expect("released"), dlock_runtime::Released::Freed);
        assert_eq!(server.get("wire:value"), None);
    }
}

#[tokio::test]
async fn the_largest_ttl_renews_less_than_three_times_in_its_first_second() {
    let server = RedisServer::start();
    let lease =
        acquired(locks(&server.url()).lease("wire:long").ttl(dlock_runtime::Ttl::MAX).try_acquire().await);
    server.config_resetstat();
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(scripts(&server), 0);
    drop(lease);
}

#[tokio::test]
async fn a_run_is_two_commands_a_skip_one_and_there_is_no_ping() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    // Connects, and makes the server know the script.
    assert_eq!(locks.scope(job()).await, Some(1));
    server.config_resetstat();
    for _ in 0..100 {
        assert_eq!(locks.scope(job()).await, Some(1));
    }
    let mut expected =
        std::collections::BTreeMap::from([("set", 100), ("evalsha", 100), ("get", 100), ("del", 100)]);
    // The two that the script calls are inside the server.
    assert_eq!(sent(&server), expected.iter().map(|(name, calls)| ((*name).to_owned(), *calls)).collect());

    let lease = acquired(locks.lease("wire:job").ttl(Duration::from_secs(30)).try_acquire().await);
    server.config_resetstat();
    for _ in 0..100 {
        assert_eq!(locks.scope(job()).await, None);
    }
    expected.retain(|name, _| *name == "set");
    assert_eq!(sent(&server), expected.iter().map(|(name, calls)| ((*name).to_owned(), *calls)).collect());
    drop(lease);
}

/// Commands by name, without what the test's own look at them costs.
fn sent(server: &RedisServer) -> std::collections::BTreeMap<String, u64> {
    let own = |name: &str| name.starts_with("info") || name.starts_with("config");
    server.commandstats().into_iter().filter(|(name, _)| !own(name)).collect()
}

fn scripts(server: &RedisServer) -> u64 {
    server.commandstats().iter().filter(|(name, _)| name.starts_with("eval")).map(|(_, calls)| *calls).sum()
}

#[tokio::test]
async fn another_clients_value_excludes_us_and_is_never_deleted_or_extended() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    // What redis-py's Lock and every blog post do.
    assert_eq!(
        server.cmd(&["SET", "wire:job", "c0ffee", "NX", "PX", "60000"]),
        Reply::Status("OK".to_owned())
    );
    for _ in 0..5 {
        assert_eq!(locks.scope(job()).await, None);
    }
    assert_eq!(server.get("wire:job").as_deref(), Some("c0ffee"));
    assert!(server.pttl("wire:job").expect("expires") <= Duration::from_secs(60));
    // And we exclude it.
    server.cmd(&["DEL", "wire:job"]);
    let lease = acquired(locks.lease("wire:job").ttl(Duration::from_secs(30)).try_acquire().await);
    assert_eq!(server.cmd(&["SET", "wire:job", "c0ffee", "NX", "PX", "60000"]), Reply::Nil);
    drop(lease);
}

#[tokio::test]
async fn a_key_of_another_type_is_contended() {
    let server = RedisServer::start();
    server.cmd(&["HSET", "wire:job", "owner", "1"]);
    assert_eq!(locks(&server.url()).scope(job()).await, None);
    assert_eq!(server.cmd(&["HGET", "wire:job", "owner"]), Reply::Bulk("1".to_owned()));
}

#[tokio::test]
async fn a_server_that_refuses_nx_with_get_is_asked_in_two_steps() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    proxy.rewrite(refusing_nx_with_get);
    let locks = locks(&proxy.url());
    assert_eq!(locks.scope(job()).await, Some(1));
    let lease = acquired(locks.lease("wire:job").ttl(Duration::from_secs(30)).try_acquire().await);
    let again = locks.lease("wire:job").ttl(Duration::from_secs(30)).try_acquire().await;
    let Ok(Acquire::Contended(contended)) = again else { panic!("granted twice") };
    assert_eq!(contended.holder.as_ref(), Some(lease.holder()));
}

#[tokio::test]
async fn resp3_is_the_same() {
    let server = RedisServer::start();
    let locks = locks(&format!("{}?protocol=resp3", server.url()));
    assert_eq!(locks.scope(job()).await, Some(1));
    let lease = acquired(locks.lease("wire:job").ttl(Duration::from_millis(300)).try_acquire().await);
    assert_eq!(locks.scope(job()).await, None);
    tokio::time::sleep(Duration::from_millis(600)).await;
    assert!(lease.is_held(), "renewed over RESP3");
}

/// What a server before Redis 7 answers.
pub(super) fn refusing_nx_with_get(chunk: &[u8]) -> Option<Vec<u8>> {
    let modern = |words: &Vec<String>| words[0] == "SET" && words.last().is_some_and(|last| last == "GET");
    requests(chunk).iter().any(modern).then(|| b"-ERR syntax error\r\n".to_vec())
}
