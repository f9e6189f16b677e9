//! The check: what the journal and the outbox say, against what the lock promises.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;

use crate::csv::Reminder;
use crate::history::{Ending, History, Run};
use crate::instance::micros;
use crate::plan::{MIN_HOLD, about};

/// Stores count whole milliseconds, and not by our clock.
const GRAIN_US: u64 = 5_000;

/// The figures of a run, each counted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Report {
    pub(crate) ticks: u32,
    pub(crate) whole_runs: usize,
    pub(crate) killed_runs: usize,
    /// Ended by an error, or never.
    pub(crate) failed_runs: usize,
    pub(crate) skips: BTreeMap<String, usize>,
    pub(crate) mails: usize,
    pub(crate) expected: usize,
    /// Mails that the outbox refused because they had been sent, and invoices with more than one mail.
    pub(crate) duplicates: usize,
    /// Customers without their mail.
    pub(crate) missed: Vec<String>,
    /// Files in the outbox that nobody should have sent.
    pub(crate) unexpected: usize,
    /// Pairs of runs that were at it at the same moment.
    pub(crate) overlaps: usize,
    /// Runs that began although the run before them had been granted less than `min_hold` ago.
    pub(crate) hold_breaches: usize,
    /// Whole runs of a tick beyond its first.
    pub(crate) repeats: usize,
}

impl Report {
    /// Whether every promise was kept.
    pub(crate) fn is_good(&self) -> bool {
        let wrong = [self.duplicates, self.missed.len(), self.unexpected, self.overlaps, self.hold_breaches];
        wrong.iter().all(|&count| count == 0)
    }

    pub(crate) fn of(history: &History, reminders: &[Reminder], sent: &[String], ticks: u32) -> Self {
        let runs = &history.runs;
        let count = |wanted: &[Ending]| runs.iter().filter(|run| wanted.contains(&run.ending)).count();
        let mut skips: BTreeMap<String, usize> = history.lives.keys().map(|name| (name.clone(), 0)).collect();
        for (name, _) in &history.skips {
            *skips.entry(name.clone()).or_default() += 1;
        }
        let expected: BTreeMap<String, &Reminder> = reminders.iter().map(|it| (it.file_name(), it)).collect();
        let sent: BTreeSet<&str> = sent.iter().map(String::as_str).collect();
        let unexpected = sent.iter().filter(|name| !expected.contains_key(**name)).count();
        let is_missed = |(name, _): &(&String, &&Reminder)| !sent.contains(name.as_str());
        Self {
            ticks,
            whole_runs: count(&[Ending::Whole]),
            killed_runs: count(&[Ending::Killed]),
            failed_runs: count(&[Ending::Failed, Ending::Open]),
            skips,
            mails: sent.len(),
            expected: reminders.len(),
            duplicates: history.refused + second_mails(&sent),
            missed: expected.iter().filter(is_missed).map(|(_, it)| it.invoice.customer.clone()).collect(),
            unexpected,
            overlaps: overlaps(runs),
            hold_breaches: hold_breaches(runs),
            repeats: repeats(runs),
        }
    }
}

/// Mails of one invoice at more than one tick.
fn second_mails(sent: &BTreeSet<&str>) -> usize {
    let invoices: Vec<&str> = sent.iter().filter_map(|name| name.splitn(3, '-').nth(2)).collect();
    invoices.len() - invoices.iter().collect::<BTreeSet<_>>().len()
}

/// Both stamps of a run were made under the lock, so two runs may not even touch.
fn overlaps(runs: &[Run]) -> usize {
    let pairs =
        runs.iter().enumerate().flat_map(|(at, one)| runs.iter().skip(at + 1).map(move |other| (one, other)));
    pairs.filter(|(one, other)| one.start <= other.end && other.start <= one.end).count()
}

/// A run was granted the lock after it was fired, so the next one starts at least `min_hold` after that.
fn hold_breaches(runs: &[Run]) -> usize {
    let whole = runs.iter().filter(|run| run.ending == Ending::Whole);
    let is_early = |run: &&Run| {
        let earliest = run.fired + micros(MIN_HOLD) - GRAIN_US;
        runs.iter().any(|next| next.start > run.start && next.start < earliest)
    };
    whole.filter(is_early).count()
}

fn repeats(runs: &[Run]) -> usize {
    let whole: Vec<u32> = runs.iter().filter(|run| run.ending == Ending::Whole).map(|run| run.tick).collect();
    whole.len() - whole.iter().collect::<BTreeSet<_>>().len()
}

/// The names of the mails in the outbox.
pub(crate) fn sent_mails(outbox: &Path) -> io::Result<Vec<String>> {
    let names = std::fs::read_dir(outbox).map_err(|error| about(error, outbox))?;
    names.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}
