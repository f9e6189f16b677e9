//! Release: giving a key back, at once while somebody waits for the answer, or later by the watchdog.

use std::sync::Arc;
use std::time::Duration;

use super::lease::Held;
use super::{call, schedule};
use crate::assembly::core::Core;
use crate::backend::{Backend, Claim, Fault, Release, StoreError};
use crate::vocabulary::clock::Moment;
use crate::vocabulary::lost::Lost;
use crate::{Error, telemetry};

/// How a release went.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
#[must_use = "a key that was no longer ours means that exclusion was broken"]
pub enum Released {
    /// The key was ours until now. It is free, or will be when its `min_hold` is over.
    Freed,
    /// The key had already gone or changed hands; nothing was touched.
    NotOurs,
}

/// Gives the key back and waits for the answer. What fails is handed to the watchdog.
pub(crate) async fn now(held: &Arc<Held>) -> Result<Released, Error> {
    let core = &held.core;
    let lost = held.standing.lost_at(core.now());
    held.standing.end();
    core.watchdog.forget(held);
    let keep = held.min_hold_left(core.now());
    if keep.is_some() && !held.backend.leases_expire() {
        core.watchdog.release_later(Owed::of(held, keep));
        telemetry::released(&held.claim, keep);
        return Ok(Released::Freed);
    }
    let mut owed = HandOver { owed: Some(Owed::of(held, None)), core };
    held.standing.renewal_joined().await;
    let patience = schedule::call_patience(core.store_timeout(), held.claim.ttl);
    let ask = || held.backend.release(&held.claim, keep);
    let (answer, doubtful) = call::repeated_when_broken(patience, &*held.backend, ask).await;
    match answer {
        Ok(Release::Freed) => {
            owed.settle();
            telemetry::released(&held.claim, keep);
            Ok(Released::Freed)
        }
        // Our own first try may have freed it.
        Ok(Release::NotOurs) if doubtful => {
            owed.settle();
            telemetry::released(&held.claim, keep);
            Ok(Released::Freed)
        }
        Ok(Release::NotOurs) => {
            owed.settle();
            telemetry::release_found_foreign(&held.claim, lost);
            Ok(Released::NotOurs)
        }
        Err(error) => {
            telemetry::release_failed(&held.claim, &error);
            Err(error.for_key(&held.claim.key))
        }
    }
}

/// Gives the key back without anybody waiting for it.
pub(crate) fn in_background(held: Arc<Held>) {
    let core = &held.core;
    let lost = held.standing.lost_at(core.now());
    held.standing.end();
    core.watchdog.forget(&held);
    if lost == Some(Lost::Taken) {
        // The store has said so: there is nothing of ours to free.
        return;
    }
    let keep = held.min_hold_left(core.now());
    core.watchdog.release_later(Owed::of(&held, keep));
}

/// Hands the release to the watchdog when the wait for its answer fails or is dropped.
struct HandOver<'a> {
    owed: Option<Owed>,
    core: &'a Core,
}

impl HandOver<'_> {
    fn settle(&mut self) {
        self.owed = None;
    }
}

impl Drop for HandOver<'_> {
    fn drop(&mut self) {
        if let Some(mut owed) = self.owed.take() {
            owed.keep = owed.held.as_ref().and_then(|held| held.min_hold_left(self.core.now()));
            self.core.watchdog.release_later(owed);
        }
    }
}

/// A key that is owed to the store: to be released by the watchdog.
pub(crate) struct Owed {
    claim: Arc<Claim>,
    backend: Arc<dyn Backend>,
    /// The lease it comes from; `None` when the grant itself is in doubt.
    held: Option<Arc<Held>>,
    keep: Option<Duration>,
    /// The grant may still be on its way: «not ours» is no final answer.
    doubtful: bool,
    /// When the store frees it anyhow.
    until: Moment,
}

impl Owed {
    fn of(held: &Arc<Held>, keep: Option<Duration>) -> Self {
        let until = match held.standing.deadline() {
            Some(deadline) => deadline.plus(schedule::margin(held.claim.ttl)),
            None => held.core.now().plus(keep.unwrap_or_default()).plus(schedule::RELEASE_PATIENCE),
        };
        Self {
            claim: Arc::clone(&held.claim),
            backend: Arc::clone(&held.backend),
            held: Some(Arc::clone(held)),
            keep,
            doubtful: false,
            until,
        }
    }

    /// For an acquisition whose answer has not come until `now`.
    pub(crate) fn in_doubt(claim: Arc<Claim>, backend: Arc<dyn Backend>, now: Moment) -> Self {
        let until = now.plus(claim.ttl.as_duration());
        Self { claim, backend, held: None, keep: None, doubtful: true, until }
    }
}

/// The watchdog's side: tries until the store confirms, or until it has freed the key by itself.
pub(crate) async fn pay(owed: Owed, now: impl Fn() -> Moment) {
    if let Some(held) = &owed.held {
        held.standing.renewal_joined().await;
    }
    let mut keep = owed.keep;
    if let (Some(left), false) = (keep, owed.backend.leases_expire()) {
        tokio::time::sleep(left).await;
        keep = None;
    }
    let patience = schedule::renewal_patience(owed.claim.ttl).max(Duration::from_millis(50));
    let mut tries = 0;
    loop {
        tries += 1;
        let question = owed.backend.release(&owed.claim, keep);
        let answer = call::within(patience, &*owed.backend, question).await;
        if settled(&owed, keep, &answer) {
            return;
        }
        if now() >= owed.until {
            // A grant that stayed in doubt to the end was most likely never made.
            if !owed.doubtful {
                telemetry::release_given_up(&owed.claim);
            }
            return;
        }
        tokio::time::sleep(schedule::backoff(tries, owed.claim.ttl)).await;
    }
}

/// Whether this answer ends it.
fn settled(owed: &Owed, keep: Option<Duration>, answer: &Result<Release, StoreError>) -> bool {
    match answer {
        Ok(Release::Freed) => {
            telemetry::released(&owed.claim, keep);
            true
        }
        // After a doubtful grant, «not ours» may only mean «not yet»; after a failed release, «already done».
        Ok(Release::NotOurs) => !owed.doubtful,
        Err(error) => error.fault == Fault::Refused && !owed.backend.leases_expire(),
    }
}
