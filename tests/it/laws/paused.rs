//! The process itself is stopped, past its ttl, and wakes up again.

use std::time::Duration;

use crate::support::journal::{Journal, now};
use crate::support::poll;
use crate::support::probe::{Probe, Word};
use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(20);
const TTL: Duration = Duration::from_millis(800);

/// Returns how many lines the woken body still wrote.
fn one_round(runtime: &str) -> usize {
    let (server, dir) = (RedisServer::start(), TempDir::new());
    let path = dir.path().join("journal");
    let command = |steps: u32| {
        let command = Probe::at(&server.url(), "paused").set("ttl-ms", TTL.as_millis()).set("steps", steps);
        command.set("step-ms", 20).set("runtime", runtime).journal(&path)
    };
    let stopped = command(10_000).spawn();
    poll::until("the third step", SOON, || Journal::read(&path).entries.len() > 3);
    stopped.stop();
    let at = now();
    let next = command(150).set("calls", 1000).set("gap-ms", 10).spawn();
    let lines = || Journal::read(&path).entries.iter().filter(|entry| entry.pid == next.pid()).count();
    poll::until("another process to take over", SOON, || lines() > 0);
    assert!(
        now() - at < 2 * u64::try_from(TTL.as_nanos()).expect("small") + 1_000_000_000,
        "the takeover was late"
    );
    let since = |at: u64| Duration::from_nanos(now() - at);
    poll::until("twice the ttl", SOON, || since(at) >= TTL * 2);
    let value = server.get("accept:paused").expect("the next one's");
    let woken = now();
    stopped.cont();
    let outcome = stopped.outcome(1, SOON);
    assert!(matches!(outcome.word, Word::Lost | Word::Error), "{outcome:?}");
    while since(woken) < TTL {
        assert_eq!(
            server.get("accept:paused").as_deref(),
            Some(value.as_str()),
            "its successor's key is untouched"
        );
        assert!(server.pttl("accept:paused").expect("expires") > TTL / 8);
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(lines() < 152, "the successor was in its body all the time");
    Journal::read(&path).after(stopped.pid(), woken).len()
}

#[test]
fn a_process_stopped_for_twice_its_ttl_does_not_take_one_more_step() {
    let runtimes = ["current", "multi", "current", "multi"];
    let steps: Vec<usize> = std::thread::scope(|scope| {
        let rounds: Vec<_> = runtimes.iter().map(|runtime| scope.spawn(|| one_round(runtime))).collect();
        rounds.into_iter().map(|round| round.join().expect("no panic")).collect()
    });
    // A process may be stopped in the middle of a poll, which then goes on to its next await.
    assert!(steps.iter().sum::<usize>() <= 1, "steps after waking up: {steps:?}");
}
