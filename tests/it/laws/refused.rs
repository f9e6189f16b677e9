//! The store says no, each time in a word of its own: an error with that word, in time, never a skip; and the next call
//! works once the condition is over.

use std::time::{Duration, Instant};

use dlock_runtime::{Error, ErrorKind, Locks, Lost, Redis, Released, singleton};

use super::calls::acquired;
use super::stores::locks;
use crate::support::poll;
use crate::support::proxy::{Mode, Proxy};
use crate::support::redis::RedisServer;
use crate::support::resp::{Client, Reply};

const SOON: Duration = Duration::from_secs(20);
const TTL: Duration = Duration::from_millis(900);
/// How long a refusal may take; what is documented is at most the store timeout of 2 s.
const DOCUMENTED: Duration = Duration::from_secs(3);

#[singleton(key = "refused:job", ttl = "30s")]
async fn job() -> Result<u8, Error> {
    Ok(1)
}

async fn runs(locks: &Locks) -> bool {
    matches!(locks.scope(job()).await, Some(Ok(1)))
}

/// The call is refused in time and in these words.
async fn is_refused(locks: &Locks, code: &str) {
    let begun = Instant::now();
    let error = locks.scope(job()).await.expect("never a silent None").expect_err("not run");
    assert!(begun.elapsed() < DOCUMENTED, "{code}: after {:?}", begun.elapsed());
    assert_eq!(error.kind(), ErrorKind::StoreRefused, "{error:?}");
    assert!(error.to_string().contains(code), "{code} is not in: {error}");
    assert_eq!(error.key(), Some("refused:job"));
}

/// Two callers are refused while the condition lasts, one that has been connected before it and one that has not; both
/// run when it is over.
async fn refuses(server: &RedisServer, code: &str, begin: impl AsyncFnOnce(), end: impl AsyncFnOnce()) {
    let (connected, fresh) = (locks(&server.url()), locks(&server.url()));
    assert!(runs(&connected).await, "before {code}");
    begin().await;
    for _ in 0..3 {
        is_refused(&connected, code).await;
        is_refused(&fresh, code).await;
    }
    end().await;
    for locks in [&connected, &fresh] {
        assert!(runs(locks).await, "after {code}");
    }
    assert_eq!(server.get("refused:job"), None, "after {code}");
}

fn ok(server: &RedisServer, words: &[&str]) {
    assert_eq!(server.cmd(words), Reply::Status("OK".to_owned()), "{words:?}");
}

#[tokio::test]
async fn a_key_beyond_the_users_rights_is_refused_with_noperm() {
    let server = RedisServer::start();
    let rights = |keys: &str| ok(&server, &["ACL", "SETUSER", "default", "resetkeys", keys]);
    let begin = async || rights("~other:*");
    refuses(&server, "NOPERM", begin, async || rights("~*")).await;
}

#[tokio::test]
async fn a_server_that_loads_its_data_refuses_with_loading() {
    let server = RedisServer::start_with(&[
        "--enable-debug-command",
        "yes",
        "--loading-process-events-interval-bytes",
        "1024",
    ]);
    ok(&server, &["DEBUG", "POPULATE", "20000"]);
    let port = server.port();
    let mut reload = None;
    let begin = async || {
        // Microseconds for each key: four seconds.
        ok(&server, &["CONFIG", "SET", "key-load-delay", "200"]);
        reload = Some(std::thread::spawn(move || {
            let client = Client::connect(port).and_then(|client| client.with_patience(SOON));
            client.and_then(|mut client| client.cmd(&["DEBUG", "RELOAD"]))
        }));
        let is_loading =
            || matches!(server.cmd(&["PING"]), Reply::Error(text) if text.starts_with("LOADING"));
        poll::until("the server to load", SOON, is_loading);
    };
    let end = async || {
        let is_over = || server.cmd(&["PING"]) == Reply::Status("PONG".to_owned());
        poll::until("the data to be loaded", SOON, is_over);
    };
    refuses(&server, "LOADING", begin, end).await;
    let reloaded = reload.expect("it was begun").join().expect("no panic").expect("an answer");
    assert_eq!(reloaded, Reply::Status("OK".to_owned()));
}

#[tokio::test]
async fn a_server_that_cannot_save_refuses_with_misconf() {
    let server = RedisServer::start_with(&["--dbfilename", "in-the-way"]);
    let Reply::Array(dir) = server.cmd(&["CONFIG", "GET", "dir"]) else { panic!("CONFIG GET is an array") };
    let in_the_way = std::path::Path::new(dir[1].text().expect("a folder")).join("in-the-way");
    let begin = async || {
        std::fs::create_dir(&in_the_way).expect("a folder in the place of the file");
        ok(&server, &["CONFIG", "SET", "save", "100000 100000"]);
        server.cmd(&["BGSAVE"]);
        poll::until("the save to fail", SOON, || {
            server
                .cmd(&["INFO", "persistence"])
                .text()
                .is_some_and(|info| info.contains("rdb_last_bgsave_status:err"))
        });
    };
    let end = async || ok(&server, &["CONFIG", "SET", "save", ""]);
    refuses(&server, "MISCONF", begin, end).await;
}

#[tokio::test]
async fn a_server_in_an_endless_script_refuses_with_busy() {
    let server = RedisServer::start_with(&["--busy-reply-threshold", "50"]);
    let port = server.port();
    let mut script = None;
    let begin = async || {
        script = Some(std::thread::spawn(move || {
            let client = Client::connect(port).and_then(|client| client.with_patience(SOON));
            let endless = "while true do redis.call('time') end";
            client.and_then(|mut client| client.cmd(&["EVAL", endless, "0"]))
        }));
        let is_busy = || matches!(server.cmd(&["PING"]), Reply::Error(text) if text.starts_with("BUSY"));
        poll::until("the server to be busy", SOON, is_busy);
    };
    let end = async || {
        ok(&server, &["SCRIPT", "KILL"]);
        let is_over = || server.cmd(&["PING"]) == Reply::Status("PONG".to_owned());
        poll::until("the script to end", SOON, is_over);
    };
    refuses(&server, "BUSY", begin, end).await;
    drop(script.expect("it was begun").join());
}

#[tokio::test]
async fn a_replica_without_its_master_refuses_with_masterdown() {
    let server = RedisServer::start();
    ok(&server, &["CONFIG", "SET", "replica-read-only", "no"]);
    ok(&server, &["CONFIG", "SET", "replica-serve-stale-data", "no"]);
    let begin = async || ok(&server, &["REPLICAOF", "127.0.0.1", "1"]);
    let end = async || ok(&server, &["REPLICAOF", "NO", "ONE"]);
    refuses(&server, "MASTERDOWN", begin, end).await;
}

#[tokio::test]
async fn a_server_that_wants_a_password_refuses_with_noauth_whoever_gives_none() {
    let server = RedisServer::start();
    let mut admin = Client::connect(server.port()).expect("a connection");
    let connected = locks(&server.url());
    assert!(runs(&connected).await);
    let set = ["CONFIG", "SET", "requirepass"];
    assert_eq!(
        admin.cmd(&[&set[..], &["hunter2"]].concat()).expect("an answer"),
        Reply::Status("OK".to_owned())
    );
    let fresh = locks(&server.url());
    for _ in 0..3 {
        is_refused(&fresh, "NOAUTH").await;
        // The server asks at the beginning of a connection.
        assert!(runs(&connected).await);
    }
    admin.cmd(&[&set[..], &[""]].concat()).expect("an answer");
    assert!(runs(&fresh).await, "after NOAUTH");
}

#[tokio::test]
async fn after_a_server_that_hung_the_next_call_works() {
    let server = RedisServer::start();
    let builder = Locks::builder(Redis::from_url(&server.url()).expect("a URL"));
    let hurried = builder.store_timeout(Duration::from_millis(300)).build();
    assert!(runs(&hurried).await);
    for _ in 0..2 {
        server.stop();
        let error = hurried.scope(job()).await.expect("never a silent None").expect_err("not run");
        assert_eq!(error.kind(), ErrorKind::StoreUnreachable, "{error:?}");
        server.cont();
        // What the first call may have left is given back first.
        poll::until_async("the next call to run", SOON, async || runs(&hurried).await).await;
    }
}

/// While answers are late, callers go away; the next caller on the same connection must not take their answers for its
/// own.
#[tokio::test]
async fn an_answer_to_a_call_that_was_given_up_is_not_taken_for_the_next_ones() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let here = locks(&proxy.url());
    let taken = acquired(locks(&server.url()).lease("refused:taken").ttl(SOON).try_acquire().await);
    let _ = acquired(here.lease("refused:warm").ttl(SOON).try_acquire().await).release().await;
    let monitor = server.monitor();
    for round in 0..4 {
        let (given_up, next) = match round % 2 {
            0 => ("refused:free", "refused:taken"),
            _ => ("refused:taken", "refused:free2"),
        };
        proxy.set(Mode::DelayReplies(Duration::from_millis(200)));
        let call = here.lease(given_up).ttl(SOON).try_acquire();
        assert!(tokio::time::timeout(Duration::from_millis(50), call).await.is_err());
        let answer = here.lease(next).ttl(SOON).try_acquire().await.expect("an answer");
        proxy.set(Mode::Pass);
        match answer {
            dlock_runtime::Acquire::Contended(contended) => {
                assert_eq!((next, contended.holder.as_ref()), ("refused:taken", Some(taken.holder())));
            }
            dlock_runtime::Acquire::Acquired(lease) => {
                assert_eq!(next, "refused:free2");
                let stored = server.get(next).expect("it is on the server");
                assert!(stored.starts_with(&lease.token().to_string()));
                assert_eq!(lease.release().await.expect("an answer"), Released::Freed);
            }
        }
    }
    let sets = monitor.all().into_iter().filter(|command| command.name() == "set");
    let sources: std::collections::BTreeSet<_> = sets.map(|command| command.source).collect();
    assert_eq!(sources.len(), 1, "all over one connection, or this has shown nothing");
    poll::until_async("what was given up to be freed", SOON, async || server.get("refused:free").is_none())
        .await;
    assert!(taken.is_held());
}

/// The same for a call that runs into the store timeout: its answer, too, is on its way when the next one asks.
#[tokio::test]
async fn an_answer_that_came_too_late_is_not_taken_for_the_next_calls() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let builder = Locks::builder(Redis::from_url(&proxy.url()).expect("a URL"));
    let hurried = builder.store_timeout(Duration::from_millis(150)).build();
    let taken = acquired(locks(&server.url()).lease("refused:taken").ttl(SOON).try_acquire().await);
    let _ = acquired(hurried.lease("refused:warm").ttl(SOON).try_acquire().await).release().await;
    for round in 0..4 {
        proxy.set(Mode::DelayReplies(Duration::from_millis(250)));
        let key = format!("refused:late:{round}");
        let error = hurried.lease(key.as_str()).ttl(SOON).try_acquire().await.expect_err("too late");
        assert_eq!(error.kind(), ErrorKind::StoreUnreachable);
        proxy.set(Mode::Pass);
        let asked = |answer| match answer {
            Ok(dlock_runtime::Acquire::Acquired(_)) => panic!("taken is granted twice"),
            Ok(dlock_runtime::Acquire::Contended(contended)) => Some(contended),
            Err(_) => None,
        };
        let mut told = None;
        poll::until_async("an answer", SOON, async || {
            told = asked(hurried.lease("refused:taken").ttl(SOON).try_acquire().await);
            told.is_some()
        })
        .await;
        assert_eq!(told.and_then(|told| told.holder).as_ref(), Some(taken.holder()));
        poll::until_async("the late grant to be given back", SOON, async || server.get(&key).is_none()).await;
    }
}

#[tokio::test]
async fn a_holder_from_before_the_memory_was_full_renews_and_releases() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let lease = acquired(locks.lease("refused:holder").ttl(TTL).try_acquire().await);
    ok(&server, &["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    ok(&server, &["CONFIG", "SET", "maxmemory", "1"]);
    is_refused(&locks, "OOM").await;
    tokio::time::sleep(TTL * 3).await;
    assert!(lease.is_held());
    assert_eq!(lease.release().await.expect("an answer"), Released::Freed);
    assert_eq!(server.get("refused:holder"), None);
    ok(&server, &["CONFIG", "SET", "maxmemory", "0"]);
    assert!(runs(&locks).await);
}

/// Renewals are refused, too, under these; what is refused is not known to be lost.
#[tokio::test]
async fn a_refusal_that_is_over_before_the_deadline_costs_no_lease() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let ttl = Duration::from_secs(2);
    let lease = acquired(locks.lease("refused:survivor").ttl(ttl).try_acquire().await);
    let conditions: [(&[&str], &[&str]); 2] = [
        (&["CONFIG", "SET", "min-replicas-to-write", "1"], &["CONFIG", "SET", "min-replicas-to-write", "0"]),
        (&["REPLICAOF", "127.0.0.1", "1"], &["REPLICAOF", "NO", "ONE"]),
    ];
    for (begin, end) in conditions {
        ok(&server, begin);
        tokio::time::sleep(ttl / 2).await;
        ok(&server, end);
        tokio::time::sleep(ttl).await;
        assert!(lease.is_held(), "after {begin:?}");
    }
    assert_eq!(lease.release().await.expect("an answer"), Released::Freed);
}

#[tokio::test]
async fn a_release_that_is_refused_is_made_up_for_and_never_masks_the_bodys_result() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let ran = locks.run("refused:release", SOON, |_| async {
        ok(&server, &["CONFIG", "SET", "min-replicas-to-write", "1"]);
        7
    });
    assert_eq!(ran.await.expect("an answer").ran(), Some(7));
    assert!(server.get("refused:release").is_some());
    ok(&server, &["CONFIG", "SET", "min-replicas-to-write", "0"]);
    poll::until_async("the release", SOON, async || server.get("refused:release").is_none()).await;
}

#[tokio::test]
async fn a_right_that_is_taken_away_while_a_lease_is_held_is_no_proof_that_the_key_is_anothers() {
    let server = RedisServer::start();
    server.cmd(&["ACL", "SETUSER", "holder", "reset", "on", ">pw", "~*", "+@all"]);
    let locks = locks(&format!("redis://holder:pw@127.0.0.1:{}", server.port()));
    let lease = acquired(locks.lease("refused:rights").ttl(Duration::from_secs(1)).try_acquire().await);
    server.cmd(&["ACL", "SETUSER", "holder", "-get"]);
    let fence = lease.fencing_token().await.expect_err("refused");
    assert_eq!(fence.kind(), ErrorKind::StoreRefused, "{fence:?}");
    assert!(lease.is_held());
    assert_eq!(lease.lost().await, Some(Lost::Expired), "refused renewals are no answer");
    let error = lease.release().await.expect_err("refused");
    assert_eq!(error.kind(), ErrorKind::StoreRefused, "{error:?}");
}

#[tokio::test]
async fn a_key_that_may_not_be_renewed_takes_no_other_lease_along() {
    let server = RedisServer::start();
    server.cmd(&["ACL", "SETUSER", "holder", "reset", "on", ">pw", "~*", "+@all"]);
    let locks = locks(&format!("redis://holder:pw@127.0.0.1:{}", server.port()));
    let allowed = acquired(locks.lease("refused:a:1").ttl(TTL).try_acquire().await);
    let forbidden = acquired(locks.lease("refused:b:1").ttl(TTL).try_acquire().await);
    server.cmd(&["ACL", "SETUSER", "holder", "resetkeys", "~refused:a:*"]);
    assert_eq!(forbidden.lost().await, Some(Lost::Expired));
    tokio::time::sleep(TTL * 2).await;
    assert!(allowed.is_held(), "it is renewed alone");
}
