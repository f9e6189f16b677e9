//! Checker: reads the ledger beside the deeds of the nemesis, and says what should not have happened.

mod bounds;
mod overlaps;
#[cfg(test)]
mod tests;

use std::time::Duration;

use crate::deeds::{Deed, Fault};
use crate::figures::Figures;
use crate::runs::Run;

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

/// The ledger and the deeds while they are looked at.
struct Check<'a> {
    /// All calls.
    runs: &'a [Run],
    /// Those calls whose body began, in that order.
    bodies: Vec<&'a Run>,
    /// What the nemesis did.
    deeds: &'a [Deed],
    /// What to measure by.
    terms: Terms,
    /// What was found so far.
    verdict: Verdict,
}

impl<'a> Check<'a> {
    /// Something that should not have happened.
    fn found(&mut self, finding: String) {
        self.verdict.findings.push(finding);
    }

    /// The deeds of these kinds.
    fn of<F: Fn(Fault) -> bool>(&self, fault: F) -> impl Iterator<Item = &'a Deed> + use<'a, F> {
        self.deeds.iter().filter(move |deed| fault(deed.fault))
    }

    /// What is only counted.
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
}

/// A duration in the unit of the journal.
pub(crate) fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).expect("a few centuries at most")
}
