//! Validity: whether a lease is certainly held, as a plain value without clock or I/O.

use crate::backend::Renewal;
use crate::vocabulary::clock::Moment;
use crate::vocabulary::lost::Lost;

/// What the holder knows of its lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Validity {
    /// Up to here the lease is certain; `None` where leases do not expire.
    deadline: Option<Moment>,
    lost: Option<Lost>,
    ended: bool,
}

impl Validity {
    /// Just granted, certain up to `deadline`.
    pub(crate) fn granted(deadline: Option<Moment>) -> Self {
        Self { deadline, lost: None, ended: false }
    }

    /// Why the lease is lost as of `now`, if it is. Passing the deadline makes it so, for good.
    pub(crate) fn lost_at(&mut self, now: Moment) -> Option<Lost> {
        if self.lost.is_none() && !self.ended && self.deadline.is_some_and(|deadline| now >= deadline) {
            self.lost = Some(Lost::Expired);
        }
        self.lost
    }

    /// Whether the lease is certainly held as of `now`.
    pub(crate) fn is_held_at(&mut self, now: Moment) -> bool {
        self.lost_at(now).is_none() && !self.ended
    }

    /// A renewal was answered. `deadline` counts from when it was sent. A lease that was lost or given back meanwhile
    /// stays so: no late answer revives it.
    pub(crate) fn renewal_answered(&mut self, now: Moment, answer: Renewal, deadline: Moment) {
        if !self.is_held_at(now) {
            return;
        }
        match answer {
            Renewal::Held => self.deadline = self.deadline.map(|old| old.max(deadline)),
            Renewal::NotOurs => self.lost = Some(Lost::Taken),
        }
    }

    /// The lease is being given back: from here on it is not held, whatever arrives.
    pub(crate) fn end(&mut self) {
        self.ended = true;
    }

    pub(crate) fn has_ended(&self) -> bool {
        self.ended
    }

    pub(crate) fn deadline(&self) -> Option<Moment> {
        self.deadline
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone, Copy, Debug)]
    enum Step {
        Tick(u64),
        Held(u64),
        NotOurs,
        End,
    }

    /// Every history of five steps from a small alphabet, checked after each step.
    #[test]
    fn over_all_short_histories_lost_is_sticky_and_the_deadline_never_goes_back() {
        let alphabet = [
            Step::Tick(0),
            Step::Tick(40),
            Step::Tick(100),
            Step::Held(90),
            Step::Held(200),
            Step::NotOurs,
            Step::End,
        ];
        let mut histories: Vec<Vec<Step>> = vec![vec![]];
        for _ in 0..5 {
            histories =
                histories.iter().flat_map(|h| alphabet.map(|s| [h.clone(), vec![s]].concat())).collect();
        }
        for history in histories {
            check(&history);
        }
    }

    fn check(history: &[Step]) {
        let mut now = 0;
        let mut validity = Validity::granted(Some(Moment::from_millis(100)));
        let (mut lost, mut ended, mut deadline) = (None, false, validity.deadline());
        for step in history {
            let at = Moment::from_millis(now);
            match step {
                Step::Tick(ms) => now += ms,
                Step::Held(ms) => validity.renewal_answered(at, Renewal::Held, Moment::from_millis(now + ms)),
                Step::NotOurs => validity.renewal_answered(at, Renewal::NotOurs, at),
                Step::End => {
                    validity.end();
                    ended = true;
                }
            }
            let at = Moment::from_millis(now);
            let held = validity.is_held_at(at);
            assert!(lost.is_none() || validity.lost_at(at) == lost, "lost is sticky: {history:?}");
            assert!(!(held && ended), "a released lease is not held: {history:?}");
            assert!(
                !held || at < validity.deadline().expect("expires"),
                "held only before the deadline: {history:?}"
            );
            assert!(validity.deadline() >= deadline, "the deadline never goes back: {history:?}");
            (lost, deadline) = (validity.lost_at(at), validity.deadline());
        }
    }

    #[test]
    fn a_lease_without_expiry_is_held_until_it_ends() {
        let mut validity = Validity::granted(None);
        assert!(validity.is_held_at(Moment::from_millis(u64::MAX / 2)));
        validity.end();
        assert!(!validity.is_held_at(Moment::from_millis(0)));
    }
}
