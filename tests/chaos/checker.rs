//! Checker: reads the ledger beside the deeds of the nemesis, and says what should not have happened.

use std::time::Duration;

use crate::deeds::{Deed, Fault};
use crate::figures::Figures;
use crate::runs::Run;
use crate::support::journal::Told;

/// What the checker measures by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// The ttl of every lease.
    pub(crate) ttl: Duration,
    /// The longest pause of a caller between two calls.
    pub(crate) gap: Duration,
    /// What a busy machine may add to a bound.
    pub(crate) slack: Duration,
}

/// What the checker found out.
#[derive(Debug, Default)]
pub(crate) struct Verdict {
    /// What is worth printing in any case.
    pub(crate) figures: Figures,
    /// What should not have happened.
    pub(crate) findings: Vec<String>,
}

/// Looks at everything.
pub(crate) fn check(runs: &[Run], deeds: &[Deed], terms: Terms) -> Verdict {
    let mut bodies: Vec<&Run> = runs.iter().filter(|run| run.first().is_some()).collect();
    bodies.sort_by_key(|run| run.first());
    let mut check = Check { runs, bodies, deeds, terms, verdict: Verdict::default() };
    check.count();
    check.overlaps();
    check.steps_after_waking();
    check.takeovers();
    check.losses();
    check.fencing_tokens();
    check.verdict
}

struct Check<'a> {
    runs: &'a [Run],
    /// Those calls whose body began, in that order.
    bodies: Vec<&'a Run>,
    deeds: &'a [Deed],
    terms: Terms,
    verdict: Verdict,
}

/// Why two bodies may have been seen at once.
enum Excuse {
    /// The server's data was lost; so long after it the older body still took a step.
    DataLost(u64),
    /// A process was stopped in the middle of a poll, and ended it on waking.
    StoppedInAPoll,
}

impl<'a> Check<'a> {
    fn found(&mut self, finding: String) {
        self.verdict.findings.push(finding);
    }

    fn of<F: Fn(Fault) -> bool>(&self, fault: F) -> impl Iterator<Item = &'a Deed> + use<'a, F> {
        self.deeds.iter().filter(move |deed| fault(deed.fault))
    }

    fn count(&mut self) {
        let figures = &mut self.verdict.figures;
        figures.calls = self.runs.len();
        figures.bodies = self.bodies.len();
        for (_, told) in self.runs.iter().filter_map(|run| run.told) {
            *figures.told.entry(told).or_default() += 1;
        }
        for deed in self.deeds {
            *figures.faults.entry(deed.fault).or_default() += 1;
        }
    }

    /// No two bodies at once, but for what the guarantee does not cover.
    fn overlaps(&mut self) {
        // The one among those before that was seen last need not be the one directly before.
        let mut open: Vec<&'a Run> = Vec::new();
        for next in self.bodies.clone() {
            open.retain(|run| run.last() > next.first());
            for before in &open {
                match self.excuse(before, next).or_else(|| self.excuse(next, before)) {
                    Some(Excuse::DataLost(after)) => {
                        let figures = &mut self.verdict.figures;
                        figures.overlaps_after_loss += 1;
                        figures.longest_after_loss = figures.longest_after_loss.max(after);
                    }
                    Some(Excuse::StoppedInAPoll) => self.verdict.figures.overlaps_of_a_stopped_poll += 1,
                    None => {
                        self.verdict.figures.overlaps_unexplained += 1;
                        let (one, other) = (before.name(), next.name());
                        let (began, last) = (next.first().unwrap_or(0), before.last().unwrap_or(0));
                        self.found(format!(
                            "{other} began at {began}, but {one} still took a step at {last}, {} us later",
                            (last - began) / 1000
                        ));
                    }
                }
            }
            open.push(next);
        }
    }

    /// Whether `old` may have gone on beside `new`.
    fn excuse(&self, old: &Run, new: &Run) -> Option<Excuse> {
        let (last, began) = (old.last()?, new.first()?);
        let bound = nanos(self.terms.ttl + self.terms.slack);
        let lost = self.of(Fault::loses_data).filter(|deed| {
            old.asked < deed.done && began > deed.begun && last > deed.begun && last <= deed.done + bound
        });
        if let Some(deed) = lost.max_by_key(|deed| deed.done) {
            return Some(Excuse::DataLost(last.saturating_sub(deed.done)));
        }
        let first = old.after(began - 1).first()?.at;
        let stopped = self.of(|fault| fault == Fault::StopProcess).any(|deed| {
            let between = old.lines.iter().any(|line| line.at > deed.done && line.at < first);
            deed.pid == Some(old.pid) && old.asked < deed.done && deed.until <= first && !between
        });
        (stopped && old.polls_after(first - 1) == 1).then_some(Excuse::StoppedInAPoll)
    }

    /// Whoever was stopped for a ttl or longer takes no step but that of the poll in which it was stopped.
    fn steps_after_waking(&mut self) {
        for deed in self.of(|fault| fault == Fault::StopProcess) {
            if deed.until.saturating_sub(deed.done) < nanos(self.terms.ttl) {
                continue;
            }
            let was_inside = |run: &&&Run| {
                Some(run.pid) == deed.pid && run.first().is_some_and(|first| first < deed.begun)
            };
            for run in self.bodies.clone().iter().filter(was_inside) {
                let steps = run.polls_after(deed.until);
                let figures = &mut self.verdict.figures;
                figures.steps_after_waking = figures.steps_after_waking.max(steps);
                figures.woken_too_late += usize::from(run.told.is_none_or(|(at, _)| at > deed.done));
                if steps > 1 {
                    self.found(format!("{} took {steps} steps after waking at {}", run.name(), deed.until));
                }
            }
        }
    }

    /// When a holder is killed and nothing else is wrong, another one has the key in time.
    fn takeovers(&mut self) {
        let ttl = nanos(self.terms.ttl);
        let bound = ttl + nanos(Duration::from_millis(100) + self.terms.gap);
        for kill in self.of(|fault| fault == Fault::KillProcess) {
            let index = self.bodies.partition_point(|run| run.first() < Some(kill.begun));
            let Some(last) = index.checked_sub(1).map(|before| self.bodies[before]) else { continue };
            if Some(last.pid) != kill.pid || last.told.is_some() {
                continue;
            }
            self.verdict.figures.holders_killed += 1;
            let disturbed = self
                .deeds
                .iter()
                .any(|deed| deed != kill && deed.begun < kill.done + bound && deed.until + ttl > kill.begun);
            if disturbed {
                continue;
            }
            self.verdict.figures.takeovers += 1;
            let next = self.bodies.get(index).and_then(|run| run.first());
            let took = next.map_or(u64::MAX, |next| next.saturating_sub(kill.done));
            let figures = &mut self.verdict.figures;
            figures.worst_takeover = figures.worst_takeover.max(took);
            if took > bound + nanos(self.terms.slack) {
                self.found(format!(
                    "the holder {} was killed at {}, and the next one began {} ms later",
                    last.pid,
                    kill.done,
                    took / 1_000_000
                ));
            }
        }
    }

    /// Whoever began after another one had got its fencing token gets a larger one. So a resource that remembers the
    /// largest refuses a stale holder, which is counted here.
    fn fencing_tokens(&mut self) {
        let mut given: Vec<(u64, u64)> = self.bodies.iter().filter_map(|run| run.token).collect();
        given.sort_unstable();
        let (mut earlier, mut largest) = (given.iter().peekable(), 0);
        let mut writes = Vec::new();
        for run in self.bodies.clone() {
            while let Some((_, token)) = earlier.next_if(|(at, _)| Some(*at) < run.first()) {
                largest = largest.max(*token);
            }
            let Some((at, token)) = run.token else { continue };
            self.verdict.figures.tokens += 1;
            if token <= largest {
                self.found(format!("{} got token {token}, but {largest} had been given before", run.name()));
            }
            writes.extend(run.after(at).iter().map(|line| (line.at, token)));
        }
        writes.sort_unstable();
        let mut seen = 0;
        for (_, token) in writes {
            self.verdict.figures.stale_writes += usize::from(token < seen);
            seen = seen.max(token);
        }
    }

    /// Each loss has a cause; and whoever lost its lease with the server's data learns it within a ttl.
    fn losses(&mut self) {
        let ttl = nanos(self.terms.ttl);
        for run in self.runs {
            let Some((at, told @ (Told::Taken | Told::Expired))) = run.told else { continue };
            let lost_data: Vec<&Deed> =
                self.of(Fault::loses_data).filter(|deed| deed.done > run.asked && deed.begun < at).collect();
            let caused = self.deeds.iter().any(|deed| {
                let its_own = deed.fault == Fault::StopProcess && deed.pid == Some(run.pid);
                let concerned = its_own || deed.fault.is_the_servers() || deed.fault.is_the_networks();
                concerned && deed.until + ttl > run.asked && deed.begun < at
            });
            if told == Told::Taken && lost_data.is_empty() || !caused {
                self.verdict.figures.losses_unexplained += 1;
                self.found(format!("{} was told {told:?} at {at} without a cause", run.name()));
            }
            let Some(wiped) = lost_data.into_iter().find(|deed| run.first() < Some(deed.begun)) else {
                continue;
            };
            if run.first().is_none() {
                continue;
            }
            // A stopped process learns nothing.
            let awake = self.of(|fault| fault == Fault::StopProcess);
            let awake =
                awake.filter(|deed| deed.pid == Some(run.pid) && deed.begun < at).map(|deed| deed.until);
            let took = at.saturating_sub(awake.fold(wiped.done, u64::max));
            let figures = &mut self.verdict.figures;
            figures.detections += 1;
            figures.worst_detection = figures.worst_detection.max(took);
            if took > ttl + nanos(self.terms.slack) {
                self.found(format!(
                    "{} was told {} ms after the data was lost",
                    run.name(),
                    took / 1_000_000
                ));
            }
        }
    }
}

/// A duration in the unit of the journal.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).expect("a few centuries at most")
}
