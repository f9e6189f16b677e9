//! Laws of the proxy.

use std::time::{Duration, Instant};

use crate::support::poll;
use crate::support::proxy::{Mode, Proxy};
use crate::support::redis::RedisServer;
use crate::support::resp::{self, Client, Reply};

const SOON: Duration = Duration::from_secs(5);

/// How long to listen where no answer is to come.
const A_MOMENT: Duration = Duration::from_millis(100);

fn behind_a_proxy() -> (RedisServer, Proxy, Client) {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    let client = Client::connect(proxy.port()).expect("the proxy accepts");
    (server, proxy, client)
}

fn ok() -> Reply {
    Reply::Status("OK".to_owned())
}

#[test]
fn the_proxy_forwards_both_ways() {
    let (server, proxy, mut client) = behind_a_proxy();
    assert_eq!(proxy.url(), format!("redis://127.0.0.1:{}", proxy.port()));
    let long = "x".repeat(1 << 20);
    assert_eq!(client.cmd(&["SET", "k", &long]).expect("an answer"), ok());
    assert_eq!(client.cmd(&["GET", "k"]).expect("an answer"), Reply::Bulk(long.clone()));
    assert_eq!(server.get("k"), Some(long));
}

#[test]
fn the_proxy_cut_forwards_the_request_and_loses_the_answer() {
    let (server, proxy, mut client) = behind_a_proxy();
    proxy.set(Mode::Cut(1));
    assert!(client.cmd(&["INCR", "n"]).is_err());
    assert_eq!(server.get("n").as_deref(), Some("1"));
    assert_eq!(proxy.mode(), Mode::Pass);
    let mut next = Client::connect(proxy.port()).expect("the proxy accepts");
    assert_eq!(next.cmd(&["INCR", "n"]).expect("an answer"), Reply::Int(2));
}

#[test]
fn a_blackhole_forwards_nothing_until_it_is_gone() {
    let (server, proxy, mut client) = behind_a_proxy();
    proxy.set(Mode::Blackhole);
    let late = Client::connect(proxy.port()).expect("connections are accepted");
    let mut late = late.with_patience(A_MOMENT).expect("a timeout");
    assert!(late.cmd(&["SET", "k", "v"]).is_err());
    let waiting = std::thread::spawn(move || client.cmd(&["PING"]));
    assert_eq!(server.get("k"), None);
    proxy.set(Mode::Pass);
    assert_eq!(waiting.join().expect("no panic").expect("an answer"), Reply::Status("PONG".to_owned()));
    poll::until("the late SET", SOON, || server.get("k").is_some());
}

#[test]
fn a_blackhole_hides_that_a_client_has_closed() {
    let (server, proxy, mut client) = behind_a_proxy();
    client.cmd(&["CLIENT", "SETNAME", "gone"]).expect("an answer");
    let is_listed = || server.cmd(&["CLIENT", "LIST"]).text().is_some_and(|list| list.contains("name=gone"));
    proxy.set(Mode::Blackhole);
    drop(client);
    assert_eq!(poll::find_within(Duration::from_millis(50), || (!is_listed()).then_some(())), None);
    proxy.set(Mode::Pass);
    poll::until("the server sees the end", SOON, || !is_listed());
}

#[test]
fn a_delayed_answer_comes_late_and_the_request_does_not() {
    let (server, proxy, mut client) = behind_a_proxy();
    let delay = Duration::from_secs(1);
    proxy.set(Mode::DelayReplies(delay));
    let asked = Instant::now();
    let waiting = std::thread::spawn(move || (client.cmd(&["SET", "k", "v"]), asked.elapsed()));
    poll::until("the SET", SOON, || server.get("k").is_some());
    assert!(!waiting.is_finished(), "the answer came with the request");
    let (answer, after) = waiting.join().expect("no panic");
    assert_eq!(answer.expect("an answer"), ok());
    assert!(after >= delay, "answered after {after:?}");
}

#[test]
fn a_swallowed_answer_is_lost_and_the_connection_stays() {
    let (server, proxy, client) = behind_a_proxy();
    let mut client = client.with_patience(A_MOMENT).expect("a timeout");
    proxy.set(Mode::SwallowReplies(1));
    assert!(client.cmd(&["INCR", "n"]).is_err());
    assert_eq!(server.get("n").as_deref(), Some("1"));
    let mut client = client.with_patience(SOON).expect("a timeout");
    assert_eq!(client.cmd(&["INCR", "n"]).expect("the connection is open"), Reply::Int(2));
}

#[test]
fn a_reset_closes_what_is_open_and_accepts_what_comes() {
    let (_server, proxy, mut client) = behind_a_proxy();
    client.cmd(&["PING"]).expect("an answer");
    proxy.reset();
    assert!(client.cmd(&["PING"]).is_err());
    let mut next = Client::connect(proxy.port()).expect("the proxy accepts");
    next.cmd(&["PING"]).expect("an answer");
}

#[test]
fn a_rewritten_request_never_reaches_the_server() {
    let (server, proxy, mut client) = behind_a_proxy();
    proxy.rewrite(|chunk| {
        let request = resp::requests(chunk).pop()?;
        let has = |word: &str| request.iter().any(|other| other.eq_ignore_ascii_case(word));
        (has("SET") && has("NX") && has("GET")).then(|| b"-ERR syntax error\r\n".to_vec())
    });
    let refused = client.cmd(&["SET", "k", "v", "NX", "PX", "1000", "GET"]).expect("an answer");
    assert_eq!(refused, Reply::Error("ERR syntax error".to_owned()));
    assert_eq!(client.cmd(&["SET", "k", "v", "NX"]).expect("an answer"), ok());
    assert_eq!(server.keys(), ["k"]);
    proxy.rewrite_nothing();
    assert_eq!(client.cmd(&["SET", "k", "w", "NX", "GET"]).expect("an answer"), Reply::Bulk("v".to_owned()));
}

#[test]
fn an_answer_of_no_bytes_swallows_the_request() {
    let (server, proxy, client) = behind_a_proxy();
    let mut client = client.with_patience(A_MOMENT).expect("a timeout");
    proxy.rewrite(|_chunk| Some(Vec::new()));
    assert!(client.cmd(&["SET", "k", "v"]).is_err());
    proxy.rewrite_nothing();
    let mut client = client.with_patience(SOON).expect("a timeout");
    assert_eq!(client.cmd(&["GET", "k"]).expect("the connection is open"), Reply::Nil);
    assert_eq!(server.get("k"), None);
}

#[test]
fn a_dropped_proxy_refuses_connections() {
    let (_server, proxy, mut client) = behind_a_proxy();
    let port = proxy.port();
    proxy.set(Mode::Blackhole);
    drop(proxy);
    assert!(client.cmd(&["PING"]).is_err());
    // A child that another test starts at this moment has the listener, too, until it becomes its program.
    poll::until("connections are refused", SOON, || Client::connect(port).is_err());
}

#[test]
fn a_proxy_without_its_server_closes_connections() {
    let (mut server, proxy, mut client) = behind_a_proxy();
    server.kill();
    assert!(client.cmd(&["PING"]).is_err());
    let mut next = Client::connect(proxy.port()).expect("the proxy accepts");
    assert!(next.cmd(&["PING"]).is_err());
    server.restart();
    Client::connect(proxy.port()).and_then(|mut client| client.cmd(&["PING"])).expect("an answer");
}
