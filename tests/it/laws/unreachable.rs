//! The store cannot be asked: an error in time, never a silent `None` and never a hang.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use dlock_runtime::{Error, ErrorKind, Locks, singleton};

use super::calls::acquired;
use super::stores::locks;
use crate::support::proxy::Proxy;
use crate::support::redis::RedisServer;
use crate::support::resp::requests;
use crate::support::{events, poll, port};

const SOON: Duration = Duration::from_secs(20);
/// What is documented: `DEFAULT_STORE_TIMEOUT` for each of at most two tries.
const DOCUMENTED: Duration = Duration::from_secs(4);

#[singleton(key = "unreachable:job", ttl = "30s")]
async fn job() -> Result<u8, Error> {
    Ok(1)
}

#[singleton(key = "unreachable:silent", ttl = "30s")]
async fn infallible() -> u8 {
    1
}

#[singleton(key = "unreachable:job", ttl = "30s", on_error = "run")]
async fn run_anyhow() -> u8 {
    assert!(dlock_runtime::Lease::current().is_none());
    1
}

#[singleton(key = "unreachable:silent", ttl = "30s", on_error = "skip")]
async fn skipping() -> Result<u8, Error> {
    Ok(1)
}

/// Asks through each kind of function, and returns the error of the one that returns it.
async fn ask(locks: &Locks) -> Error {
    let begun = Instant::now();
    let error = locks.scope(job()).await.expect("never a silent None").expect_err("not run");
    assert!(begun.elapsed() < DOCUMENTED + Duration::from_secs(1), "after {:?}", begun.elapsed());
    error
}

#[tokio::test]
async fn a_closed_port_is_an_error_at_once() {
    let locks = locks(&format!("redis://127.0.0.1:{}", port::free()));
    let begun = Instant::now();
    let error = ask(&locks).await;
    assert_eq!(error.kind(), ErrorKind::StoreUnreachable);
    assert!(begun.elapsed() < Duration::from_secs(2));
    assert_eq!(error.key(), Some("unreachable:job"));
    assert!(std::error::Error::source(&error).is_some());
}

#[tokio::test]
async fn a_stopped_server_and_one_that_accepts_and_is_silent_are_errors_in_the_documented_time() {
    let server = RedisServer::start();
    server.stop();
    assert_eq!(ask(&locks(&server.url())).await.kind(), ErrorKind::StoreUnreachable);
    let tarpit = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("redis://{}", tarpit.local_addr().expect("an address"));
    assert_eq!(ask(&locks(&url)).await.kind(), ErrorKind::StoreUnreachable);
}

#[tokio::test]
async fn an_infallible_function_is_none_with_an_error_event() {
    let locks = locks(&format!("redis://127.0.0.1:{}", port::free()));
    let key = "unreachable:silent";
    let before = events::count(key, "ERROR", "failed");
    assert_eq!(locks.scope(infallible()).await, None);
    assert_eq!(events::count(key, "ERROR", "failed"), before + 1);
    assert!(locks.scope(skipping()).await.is_none());
    assert_eq!(events::count(key, "ERROR", "failed"), before + 2);
}

#[tokio::test]
async fn on_error_run_runs_the_body_without_the_lock_and_only_then() {
    assert_eq!(locks(&format!("redis://127.0.0.1:{}", port::free())).scope(run_anyhow()).await, Some(1));
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let lease = acquired(locks.lease("unreachable:job").ttl(SOON).try_acquire().await);
    assert_eq!(locks.scope(run_anyhow()).await, None, "contended is no error");
    drop(lease);
}

#[tokio::test]
async fn a_set_that_timed_out_and_was_executed_later_is_removed() {
    let server = RedisServer::start();
    let locks = Locks::builder(dlock_runtime::Redis::from_url(&server.url()).expect("a URL"));
    let locks = locks.store_timeout(Duration::from_millis(300)).build();
    let _ = acquired(locks.lease("unreachable:warm").ttl(SOON).try_acquire().await).release().await;
    let monitor = server.monitor();
    for pause in [true, false] {
        if pause {
            server.cmd(&["CLIENT", "PAUSE", "700", "WRITE"]);
        } else {
            server.stop();
        }
        let error = locks.lease("unreachable:ghost").ttl(SOON).try_acquire().await.expect_err("no answer");
        assert_eq!(error.kind(), ErrorKind::StoreUnreachable);
        if !pause {
            server.cont();
        }
        let next = || async { locks.lease("unreachable:ghost").ttl(SOON).try_acquire().await };
        poll::until_async("the ghost to be gone", SOON, async || match next().await {
            Ok(dlock_runtime::Acquire::Acquired(lease)) => lease.release().await.is_ok(),
            _ => false,
        })
        .await;
    }
    let sets = monitor
        .all()
        .iter()
        .filter(|command| command.name() == "set" && command.words[1] == "unreachable:ghost")
        .count();
    assert!(sets >= 2, "the server did get what had timed out: {sets}");
}

#[tokio::test]
async fn a_servers_refusal_is_an_error_with_its_code_and_the_next_call_works_when_it_is_over() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    type Words = &'static [&'static [&'static str]];
    let cases: [(Words, &str, Words); 3] = [
        (
            &[&["CONFIG", "SET", "maxmemory-policy", "noeviction"], &["CONFIG", "SET", "maxmemory", "1"]],
            "OOM",
            &[&["CONFIG", "SET", "maxmemory", "0"]],
        ),
        (&[&["REPLICAOF", "127.0.0.1", "1"]], "READONLY", &[&["REPLICAOF", "NO", "ONE"]]),
        (
            &[&["CONFIG", "SET", "min-replicas-to-write", "1"]],
            "NOREPLICAS",
            &[&["CONFIG", "SET", "min-replicas-to-write", "0"]],
        ),
    ];
    for (set, code, undo) in cases {
        set.iter().for_each(|words| drop(server.cmd(words)));
        let error = ask(&locks).await;
        assert_eq!(error.kind(), ErrorKind::StoreRefused, "{error:?}");
        assert!(error.to_string().contains(code), "{error}");
        undo.iter().for_each(|words| drop(server.cmd(words)));
        assert_eq!(locks.scope(job()).await.expect("ran").expect("the body's own"), 1, "after {code}");
    }
}

#[tokio::test]
async fn a_user_without_rights_is_refused_and_wrong_credentials_are_and_no_secret_is_shown() {
    let server = RedisServer::start();
    server.cmd(&["ACL", "SETUSER", "other", "on", ">hunter2", "~other:*", "+@all"]);
    let url = |user: &str| format!("redis://{user}@127.0.0.1:{}", server.port());
    for (user, code) in [("other:hunter2", "NOPERM"), ("other:hunter22", "credentials")] {
        let locks = locks(&url(user));
        let error = ask(&locks).await;
        assert_eq!(error.kind(), ErrorKind::StoreRefused, "{error:?}");
        assert!(error.to_string().contains(code), "{error}");
        let mut shown = format!("{error} {error:?} {locks:?}");
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            shown.push_str(&format!(" {cause} {cause:?}"));
            source = cause.source();
        }
        assert!(!shown.contains("hunter2"), "{shown}");
    }
}

#[tokio::test]
async fn a_user_that_could_take_a_lock_but_not_release_it_takes_none() {
    let server = RedisServer::start();
    for missing in ["-evalsha", "-eval", "-get", "-del", "-pexpire"] {
        server.cmd(&["ACL", "SETUSER", "limited", "reset", "on", ">pw", "~*", "+@all", missing]);
        let error = ask(&locks(&format!("redis://limited:pw@127.0.0.1:{}", server.port()))).await;
        assert_eq!(error.kind(), ErrorKind::StoreRefused, "{error:?}");
        assert!(error.to_string().contains("NOPERM"), "{error}");
        assert!(error.to_string().contains(missing.trim_start_matches('-')), "the command is named: {error}");
        assert_eq!(server.keys(), Vec::<String>::new(), "{missing}");
    }
}

/// What docs/redis.md says is enough.
#[tokio::test]
async fn the_documented_rights_are_enough() {
    let server = RedisServer::start();
    let rights = include_str!("../../../docs/redis.md");
    let rights =
        rights.lines().find(|line| line.starts_with("ACL SETUSER dlock")).expect("the documented line");
    server.cmd(&rights.replace("<password>", "pw").split_whitespace().collect::<Vec<_>>());
    let locks = Locks::builder(
        dlock_runtime::Redis::from_url(&format!("redis://dlock:pw@127.0.0.1:{}", server.port()))
            .expect("a URL"),
    );
    let locks = locks.namespace("jobs").build();
    assert_eq!(locks.scope(job()).await.expect("ran").expect("the body's own"), 1);
    let lease =
        acquired(locks.lease("acl").ttl(Duration::from_millis(300)).min_hold(SOON).try_acquire().await);
    poll::until_async("a renewal", SOON, async || server.commandstats().contains_key("pexpire")).await;
    assert!(lease.fencing_token().await.is_ok());
    assert_eq!(lease.release().await.expect("released"), dlock_runtime::Released::Freed);
    let denied = server.cmd(&["ACL", "LOG"]);
    let denied = format!("{denied:?}");
    assert!(!denied.contains("get") && !denied.contains("eval") && !denied.contains("expire"), "{denied}");
}

#[tokio::test]
async fn a_server_that_repeats_what_it_was_sent_does_not_make_us_show_a_password() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    // What a server without HELLO answers.
    proxy.rewrite(|chunk| {
        let hello = requests(chunk).iter().any(|words| words[0].eq_ignore_ascii_case("HELLO"));
        let echo =
            "-ERR unknown command 'HELLO', with args beginning with: '3' 'AUTH' 'default' 'hunter2'\r\n";
        hello.then(|| echo.as_bytes().to_vec())
    });
    let locks = locks(&format!("redis://:hunter2@127.0.0.1:{}?protocol=resp3", proxy.port()));
    let key = "unreachable:job";
    assert_eq!(events::count(key, "ERROR", "hunter2"), 0);
    let error = ask(&locks).await;
    let mut shown = format!("{error} {error:?}");
    let mut source = std::error::Error::source(&error);
    while let Some(cause) = source {
        shown.push_str(&format!(" {cause} {cause:?}"));
        source = cause.source();
    }
    assert!(!shown.contains("hunter2"), "{shown}");
    assert_eq!(events::count(key, "ERROR", "hunter2"), 0, "{:?}", events::about(key));
}

#[tokio::test]
async fn many_calls_to_a_silent_server_share_few_attempts_to_connect() {
    let tarpit = TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("redis://{}", tarpit.local_addr().expect("an address"));
    let locks = locks(&url);
    let calls: Vec<_> = (0..200)
        .map(|n| {
            let locks = locks.clone();
            tokio::spawn(
                async move { locks.lease(format!("herd:{n}")).ttl(SOON).try_acquire().await.is_err() },
            )
        })
        .collect();
    for call in calls {
        assert!(call.await.expect("no panic"));
    }
    tarpit.set_nonblocking(true).expect("a socket option");
    let accepted = std::iter::from_fn(|| tarpit.accept().ok()).count();
    // Two at a time, each given up by the driver after a second, for the documented two seconds.
    assert!(accepted <= 8, "{accepted} connections for 200 calls");
}
