//! The history: the journal's lines put together into runs, skips and kills.

use std::collections::{BTreeMap, BTreeSet};

use crate::journal::{Entry, Event};

/// How a run of the body ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    Whole,
    /// Its process was killed.
    Killed,
    /// Stopped by the lock or by an error.
    Failed,
    /// It never ended.
    Open,
}

/// One run of the body; `start` and `end` were both stamped by the body, or `end` by its killer.
#[derive(Clone, Debug)]
pub(crate) struct Run {
    pub(crate) instance: String,
    pub(crate) tick: u32,
    /// When the job was called, which is before the lock was granted.
    pub(crate) fired: u64,
    pub(crate) start: u64,
    pub(crate) end: u64,
    pub(crate) ending: Ending,
    pub(crate) mails: usize,
    /// The instance whose killed run left mails that this one sent.
    pub(crate) takes_over_from: Option<String>,
}

/// All that happened, in the order of the journal.
#[derive(Debug, Default)]
pub(crate) struct History {
    /// The moment of the first tick.
    pub(crate) begin: u64,
    pub(crate) runs: Vec<Run>,
    /// Who got `None`, and when.
    pub(crate) skips: Vec<(String, u64)>,
    pub(crate) kills: Vec<(String, u64)>,
    /// Every instance with the moments of its first and its last word.
    pub(crate) lives: BTreeMap<String, (u64, u64)>,
    pub(crate) failures: Vec<String>,
    pub(crate) refused: usize,
}

impl History {
    pub(crate) fn of(entries: &[Entry], begin: u64) -> Self {
        let mut history = Self { begin, ..Self::default() };
        let mut fired: BTreeMap<&str, u64> = BTreeMap::new();
        let mut open: BTreeMap<&str, usize> = BTreeMap::new();
        for entry in entries {
            let name = entry.instance.as_str();
            history.lives.entry(name.to_owned()).or_insert((entry.at, entry.at)).1 = entry.at;
            match &entry.event {
                Event::Fire { .. } => {
                    fired.insert(name, entry.at);
                }
                Event::Start { tick } => {
                    open.insert(name, history.runs.len());
                    let called = fired.get(name).copied().unwrap_or(entry.at);
                    history.runs.push(Run::new(entry, *tick, called));
                }
                Event::Mail { .. } | Event::Refused { .. } => {
                    history.refused += usize::from(matches!(entry.event, Event::Refused { .. }));
                    if let Some(run) = open.get(name).and_then(|&run| history.runs.get_mut(run)) {
                        run.end = run.end.max(entry.at);
                        run.mails += usize::from(matches!(entry.event, Event::Mail { .. }));
                    }
                }
                Event::End { .. } => history.close(open.remove(name), Ending::Whole, entry.at),
                Event::Kill => {
                    history.kills.push((name.to_owned(), entry.at));
                    // Stays open: it may say a last word between this line and the signal.
                    history.close(open.get(name).copied(), Ending::Killed, entry.at);
                }
                Event::Failed { tick, why } => {
                    // The body was dropped some time between its last line and this one; the former counts.
                    history.close(open.remove(name), Ending::Failed, 0);
                    history.failures.push(format!("tick {tick}, {name}: {why}"));
                }
                Event::Skip { .. } => history.skips.push((name.to_owned(), entry.at)),
                Event::Up | Event::Finished => {}
            }
        }
        history.mark_takeovers(entries);
        history
    }

    fn close(&mut self, run: Option<usize>, ending: Ending, at: u64) {
        let Some(run) = run.and_then(|run| self.runs.get_mut(run)) else {
            return;
        };
        run.ending = ending;
        run.end = run.end.max(at);
    }

    /// A run takes over when it sends mails of a tick whose run was killed.
    fn mark_takeovers(&mut self, entries: &[Entry]) {
        let killed: Vec<(u32, String)> = self
            .runs
            .iter()
            .filter(|run| run.ending == Ending::Killed)
            .map(|run| (run.tick, run.instance.clone()))
            .collect();
        for run in self.runs.iter_mut().filter(|run| run.ending != Ending::Killed) {
            let is_of_run =
                |entry: &&Entry| entry.instance == run.instance && (run.start..=run.end).contains(&entry.at);
            let ticks: BTreeSet<u32> = entries
                .iter()
                .filter(is_of_run)
                .filter_map(
                    |entry| {
                        if let Event::Mail { tick, .. } = entry.event { Some(tick) } else { None }
                    },
                )
                .collect();
            let left =
                killed.iter().find(|(tick, instance)| ticks.contains(tick) && *instance != run.instance);
            run.takes_over_from = left.map(|(_, instance)| instance.clone());
        }
    }
}

impl Run {
    fn new(entry: &Entry, tick: u32, fired: u64) -> Self {
        Self {
            instance: entry.instance.clone(),
            tick,
            fired,
            start: entry.at,
            end: entry.at,
            ending: Ending::Open,
            mails: 0,
            takes_over_from: None,
        }
    }
}
