//! Fence: asks the store for a lease's fencing token, once.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::lease::Held;
use super::{call, schedule};
use crate::backend::Fence;
use crate::vocabulary::fencing::FencingToken;
use crate::vocabulary::lost::Lost;
use crate::{Error, telemetry};

/// The lease's token, from the store the first time and remembered then.
pub(crate) async fn token(held: Arc<Held>) -> Result<FencingToken, Error> {
    let core = &held.core;
    let key = held.claim.key.as_str();
    if !held.standing.is_held_at(core.now()) {
        let lost = held.standing.lost_at(core.now()).unwrap_or(Lost::Expired);
        return Err(Error::from_lost(lost, key));
    }
    if let Some(token) = held.fencing.get() {
        return Ok(*token);
    }
    let patience = schedule::call_patience(core.store_timeout(), held.claim.ttl);
    let ask = || held.backend.fence(&held.claim);
    // A number that was skipped does no harm.
    let repeated = AtomicBool::new(false);
    let tries = call::repeated_when_broken(ask, &repeated);
    match call::within(patience, &*held.backend, tries).await {
        // Two calls at once may have got two numbers; one of them is the lease's.
        Ok(Fence::Token(token)) => Ok(*held.fencing.get_or_init(|| token)),
        Ok(Fence::NotOurs) => {
            held.standing.told_not_ours(core.now());
            if let Some(lost) = held.standing.loss_to_tell(core.now()) {
                telemetry::lost(&held.claim, lost);
            }
            Err(Error::from_lost(Lost::Taken, key))
        }
        Err(error) => Err(error.for_key(&held.claim.key)),
    }
}
