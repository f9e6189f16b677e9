//! Overlaps: bodies that were seen at once, and steps that should not have been taken.

use super::{Check, nanos};
use crate::deeds::Fault;
use crate::runs::Run;

/// Why two bodies may have been seen at once.
enum Excuse {
    /// The server's data was lost; so long after it the older body still took a step.
    DataLost(u64),
    /// A process was stopped in the middle of a poll, and ended it on waking.
    StoppedInAPoll,
}

impl<'a> Check<'a> {
    /// No two bodies at once, but for what the guarantee does not cover.
    pub(super) fn overlaps(&mut self) {
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
    pub(super) fn steps_after_waking(&mut self) {
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
}
