//! Standing: the shared knowledge of one lease, and who wants to be woken when it changes.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use tokio::sync::Notify;

use super::contained::contained;
use super::validity::Validity;
use crate::backend::Renewal;
use crate::vocabulary::clock::Moment;
use crate::vocabulary::lost::Lost;

/// One lease's validity, seen by its gate, its handles and the watchdog.
pub(crate) struct Standing {
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    validity: Validity,
    /// A renewal is on its way: a release waits for its answer, so that nothing follows the release on the wire.
    renewing: bool,
    /// Renewals in a row that got no answer.
    unanswered: u32,
    /// Somebody has reported the loss.
    told: bool,
    gate: Option<Waker>,
}

impl Standing {
    pub(crate) fn new(validity: Validity) -> Self {
        Self {
            state: Mutex::new(State { validity, renewing: false, unanswered: 0, told: false, gate: None }),
            changed: Notify::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing that runs under this mutex can panic half-way through a change.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// For the gate, before every poll of the body: is the lease lost as of `now`? Wakes `waker` when that changes.
    pub(crate) fn check_in(&self, now: Moment, waker: &Waker) -> Option<Lost> {
        let mut state = self.state();
        match &mut state.gate {
            Some(old) => old.clone_from(waker),
            None => state.gate = Some(waker.clone()),
        }
        state.validity.lost_at(now)
    }

    pub(crate) fn lost_at(&self, now: Moment) -> Option<Lost> {
        self.state().validity.lost_at(now)
    }

    /// The loss, to the first who asks: it is reported once.
    pub(crate) fn loss_to_tell(&self, now: Moment) -> Option<Lost> {
        let mut state = self.state();
        let lost = state.validity.lost_at(now)?;
        (!std::mem::replace(&mut state.told, true)).then_some(lost)
    }

    pub(crate) fn is_held_at(&self, now: Moment) -> bool {
        self.state().validity.is_held_at(now)
    }

    pub(crate) fn deadline(&self) -> Option<Moment> {
        self.state().validity.deadline()
    }

    /// Notices the passing of the deadline and wakes whom it concerns. `true` while the lease wants its watchdog.
    pub(crate) fn watch(&self, now: Moment) -> bool {
        let mut state = self.state();
        if state.validity.is_held_at(now) {
            return true;
        }
        let gate = state.gate.take();
        drop(state);
        self.wake(gate);
        false
    }

    /// Marks a renewal as on its way, unless the lease has ended or one already is.
    pub(crate) fn begin_renewal(&self) -> bool {
        let mut state = self.state();
        let begin = !state.renewing && !state.validity.has_ended();
        state.renewing |= begin;
        begin
    }

    /// The renewal is over, with an answer or without one. Says how many in a row had none.
    pub(crate) fn finish_renewal(&self, now: Moment, answer: Option<(Renewal, Moment)>) -> u32 {
        let mut state = self.state();
        state.renewing = false;
        match answer {
            Some((renewal, deadline)) => {
                state.unanswered = 0;
                state.validity.renewal_answered(now, renewal, deadline);
            }
            None => state.unanswered = state.unanswered.saturating_add(1),
        }
        let unanswered = state.unanswered;
        let gate = if state.validity.lost_at(now).is_some() { state.gate.take() } else { None };
        drop(state);
        self.wake(gate);
        unanswered
    }

    /// The store has said, in answer to something else than a renewal, that the key is not ours.
    pub(crate) fn told_not_ours(&self, now: Moment) {
        let mut state = self.state();
        state.validity.renewal_answered(now, Renewal::NotOurs, now);
        let gate = state.gate.take();
        drop(state);
        self.wake(gate);
    }

    /// From here on the lease is not held, whatever arrives.
    pub(crate) fn end(&self) {
        let gate = {
            let mut state = self.state();
            state.validity.end();
            state.gate.take()
        };
        drop(gate);
        contained(|| self.changed.notify_waiters());
    }

    /// Waits until no renewal is on its way.
    pub(crate) async fn renewal_joined(&self) {
        self.until(|state| (!state.renewing).then_some(())).await;
    }

    /// Waits until the lease is lost or ended.
    pub(crate) async fn no_longer_held(&self, now: impl Fn() -> Moment) -> Option<Lost> {
        self.until(|state| {
            let now = now();
            (!state.validity.is_held_at(now)).then(|| state.validity.lost_at(now))
        })
        .await
    }

    async fn until<T>(&self, mut ready: impl FnMut(&mut State) -> Option<T>) -> T {
        loop {
            let changed = self.changed.notified();
            let mut changed = std::pin::pin!(changed);
            // Enlisted before the check, so that a change in between is not missed.
            changed.as_mut().enable();
            if let Some(value) = ready(&mut self.state()) {
                return value;
            }
            changed.await;
        }
    }

    fn wake(&self, gate: Option<Waker>) {
        if let Some(gate) = gate {
            contained(|| gate.wake());
        }
        contained(|| self.changed.notify_waiters());
    }
}
