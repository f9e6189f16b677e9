//! Bounds: how long takeovers and detections may take, what a loss has to be caused by, and how tokens grow.

use std::time::Duration;

use super::{Check, nanos};
use crate::deeds::{Deed, Fault};
use crate::runs::Run;
use crate::support::journal::Told;

/// One in so many bodies may lose its lease because the machine was busy.
const OVERLOADED: usize = 50;

impl Check<'_> {
    /// When a holder is killed and nothing else is wrong, another one has the key in time.
    pub(super) fn takeovers(&mut self) {
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
    pub(super) fn fencing_tokens(&mut self) {
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

    /// Each loss has a cause.
    pub(super) fn losses(&mut self) {
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
            let stolen = told == Told::Taken && lost_data.is_empty();
            self.verdict.figures.losses_unexplained += usize::from(stolen || !caused);
            // A machine that gives a process no time for so long is not in the deeds.
            let few = self.verdict.figures.losses_unexplained <= self.bodies.len() / OVERLOADED;
            if stolen || !caused && !few {
                self.found(format!("{} was told {told:?} at {at} without a cause", run.name()));
            }
            if let Some(first) = run.first()
                && let Some(deed) = lost_data.into_iter().find(|deed| first < deed.begun)
            {
                self.detection(run, at, deed);
            }
        }
    }

    /// Whoever lost its lease with the server's data learns it within a ttl.
    fn detection(&mut self, run: &Run, told: u64, lost: &Deed) {
        // A stopped process learns nothing.
        let stops = self.of(|fault| fault == Fault::StopProcess);
        let stops = stops.filter(|deed| deed.pid == Some(run.pid) && deed.begun < told);
        let took = told.saturating_sub(stops.map(|deed| deed.until).fold(lost.done, u64::max));
        let figures = &mut self.verdict.figures;
        figures.detections += 1;
        figures.worst_detection = figures.worst_detection.max(took);
        if took > nanos(self.terms.ttl + self.terms.slack) {
            self.found(format!("{} was told {} ms after the data was lost", run.name(), took / 1_000_000));
        }
    }
}
