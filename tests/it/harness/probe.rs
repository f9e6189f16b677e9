//! Laws of the probe.

use std::time::{Duration, Instant};

use crate::support::journal::{Journal, Mark};
use crate::support::poll;
use crate::support::probe::{Probe, Word};
use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(10);

fn local(dir: &TempDir) -> String {
    format!("local:{}", dir.path().join("locks").display())
}

#[test]
fn a_probe_tells_what_came_of_each_call_and_the_journal_agrees() {
    let (server, dir) = (RedisServer::start(), TempDir::new());
    let path = dir.path().join("journal");
    let command = Probe::at(&server.url(), "a").set("ttl-ms", 2000).set("steps", 3).set("step-ms", 5);
    let mut probe = command.set("calls", 2).set("gap-ms", 5).journal(&path).spawn();
    let outcome = probe.outcome(2, SOON);
    assert_eq!((outcome.call, outcome.word, outcome.detail.as_str()), (2, Word::Ran, "3"));
    assert!(probe.wait(SOON).success(), "{}", probe.stderr());
    assert_eq!(probe.outcomes().iter().map(|outcome| outcome.call).collect::<Vec<_>>(), [1, 2]);
    let journal = Journal::read(&path);
    let marks: Vec<Mark> = journal.entries.iter().map(|entry| entry.mark).collect();
    let run = [Mark::Start, Mark::Step(1), Mark::Step(2), Mark::Step(3), Mark::End];
    assert_eq!(marks, [run, run].concat());
    assert!(journal.calls().iter().all(|call| call.pid == probe.pid()));
}

#[test]
fn a_second_probe_skips_and_takes_over_from_a_killed_one() {
    let dir = TempDir::new();
    let path = dir.path().join("journal");
    let mut first = Probe::at(&local(&dir), "b").set("steps", 1000).journal(&path).spawn();
    poll::until("the first body", SOON, || !Journal::read(&path).entries.is_empty());
    let second = Probe::at(&local(&dir), "b").set("runtime", "multi").set("calls", 1000).set("gap-ms", 5);
    let second = second.set("step-ms", 1).set("linger-ms", 60_000).spawn();
    assert_eq!(second.outcome(1, SOON).word, Word::Skipped);
    first.kill();
    let took_over = || second.outcomes().iter().any(|outcome| outcome.word == Word::Ran);
    poll::until("the second takes over", SOON, took_over);
}

#[test]
fn a_stopped_probe_writes_nothing_until_continued() {
    let dir = TempDir::new();
    let path = dir.path().join("journal");
    let probe = Probe::at(&local(&dir), "c").set("steps", 100_000).set("step-ms", 1).journal(&path);
    let probe = probe.flag("blocking").spawn();
    poll::until("the first steps", SOON, || Journal::read(&path).entries.len() > 3);
    probe.stop();
    let stopped = Journal::read(&path);
    assert_eq!(
        poll::find_within(Duration::from_millis(50), || (Journal::read(&path) != stopped).then_some(())),
        None
    );
    probe.cont();
    poll::until("the next line", SOON, || Journal::read(&path) != stopped);
}

#[test]
fn a_body_that_fails_and_a_store_that_is_away_are_errors() {
    let (mut server, dir) = (RedisServer::start(), TempDir::new());
    let failing = Probe::at(&local(&dir), "d").flag("fail").set("min-hold-ms", 1).spawn();
    let outcome = failing.outcome(1, SOON);
    assert_eq!((outcome.word, outcome.detail.as_str()), (Word::Error, "the body failed"));
    server.kill();
    let begun = Instant::now();
    let outcome = Probe::at(&server.url(), "d").spawn().outcome(1, SOON);
    assert_eq!(outcome.word, Word::Error, "{outcome:?} after {:?}", begun.elapsed());
}

#[test]
fn a_key_that_is_taken_away_is_lost() {
    let server = RedisServer::start();
    let probe = Probe::at(&server.url(), "e").set("ttl-ms", 300).set("steps", 1000).spawn();
    let key = poll::value("the key", SOON, || server.keys().pop());
    server.cmd(&["DEL", &key]);
    assert_eq!(probe.outcome(1, SOON).word, Word::Lost);
}
