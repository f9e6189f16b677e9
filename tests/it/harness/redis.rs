//! Laws of the server.

use std::time::Duration;

use crate::support::redis::RedisServer;
use crate::support::resp::{Client, Reply};
use crate::support::{poll, port};

fn ok() -> Reply {
    Reply::Status("OK".to_owned())
}

#[test]
fn a_server_answers_as_soon_as_it_is_there() {
    let server = RedisServer::start();
    assert!(server.port() < 32_768);
    assert_eq!(server.url(), format!("redis://127.0.0.1:{}", server.port()));
    assert_eq!(server.cmd(&["SET", "a", "1", "PX", "5000"]), ok());
    assert_eq!(server.cmd(&["SET", "b", "x\0\r\ny"]), ok());
    assert_eq!(server.get("b").as_deref(), Some("x\0\r\ny"));
    assert_eq!(server.get("c"), None);
    assert_eq!(server.keys(), ["a", "b"]);
    assert!(server.pttl("a").is_some_and(|left| left > Duration::from_secs(4)));
    assert_eq!(server.pttl("b"), None);
    assert!(matches!(server.cmd(&["NONSENSE"]), Reply::Error(text) if text.starts_with("ERR unknown")));
    assert_eq!(server.cmd(&["MGET", "a", "c"]), Reply::Array(vec![Reply::Bulk("1".to_owned()), Reply::Nil]));
    assert_eq!(server.cmd(&["DEL", "a", "b"]), Reply::Int(2));
}

#[test]
fn two_servers_know_nothing_of_each_other() {
    let (one, other) = (RedisServer::start(), RedisServer::start());
    one.cmd(&["SET", "k", "v"]);
    assert_eq!(other.keys(), [""; 0]);
}

#[test]
fn a_stopped_server_answers_nothing_until_continued() {
    let server = RedisServer::start();
    let mut waiting = Client::connect(server.port()).expect("a server");
    server.stop();
    // The kernel accepts the connection and takes the request; nobody reads it.
    let gone = Client::connect(server.port()).expect("the kernel accepts");
    let mut gone = gone.with_patience(Duration::from_millis(100)).expect("a timeout");
    assert!(gone.cmd(&["SET", "late", "v"]).is_err());
    drop(gone);
    let answered = std::thread::spawn(move || waiting.cmd(&["GET", "late"]));
    assert_eq!(poll::find_within(Duration::from_millis(50), || answered.is_finished().then_some(())), None);
    server.cont();
    answered.join().expect("no panic").expect("an answer");
    // A request that nobody waits for any more is executed all the same.
    poll::until("the late SET", Duration::from_secs(5), || server.get("late").is_some());
}

#[test]
fn a_killed_server_refuses_connections_until_restarted() {
    let mut server = RedisServer::start();
    server.cmd(&["SET", "k", "v"]);
    server.kill();
    assert!(Client::connect(server.port()).is_err());
    let port = server.port();
    server.restart();
    assert_eq!((server.port(), server.keys().len()), (port, 0));
}

#[test]
fn a_restart_keeps_what_was_appended_and_an_empty_one_does_not() {
    let mut server = RedisServer::start_with(&["--appendonly", "yes"]);
    server.cmd(&["SET", "k", "v"]);
    server.restart();
    assert_eq!(server.get("k").as_deref(), Some("v"));
    server.restart_empty();
    assert_eq!(server.get("k"), None);
}

#[test]
fn a_dropped_server_is_gone_also_when_it_was_stopped() {
    let server = RedisServer::start();
    let port = server.port();
    server.stop();
    drop(server);
    assert!(Client::connect(port).is_err());
}

#[test]
fn commandstats_count_the_commands_of_others_and_not_the_observer() {
    let server = RedisServer::start();
    server.cmd(&["SET", "k", "v"]);
    server.config_resetstat();
    assert!(server.commandstats().is_empty());
    server.cmd(&["EVAL", "return redis.call('get', KEYS[1])", "1", "k"]);
    server.cmd(&["EVAL", "return 1", "0"]);
    let stats: Vec<(String, u64)> = server.commandstats().into_iter().collect();
    assert_eq!(stats, [("eval".to_owned(), 2), ("get".to_owned(), 1)]);
}

#[test]
fn a_port_is_handed_out_once() {
    let ports: std::collections::BTreeSet<u16> = (0..150).map(|_| port::free()).collect();
    assert_eq!(ports.len(), 150);
    assert!(ports.iter().all(|port| (1024..32_768).contains(port)));
}
