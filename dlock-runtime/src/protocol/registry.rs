//! Registry: which leases the watchdog looks after, and which of them is due next. Plain data, no I/O.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use super::lease::Held;
use super::owed::Owed;
use super::schedule;
use crate::vocabulary::clock::Moment;

/// A lease is known by where it lives, which no two living leases share.
type Id = usize;

/// What the watchdog has to do, and when.
#[derive(Default)]
pub(crate) struct Registry {
    leases: HashMap<Id, (Arc<Held>, Moment)>,
    due: BTreeSet<(Moment, Id)>,
    owed: Vec<Owed>,
    /// When the thread means to wake by itself. `None` while it is awake or sleeps without a time.
    planned: Option<Moment>,
    closed: bool,
}

/// What is due now.
pub(crate) struct Due {
    pub(crate) leases: Vec<Arc<Held>>,
    pub(crate) owed: Vec<Owed>,
    pub(crate) next: Option<Moment>,
    pub(crate) finished: bool,
}

impl Registry {
    /// Looks after a lease from `at` on. `true` when that is earlier than the thread means to wake.
    pub(crate) fn schedule(&mut self, held: &Arc<Held>, at: Moment) -> bool {
        let id = id_of(held);
        if let Some((_, old)) = self.leases.insert(id, (Arc::clone(held), at)) {
            self.due.remove(&(old, id));
        }
        self.due.insert((at, id));
        let early = self.planned.is_none_or(|planned| at < planned);
        if early {
            self.planned = Some(at);
        }
        early
    }

    /// Moves a lease that is still looked after; one that was forgotten meanwhile stays so.
    pub(crate) fn reschedule(&mut self, held: &Arc<Held>, at: Moment) -> bool {
        self.leases.contains_key(&id_of(held)) && self.schedule(held, at)
    }

    pub(crate) fn forget(&mut self, held: &Arc<Held>) {
        let id = id_of(held);
        if let Some((_, at)) = self.leases.remove(&id) {
            self.due.remove(&(at, id));
        }
    }

    pub(crate) fn owe(&mut self, owed: Owed) {
        self.owed.push(owed);
    }

    pub(crate) fn close(&mut self) {
        self.closed = true;
    }

    /// Takes what is due at `now`, and what is due so soon after that it can go along. The leases stay known, each without
    /// a time until it is scheduled again.
    pub(crate) fn take_due(&mut self, now: Moment) -> Due {
        let mut leases = Vec::new();
        let mut reach = Duration::ZERO;
        while let Some(&(at, id)) = self.due.first() {
            if at > now {
                break;
            }
            self.due.pop_first();
            if let Some((held, _)) = self.leases.get(&id) {
                reach = reach.max(schedule::early(held.claim.ttl));
                leases.push(Arc::clone(held));
            }
        }
        let may_go_along = |&&(at, id): &&(Moment, Id)| {
            self.leases.get(&id).is_some_and(|(held, _)| at.since(now) <= schedule::early(held.claim.ttl))
        };
        let soon = self.due.iter().take_while(|(at, _)| at.since(now) <= reach).filter(may_go_along);
        for entry in soon.copied().collect::<Vec<_>>() {
            self.due.remove(&entry);
            leases.extend(self.leases.get(&entry.1).map(|(held, _)| Arc::clone(held)));
        }
        let next = self.due.first().map(|(at, _)| *at);
        self.planned = next;
        let owed = std::mem::take(&mut self.owed);
        let finished = self.closed && self.leases.is_empty() && owed.is_empty();
        Due { leases, owed, next, finished }
    }
}

fn id_of(held: &Arc<Held>) -> Id {
    Arc::as_ptr(held).addr()
}
