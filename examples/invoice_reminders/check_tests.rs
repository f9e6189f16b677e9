//! The laws of the check: it passes what is right, and every wrong that it looks for makes it fail.

use crate::check::Report;
use crate::csv::{Invoice, Reminder};
use crate::history::History;
use crate::journal::Entry;

/// Two ticks of two mails; A is killed in the second one and C takes over. Stamps in milliseconds.
const GOOD: &str = "\
0 A up
0 C up
100 A fire 1
101 A start 1
102 A mail 1 INV-1
200 A mail 1 INV-2
300 A end 1
370 C fire 1
371 C skip 1
900 A fire 2
901 A start 2
902 A mail 2 INV-3
950 A kill
1170 C fire 2
1171 C start 2
1172 C mail 2 INV-4
1300 C end 2
1301 C finished";

fn reminder(number: u32) -> Reminder {
    let own = str::to_owned;
    let (id, customer) = (format!("INV-{number}"), format!("customer {number}"));
    let invoice =
        Invoice { id, customer, email: own("c@example.com"), amount: own("1.00"), due: own("2026-01-01") };
    Reminder { tick: number.div_ceil(2), invoice }
}

fn report(journal: &str, sent: &[u32]) -> Report {
    let to_us = |mut entry: Entry| {
        entry.at *= 1_000;
        entry
    };
    let entries: Vec<Entry> =
        journal.lines().map(|line| to_us(Entry::parse(line).expect("a line"))).collect();
    let reminders: Vec<Reminder> = (1..=4).map(reminder).collect();
    let sent: Vec<String> = sent.iter().map(|&number| reminder(number).file_name()).collect();
    Report::of(&History::of(&entries, 0), &reminders, &sent, 2)
}

#[test]
fn a_good_run_is_good_and_counted() {
    let report = report(GOOD, &[1, 2, 3, 4]);
    assert!(report.is_good(), "{report:?}");
    assert_eq!((report.whole_runs, report.killed_runs, report.failed_runs), (2, 1, 0));
    assert_eq!((report.mails, report.expected, report.repeats), (4, 4, 0));
    assert_eq!(report.skips.values().sum::<usize>(), 1);
}

#[test]
fn a_missed_customer_is_named() {
    let report = report(GOOD, &[1, 2, 3]);
    assert_eq!(report.missed, ["customer 4"]);
    assert!(!report.is_good());
}

#[test]
fn a_refused_mail_is_a_duplicate() {
    let journal = GOOD.replace("1172 C mail 2 INV-4", "1172 C refused 2 INV-3\n1173 C mail 2 INV-4");
    let report = report(&journal, &[1, 2, 3, 4]);
    assert_eq!(report.duplicates, 1);
    assert!(!report.is_good());
}

#[test]
fn a_run_that_starts_before_another_one_ended_overlaps() {
    let report = report(&GOOD.replace("371 C skip 1", "280 C start 1\n371 C end 1"), &[1, 2, 3, 4]);
    assert_eq!(report.overlaps, 1);
    assert!(!report.is_good());
}

#[test]
fn a_last_word_of_a_killed_run_after_the_next_start_overlaps() {
    let report = report(&GOOD.replace("1300 C end 2", "1200 A mail 2 INV-4\n1300 C end 2"), &[1, 2, 3, 4]);
    assert_eq!(report.overlaps, 1);
}

#[test]
fn a_run_within_min_hold_of_the_one_before_is_a_breach() {
    let report = report(&GOOD.replace("371 C skip 1", "371 C start 1\n372 C end 1"), &[1, 2, 3, 4]);
    assert_eq!((report.overlaps, report.hold_breaches, report.repeats), (0, 1, 1));
    assert!(!report.is_good());
}

#[test]
fn a_takeover_names_whose_mails_it_sends() {
    let entries: Vec<Entry> = GOOD.lines().filter_map(Entry::parse).collect();
    let history = History::of(&entries, 0);
    let takeovers: Vec<Option<&str>> =
        history.runs.iter().map(|run| run.takes_over_from.as_deref()).collect();
    assert_eq!(takeovers, [None, None, Some("A")]);
}
