//! That the checker can fail: small ledgers with one fault each, and the same without it.

use std::time::Duration;

use super::{Terms, Verdict, check};
use crate::deeds::{Deed, Fault};
use crate::runs::runs;
use crate::support::journal::Journal;

const TERMS: Terms = Terms {
    ttl: Duration::from_millis(1000),
    gap: Duration::from_millis(30),
    slack: Duration::from_millis(20),
};

/// What the checker makes of lines `<ms> <pid> <call> <mark>` that are separated by commas.
fn verdict(lines: &str, deeds: &[Deed]) -> Verdict {
    let mut text = String::new();
    for line in lines.split(',').map(str::trim) {
        let (ms, rest) = line.split_once(' ').expect("a time and more");
        let ms: u64 = ms.parse().expect("milliseconds");
        text.push_str(&format!("{} {rest}\n", ms * 1_000_000));
    }
    check(&runs(&Journal::parse(&text)), deeds, TERMS)
}

/// A deed from `begun` to `until`, in milliseconds, whose effect was complete one millisecond after it began.
fn deed(fault: Fault, pid: u32, begun: u64, until: u64) -> Deed {
    let ns = |ms: u64| ms * 1_000_000;
    Deed { fault, pid: (pid > 0).then_some(pid), begun: ns(begun), done: ns(begun + 1), until: ns(until) }
}

#[track_caller]
fn fine(lines: &str, deeds: &[Deed]) -> Verdict {
    let verdict = verdict(lines, deeds);
    assert!(verdict.findings.is_empty(), "{:?}", verdict.findings);
    verdict
}

#[track_caller]
fn finds(what: &str, lines: &str, deeds: &[Deed]) {
    let findings = verdict(lines, deeds).findings;
    assert!(findings.len() == 1 && findings[0].contains(what), "{findings:?}");
}

/// Process 2 begins at 100 ms, while process 1 is inside until it writes its last line at this moment.
fn two_at_once(last: u64) -> String {
    format!(
        "0 1 1 ask, 1 1 1 start, 2 1 1 step 1, 95 2 1 ask, 100 2 1 start, 101 2 1 step 1, {last} 1 1 step 2"
    )
}

#[test]
fn bodies_one_after_the_other_are_fine() {
    let verdict = fine(
        "0 1 1 ask, 1 1 1 start, 2 1 1 step 1, 3 2 1 ask, 4 2 1 told skipped, 12 1 1 end, 13 2 2 ask, \
         14 1 1 told ran, 15 2 2 start, 15 2 2 step 1, 25 2 2 end, 26 2 2 told ran",
        &[],
    );
    assert_eq!((verdict.figures.calls, verdict.figures.bodies), (3, 2));
}

#[test]
fn two_bodies_at_once_are_found() {
    finds("still took a step", &two_at_once(102), &[]);
    // Whatever else was done by then, as long as no data was lost and nobody was stopped.
    for fault in Fault::ALL.into_iter().filter(|fault| !fault.loses_data() && *fault != Fault::StopProcess) {
        finds("still took a step", &two_at_once(102), &[deed(fault, 2, 50, 60)]);
    }
}

#[test]
fn a_body_inside_of_another_one_is_found_though_the_other_takes_its_next_step_only_later() {
    let inside = "0 1 1 ask, 1 1 1 start, 2 1 1 step 1, 3 2 1 ask, 4 2 1 start, 5 2 1 step 1, 6 2 1 end, \
                  7 2 1 told ran, 8 3 1 ask, 9 3 1 start, 10 3 1 end, 11 3 1 told ran, 50 1 1 end";
    assert_eq!(verdict(inside, &[]).figures.overlaps_unexplained, 2);
}

#[test]
fn lost_data_explains_two_bodies_for_a_ttl_and_no_longer() {
    for fault in [Fault::FlushAll, Fault::WipeServer] {
        let verdict = fine(&two_at_once(1050), &[deed(fault, 0, 50, 60)]);
        assert_eq!(verdict.figures.overlaps_after_loss, 1);
        assert_eq!(verdict.figures.longest_after_loss, 999_000_000);
        finds("still took a step", &two_at_once(1072), &[deed(fault, 0, 50, 60)]);
        finds("still took a step", &two_at_once(105), &[deed(fault, 0, 101, 104)]);
        finds("still took a step", &two_at_once(105), &[deed(fault, 0, 107, 108)]);
    }
}

#[test]
fn a_late_grant_from_before_the_data_was_lost_is_explained_by_it_as_well() {
    // Process 2 was granted the key at 50, but the answer took until 100.
    let lines =
        "45 2 1 ask, 70 1 1 ask, 71 1 1 start, 72 1 1 step 1, 100 2 1 start, 101 2 1 step 1, 110 1 1 end";
    assert_eq!(fine(lines, &[deed(Fault::FlushAll, 0, 60, 61)]).figures.overlaps_after_loss, 1);
    finds("still took a step", lines, &[deed(Fault::FlushAll, 0, 40, 41)]);
}

#[test]
fn a_stopped_process_may_end_its_poll_beside_its_successor_and_no_more() {
    let stopped = [deed(Fault::StopProcess, 1, 3, 1200)];
    let lines =
        "0 1 1 ask, 1 1 1 start, 2 1 1 step 1, 95 2 1 ask, 1100 2 1 start, 1101 2 1 step 1, 1201 1 1 step 2";
    let verdict = fine(lines, &stopped);
    assert_eq!(verdict.figures.overlaps_of_a_stopped_poll, 1);
    assert_eq!((verdict.figures.woken_too_late, verdict.figures.steps_after_waking), (1, 1));
    let findings = self::verdict(&format!("{lines}, 1210 1 1 step 3"), &stopped).findings;
    assert!(findings.iter().any(|finding| finding.contains("still took a step")), "{findings:?}");
    // Somebody else was stopped.
    finds("still took a step", lines, &[deed(Fault::StopProcess, 3, 3, 1200)]);
    // It was not the poll in which it was stopped: it had already gone on.
    finds("still took a step", lines, &[deed(Fault::StopProcess, 1, 0, 1)]);
}

#[test]
fn a_step_after_waking_is_found_though_nobody_else_was_there() {
    let lines = "0 1 1 ask, 1 1 1 start, 2 1 1 step 1, 1201 1 1 step 2, 1210 1 1 step 3";
    finds("took 2 steps after waking", lines, &[deed(Fault::StopProcess, 1, 3, 1200)]);
    // For less than a ttl it may well have held on.
    let _ = fine(lines, &[deed(Fault::StopProcess, 1, 300, 1200)]);
}

#[test]
fn a_late_takeover_is_found_unless_something_else_was_wrong() {
    let lines = |next: u64| format!("0 1 1 ask, 1 1 1 start, 2 1 1 step 1, {next} 2 1 ask, {next} 2 1 start");
    let killed = deed(Fault::KillProcess, 1, 10, 11);
    let figures = fine(&lines(1100), &[killed]).figures;
    assert_eq!((figures.takeovers, figures.worst_takeover), (1, 1_089_000_000));
    finds("the next one began", &lines(1200), &[killed]);
    // Nobody ever again.
    finds("the next one began", "0 1 1 ask, 1 1 1 start, 2 1 1 step 1", &[killed]);
    let verdict = fine(&lines(1200), &[killed, deed(Fault::StopServer, 0, 500, 900)]);
    assert_eq!((verdict.figures.holders_killed, verdict.figures.takeovers), (1, 0));
    // The killed one was not inside.
    assert_eq!(fine(&lines(1200), &[deed(Fault::KillProcess, 3, 10, 11)]).figures.holders_killed, 0);
}

#[test]
fn a_loss_without_a_cause_is_found() {
    let lines = |told: &str| format!("0 1 1 ask, 1 1 1 start, 2 1 1 step 1, 100 1 1 told {told}");
    finds("without a cause", &lines("expired"), &[]);
    finds("without a cause", &lines("taken"), &[deed(Fault::StopServer, 0, 5, 90)]);
    finds("without a cause", &lines("expired"), &[deed(Fault::StopProcess, 2, 5, 90)]);
    let _ = fine(&lines("expired"), &[deed(Fault::StopServer, 0, 5, 90)]);
    let _ = fine(&lines("taken"), &[deed(Fault::FlushAll, 0, 5, 6)]);
}

#[test]
fn a_late_detection_is_found() {
    let lines = |told: u64| format!("0 1 1 ask, 1 1 1 start, 2 1 1 step 1, {told} 1 1 told expired");
    let flushed = deed(Fault::FlushAll, 0, 5, 6);
    let figures = fine(&lines(900), &[flushed]).figures;
    assert_eq!((figures.detections, figures.worst_detection), (1, 894_000_000));
    finds("after the data was lost", &lines(1100), &[flushed]);
    // A process that was stopped meanwhile learns it when it wakes up.
    let _ = fine(&lines(2100), &[flushed, deed(Fault::StopProcess, 1, 100, 1900)]);
}

#[test]
fn a_fencing_token_that_does_not_grow_is_found() {
    let lines = |second: u64| {
        format!(
            "0 1 1 ask, 1 1 1 start, 2 1 1 fence 7, 2 1 1 step 1, 3 1 1 end, 4 1 1 told ran, 5 2 1 ask, \
             6 2 1 start, 7 2 1 fence {second}, 7 2 1 step 1"
        )
    };
    assert_eq!(fine(&lines(8), &[]).figures.tokens, 2);
    finds("had been given before", &lines(7), &[]);
    finds("had been given before", &lines(6), &[]);
}

#[test]
fn steps_with_an_older_token_than_one_that_was_used_are_counted() {
    let lines = "0 1 1 ask, 1 1 1 start, 2 1 1 fence 7, 2 1 1 step 1, 10 2 1 ask, 11 2 1 start, 12 2 1 fence 8, \
                 13 1 1 step 2, 14 2 1 step 1, 15 1 1 step 3";
    assert_eq!(fine(lines, &[deed(Fault::FlushAll, 0, 5, 6)]).figures.stale_writes, 1);
}

#[test]
fn a_token_and_the_step_after_it_are_one_poll() {
    let lines = |more: &str| format!("0 1 1 ask, 1 1 1 start, 1201 1 1 fence 7, 1201 1 1 step 1{more}");
    let stopped = [deed(Fault::StopProcess, 1, 3, 1200)];
    assert_eq!(fine(&lines(""), &stopped).figures.steps_after_waking, 1);
    finds("took 2 steps after waking", &lines(", 1211 1 1 step 2"), &stopped);
}
