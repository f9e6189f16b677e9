//! Runs: the ledger as one value for each call of each process.

use std::collections::BTreeMap;

use crate::support::journal::{Entry, Journal, Mark, Told};

/// One thing that a body wrote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// When.
    pub(crate) at: u64,
    /// Whether it was polled for it; else it comes from the same poll as the line before.
    pub(crate) polled: bool,
}

/// One call, as the ledger shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    /// The process.
    pub(crate) pid: u32,
    /// The number of the call in its process.
    pub(crate) call: u64,
    /// When the call was made.
    pub(crate) asked: u64,
    /// What the body did.
    pub(crate) lines: Vec<Line>,
    /// When the body got its fencing token, and which.
    pub(crate) token: Option<(u64, u64)>,
    /// When the call returned, and with what; none where the process was killed.
    pub(crate) told: Option<(u64, Told)>,
}

impl Run {
    /// When the body began, if it did.
    pub(crate) fn first(&self) -> Option<u64> {
        self.lines.first().map(|line| line.at)
    }

    /// The last sign of its body.
    pub(crate) fn last(&self) -> Option<u64> {
        self.lines.last().map(|line| line.at)
    }

    /// What its body did after `moment`.
    pub(crate) fn after(&self, moment: u64) -> &[Line] {
        &self.lines[self.lines.partition_point(|line| line.at <= moment)..]
    }

    /// In how many polls, at least, it did what it did after `moment`.
    pub(crate) fn polls_after(&self, moment: u64) -> usize {
        let lines = self.after(moment);
        // The first line may come from a poll that had begun before.
        usize::from(!lines.is_empty()) + lines.iter().skip(1).filter(|line| line.polled).count()
    }

    /// How it is called in a finding.
    pub(crate) fn name(&self) -> String {
        format!("call {} of process {}", self.call, self.pid)
    }
}

/// All calls in the order in which they were made.
pub(crate) fn runs(journal: &Journal) -> Vec<Run> {
    let mut runs: BTreeMap<(u32, u64), Run> = BTreeMap::new();
    // The last line of each process.
    let mut last: BTreeMap<u32, Mark> = BTreeMap::new();
    for &Entry { at, pid, call, mark } in &journal.entries {
        let fresh = || Run { pid, call, asked: at, lines: Vec::new(), token: None, told: None };
        let run = runs.entry((pid, call)).or_insert_with(fresh);
        let before = last.insert(pid, mark);
        match mark {
            Mark::Ask => run.asked = at,
            Mark::Told(told) => run.told = Some((at, told)),
            Mark::Start | Mark::Fence(_) | Mark::Step(_) | Mark::End => {
                let same = matches!(before, Some(Mark::Start | Mark::Fence(_)));
                run.lines.push(Line { at, polled: !(same && matches!(mark, Mark::Step(_))) });
            }
        }
        if let Mark::Fence(Some(token)) = mark {
            run.token = Some((at, token));
        }
    }
    let mut runs: Vec<Run> = runs.into_values().collect();
    runs.sort_by_key(|run| run.asked);
    runs
}
