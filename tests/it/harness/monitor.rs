//! Laws of the monitor.

use std::time::Duration;

use crate::support::monitor::Command;
use crate::support::poll;
use crate::support::redis::RedisServer;

fn words(commands: &[Command]) -> Vec<Vec<&str>> {
    commands.iter().map(|command| command.words.iter().map(String::as_str).collect()).collect()
}

#[test]
fn the_monitor_sees_commands_of_others() {
    let server = RedisServer::start();
    server.cmd(&["SET", "before", "v"]);
    let monitor = server.monitor();
    server.cmd(&["SET", "a \"b\"\\", "\n\x01é"]);
    server.cmd(&["PTTL", "none"]);
    let seen = monitor.all();
    assert_eq!(words(&seen), [vec!["SET", "a \"b\"\\", "\n\x01é"], vec!["PTTL", "none"]]);
    assert_eq!(seen[1].name(), "pttl");
    assert!(seen[0].at <= seen[1].at);
    // Looking twice is not seen.
    assert_eq!(monitor.all(), seen);
}

#[test]
fn the_monitor_tells_the_commands_of_a_script_from_those_of_clients() {
    let server = RedisServer::start();
    let monitor = server.monitor();
    server.cmd(&["EVAL", "return redis.call('get', KEYS[1])", "1", "k"]);
    let seen: Vec<(String, bool)> =
        monitor.all().iter().map(|command| (command.name(), command.is_from_script())).collect();
    assert_eq!(seen, [("eval".to_owned(), false), ("get".to_owned(), true)]);
}

#[test]
fn what_the_monitor_saw_outlives_the_server() {
    let mut server = RedisServer::start();
    let monitor = server.monitor();
    server.cmd(&["SET", "k", "v"]);
    poll::until("the SET", Duration::from_secs(5), || !monitor.so_far().is_empty());
    server.kill();
    assert_eq!(words(&monitor.so_far()), [["SET", "k", "v"]]);
}
