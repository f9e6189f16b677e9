//! Renew: many leases in few round trips, and what each answer means.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::future::{FutureExt, join_all};

use super::call;
use super::lease::Held;
use super::schedule;
use crate::backend::{Backend, Claim, Fault, Renewal, StoreError};
use crate::telemetry;
use crate::vocabulary::clock::Moment;

/// How many leases are renewed in one call: the knee between round trips and blocking the store's single thread.
const BATCH: usize = 100;

/// A lease and when it is to be looked at again; `None` when it is lost.
pub(crate) type Next = (Arc<Held>, Option<Moment>);

/// Splits what is due into calls: one backend each, not too many leases each.
pub(crate) fn batches(due: Vec<Arc<Held>>) -> Vec<Vec<Arc<Held>>> {
    let mut batches: Vec<Vec<Arc<Held>>> = Vec::new();
    for held in due {
        let fits = |batch: &&mut Vec<Arc<Held>>| {
            batch.len() < BATCH
                && batch.first().is_some_and(|first| Arc::ptr_eq(&first.backend, &held.backend))
        };
        match batches.iter_mut().rev().find(fits) {
            Some(batch) => batch.push(held),
            None => batches.push(vec![held]),
        }
    }
    batches
}

/// Renews one batch, all of one backend, and says when each lease is due again.
pub(crate) async fn batch(leases: Vec<Arc<Held>>, now: impl Fn() -> Moment) -> Vec<Next> {
    let Some(first) = leases.first() else {
        return Vec::new();
    };
    let backend = Arc::clone(&first.backend);
    let claims: Vec<Arc<Claim>> = leases.iter().map(|held| Arc::clone(&held.claim)).collect();
    let patience =
        claims.iter().map(|claim| schedule::renewal_patience(claim.ttl)).min().unwrap_or(Duration::ZERO);
    let sent = now();
    let mut answers = ask(&*backend, &claims, patience).await;
    if claims.len() > 1
        && answers.iter().all(|answer| matches!(answer, Err(error) if error.fault == Fault::Refused))
    {
        // One key's rights may be the reason: let no other lease suffer for it.
        let alone = claims.iter().map(|claim| ask(&*backend, std::slice::from_ref(claim), patience));
        answers = join_all(alone).await.into_iter().flatten().collect();
    }
    let mut answers = answers.into_iter();
    let mut answer = || answers.next().unwrap_or_else(|| Err(unanswered(&*backend)));
    leases.into_iter().map(|held| settle(held, &answer(), sent, now())).collect()
}

fn unanswered(backend: &dyn Backend) -> StoreError {
    StoreError::new(
        Fault::Unanswered,
        format!("{} answered for fewer leases than it was asked", backend.name()),
    )
}

async fn ask(
    backend: &dyn Backend,
    claims: &[Arc<Claim>],
    patience: Duration,
) -> Vec<Result<Renewal, StoreError>> {
    let question = async {
        // A backend that panics, be it before its first await, has not answered.
        let answers = AssertUnwindSafe(async { backend.renew(claims).await }).catch_unwind().await;
        answers.map_err(|_| StoreError::new(Fault::Unanswered, format!("{} panicked", backend.name())))
    };
    match call::within(patience, backend, question).await {
        Ok(answers) => answers,
        Err(error) => claims.iter().map(|_| Err(error.clone())).collect(),
    }
}

/// Takes one lease's answer in and says when it is due again.
fn settle(held: Arc<Held>, answer: &Result<Renewal, StoreError>, sent: Moment, now: Moment) -> Next {
    let ttl = held.claim.ttl;
    let known = answer.as_ref().ok().map(|renewal| (*renewal, schedule::deadline(sent, ttl)));
    let unanswered = held.standing.finish_renewal(now, known);
    if !held.standing.is_held_at(now) {
        if let Some(lost) = held.standing.loss_to_tell(now) {
            telemetry::lost(&held.claim, lost);
        }
        return (held, None);
    }
    let due = match answer {
        Ok(_) => {
            telemetry::renewed(&held.claim);
            schedule::next_renewal(sent, ttl, jitter(&held.claim))
        }
        Err(error) => {
            telemetry::renewal_failed(&held.claim, error);
            now.plus(schedule::backoff(unanswered, ttl))
        }
    };
    let due = held.standing.deadline().map_or(due, |deadline| due.min(deadline));
    (held, Some(due))
}

/// Differs between leases and stays the same for one: tokens are random already.
pub(crate) fn jitter(claim: &Claim) -> u64 {
    u64::try_from(claim.token.as_u128() & u128::from(u32::MAX)).unwrap_or(0)
}
