//! Release: giving a key back, at once while somebody waits for the answer, or in the background.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::lease::Held;
use super::owed::Owed;
use super::{call, schedule};
use crate::assembly::core::Core;
use crate::backend::Release;
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

/// Gives the key back and waits for the answer. What fails, or is dropped on the way, is handed to the watchdog.
pub(crate) async fn now(held: &Arc<Held>) -> Result<Released, Error> {
    let core = &held.core;
    let lost = end(held);
    if !held.backend.leases_expire() && held.min_hold_left(core.now()).is_some() {
        core.watchdog.release_later(Owed::of(held));
        telemetry::released(&held.claim, held.min_hold);
        return Ok(Released::Freed);
    }
    let mut owed = HandOver { owed: Some(Owed::of(held)), core };
    let repeated = AtomicBool::new(false);
    let asked = async {
        held.standing.renewal_joined().await;
        let keep = held.min_hold_left(core.now());
        let ask = || held.backend.release(&held.claim, keep);
        Ok((call::repeated_when_broken(ask, &repeated).await?, keep))
    };
    let patience = schedule::call_patience(core.store_timeout(), held.claim.ttl);
    match call::within(patience, &*held.backend, asked).await {
        // On the second try «not ours» may only mean that the first one has freed it.
        Ok((answer, keep)) if answer == Release::Freed || repeated.load(Ordering::Relaxed) => {
            owed.settle(held, keep);
            telemetry::released(&held.claim, keep);
            Ok(Released::Freed)
        }
        Ok((_, keep)) => {
            owed.settle(held, keep);
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
pub(crate) fn in_background(held: &Arc<Held>) {
    // Where the store has said that the key is not ours there is nothing to free, but what may still be on its way.
    if end(held) != Some(Lost::Taken) || held.doubtful {
        held.core.watchdog.release_later(Owed::of(held));
    }
}

/// From here on the lease is not held and not renewed.
fn end(held: &Arc<Held>) -> Option<Lost> {
    let lost = held.standing.lost_at(held.core.now());
    held.standing.end();
    held.core.watchdog.forget(held);
    lost
}

/// Hands the release to the watchdog when the wait for its answer fails or is dropped.
struct HandOver<'a> {
    owed: Option<Owed>,
    core: &'a Core,
}

impl HandOver<'_> {
    /// The store has answered. Where a first request for the grant may still be on its way, that is not the last word,
    /// and a key that is kept stays so.
    fn settle(&mut self, held: &Arc<Held>, keep: Option<Duration>) {
        self.owed = match (held.doubtful, keep) {
            (false, _) => None,
            (true, Some(_)) => Some(Owed::of(held)),
            (true, None) => {
                let (claim, backend) = (Arc::clone(&held.claim), Arc::clone(&held.backend));
                Some(Owed::in_doubt(claim, backend, 1, held.core.now()))
            }
        };
    }
}

impl Drop for HandOver<'_> {
    fn drop(&mut self) {
        if let Some(owed) = self.owed.take() {
            self.core.watchdog.release_later(owed);
        }
    }
}
