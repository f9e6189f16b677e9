//! Owed: a key that the watchdog has to give back, until the store has confirmed it.

use std::sync::Arc;
use std::time::Duration;

use super::lease::Held;
use super::{call, schedule};
use crate::backend::{Backend, Claim, Release};
use crate::telemetry;
use crate::vocabulary::clock::Moment;

/// A key that is owed to its store.
pub(crate) struct Owed {
    claim: Arc<Claim>,
    backend: Arc<dyn Backend>,
    /// The lease it comes from; `None` when the grant itself is in doubt.
    held: Option<Arc<Held>>,
    /// How many requests for the grant may have reached the store or be on their way to it.
    requests: u32,
    /// One of them may still be on its way: «not ours» may only mean «not yet».
    doubtful: bool,
    /// Up to here it is worth trying: then the store has freed the key by itself, or nothing is on its way any more.
    until: Moment,
}

impl Owed {
    /// Of a lease that has ended.
    pub(crate) fn of(held: &Arc<Held>) -> Self {
        let now = held.core.now();
        let until = match held.standing.deadline() {
            Some(deadline) => deadline.plus(schedule::margin(held.claim.ttl)),
            None => now.plus(held.min_hold_left(now).unwrap_or_default()),
        };
        let until = if held.doubtful { until.max(end_of_doubt(&held.claim, now)) } else { until };
        let (claim, backend) = (Arc::clone(&held.claim), Arc::clone(&held.backend));
        let requests = 1 + u32::from(held.doubtful);
        Self { claim, backend, held: Some(Arc::clone(held)), requests, doubtful: held.doubtful, until }
    }

    /// Of an acquisition, so many requests of which have had no answer until `now`.
    pub(crate) fn in_doubt(claim: Arc<Claim>, backend: Arc<dyn Backend>, requests: u32, now: Moment) -> Self {
        let until = end_of_doubt(&claim, now);
        Self { claim, backend, held: None, requests, doubtful: true, until }
    }

    /// Tries until the store confirms, or nothing is left to be freed.
    pub(crate) async fn pay(mut self, now: impl Fn() -> Moment) {
        self.wait_for_its_time(&now).await;
        let patience = schedule::renewal_patience(self.claim.ttl).max(Duration::from_millis(50));
        // Since when the store has been answering without a break.
        let mut answering: Option<Moment> = None;
        for tries in 1.. {
            let keep = self.keep(now());
            let question = self.backend.release(&self.claim, keep);
            let answer = call::within(patience, &*self.backend, question).await;
            let at = now();
            answering = answer.is_ok().then(|| answering.unwrap_or(at));
            match answer {
                Ok(Release::Freed) => {
                    telemetry::released(&self.claim, keep);
                    // A key that is kept is still there, and may be kept again.
                    self.requests -= u32::from(keep.is_none());
                    if self.requests == 0 || !self.doubtful || at >= self.until {
                        return;
                    }
                }
                Ok(Release::NotOurs) if !self.doubtful => return,
                Ok(Release::NotOurs) if at >= self.until.max(settled_since(answering, at)) => return,
                Err(_) if at >= self.until.plus(schedule::RELEASE_PATIENCE) => {
                    return telemetry::release_given_up(&self.claim);
                }
                _ => {}
            }
            tokio::time::sleep(schedule::release_pause(tries)).await;
        }
    }

    /// No release overtakes a renewal; and where the store frees nothing by itself, `min_hold` is waited for here.
    async fn wait_for_its_time(&self, now: impl Fn() -> Moment) {
        let Some(held) = &self.held else { return };
        held.standing.renewal_joined().await;
        if let (Some(left), false) = (held.min_hold_left(now()), self.backend.leases_expire()) {
            tokio::time::sleep(left).await;
        }
    }

    /// How long the key has to stay taken, as of now.
    fn keep(&self, now: Moment) -> Option<Duration> {
        let held = self.held.as_ref().filter(|_| self.backend.leases_expire())?;
        held.min_hold_left(now)
    }
}

/// After an outage requests that were on their way arrive together with ours, in any order.
fn settled_since(answering: Option<Moment>, now: Moment) -> Moment {
    answering.unwrap_or(now).plus(schedule::SETTLING)
}

fn end_of_doubt(claim: &Claim, now: Moment) -> Moment {
    now.plus(claim.ttl.as_duration().min(schedule::LONGEST_DOUBT))
}
