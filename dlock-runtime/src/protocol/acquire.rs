//! Acquire: one try for a key, with a guard before the first await so that nothing leaks.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use super::lease::{Held, Lease, OwnedLease};
use super::owed::Owed;
use super::standing::Standing;
use super::validity::Validity;
use super::{call, renew, schedule};
use crate::assembly::core::Core;
use crate::backend::{Backend, Claim, Contended, Fault, Grant, StoreError};
use crate::vocabulary::clock::Moment;
use crate::vocabulary::ttl::Ttl;
use crate::{Error, ErrorKind, Key, telemetry};

/// What is asked for.
pub(crate) struct Request {
    pub(crate) key: Key,
    /// Required.
    pub(crate) ttl: Option<Duration>,
    pub(crate) min_hold: Option<Duration>,
    pub(crate) backend: Option<String>,
    /// The lease under which the asking task already runs.
    pub(crate) parent: Option<Lease>,
}

/// The answer to a try for a key.
#[derive(Debug)]
#[must_use = "dropping an acquired lease releases it at once"]
pub enum Acquire {
    /// The key is ours until the lease is released, dropped or lost.
    Acquired(OwnedLease),
    /// Somebody else has the key: a normal answer.
    Contended(Contended),
}

/// Tries once.
pub(crate) async fn try_acquire(core: Arc<Core>, request: Request) -> Result<Acquire, Error> {
    let (claim, backend) = prepare(&core, &request).inspect_err(telemetry::misused)?;
    let answer = ask(core, request, Arc::clone(&claim), backend).await;
    answer.inspect_err(|error| telemetry::failed(&claim, error))
}

/// Everything that can be wrong before a store is asked.
fn prepare(core: &Core, request: &Request) -> Result<(Arc<Claim>, Arc<dyn Backend>), Error> {
    let key = request.key.clone().qualified(core.namespace())?;
    let named = |error: Error| error.with_key(key.as_str());
    let backend = core.backend(request.backend.as_deref()).map_err(named)?;
    let missing =
        || Error::new(ErrorKind::InvalidTtl, "no ttl was given: call `.ttl(..)` before `.try_acquire()`");
    let ttl = request.ttl.ok_or_else(missing).and_then(Ttl::try_from).map_err(named)?;
    if request.min_hold.is_some_and(|min_hold| min_hold > Ttl::MAX) {
        return Err(named(Error::new(
            ErrorKind::InvalidTtl,
            "a min_hold is out of bounds: give at most 365 days",
        )));
    }
    Ok((Arc::new(Claim::with_token(key, core.holder(), ttl, core.fresh_token())), backend))
}

async fn ask(
    core: Arc<Core>,
    request: Request,
    claim: Arc<Claim>,
    backend: Arc<dyn Backend>,
) -> Result<Acquire, Error> {
    let ttl = claim.ttl;
    // Before anything is asked: what is granted has to be renewed and given back.
    if core.watchdog.host().is_none() {
        let why = "the system refuses the thread that renews and releases leases";
        return Err(Error::new(ErrorKind::StoreUnreachable, why).with_key(claim.key.as_str()));
    }
    let sent = core.now();
    let requests = AtomicU32::new(0);
    let mut doubt =
        Doubt { core: &core, backend: &backend, claim: &claim, requests: &requests, settled: false };
    let patience = schedule::call_patience(core.store_timeout(), ttl);
    let question = || {
        requests.fetch_add(1, Ordering::Relaxed);
        backend.try_acquire(&claim)
    };
    let repeated = AtomicBool::new(false);
    let tries = call::repeated_when_broken(question, &repeated);
    let answer = call::within(patience, &*backend, tries).await;
    let repeated = repeated.load(Ordering::Relaxed);
    // A first try whose connection broke may still arrive, whatever became of the second.
    let certain = !repeated;
    match answer {
        Ok(Grant::Acquired) => {
            let answered = core.now();
            if backend.leases_expire() && answered >= schedule::deadline(sent, ttl) {
                return Err(too_late(&*backend).for_key(&claim.key));
            }
            doubt.settled = true;
            drop(doubt);
            let granted = Granted { claim, backend, sent, answered, doubtful: repeated };
            grant(core, granted, request.min_hold, request.parent)
        }
        Ok(Grant::Contended(contended)) => {
            doubt.settled = certain;
            telemetry::skipped(&claim, &contended);
            Ok(Acquire::Contended(contended))
        }
        Err(error) => {
            doubt.settled = certain && matches!(error.fault, Fault::Unreachable | Fault::Refused);
            Err(error.for_key(&claim.key))
        }
    }
}

struct Granted {
    claim: Arc<Claim>,
    backend: Arc<dyn Backend>,
    sent: Moment,
    answered: Moment,
    doubtful: bool,
}

/// Makes the lease and puts the watchdog in charge of it.
fn grant(
    core: Arc<Core>,
    granted: Granted,
    min_hold: Option<Duration>,
    parent: Option<Lease>,
) -> Result<Acquire, Error> {
    let Granted { claim, backend, sent, answered, doubtful } = granted;
    let ttl = claim.ttl;
    let due = schedule::next_renewal(sent, ttl, renew::jitter(&claim));
    let expires = backend.leases_expire();
    let deadline = expires.then(|| schedule::deadline(sent, ttl));
    let standing = Standing::new(Validity::granted(deadline));
    let held = Arc::new(Held {
        claim,
        backend,
        standing,
        answered,
        min_hold,
        doubtful,
        fencing: OnceLock::new(),
        core: Arc::clone(&core),
        parent,
    });
    let lease = OwnedLease::new(Arc::clone(&held));
    if expires {
        core.watchdog.keep(&held, due);
    }
    telemetry::acquired(&held.claim);
    Ok(Acquire::Acquired(lease))
}

fn too_late(backend: &dyn Backend) -> StoreError {
    let why = format!("{} granted the key only after the lease's own deadline", backend.name());
    StoreError::new(Fault::Unanswered, why)
}

/// Exists from before the request is sent until it is certain that nothing of ours is left on the store.
struct Doubt<'a> {
    core: &'a Arc<Core>,
    backend: &'a Arc<dyn Backend>,
    claim: &'a Arc<Claim>,
    /// How many requests may be on the store or on their way.
    requests: &'a AtomicU32,
    settled: bool,
}

impl Drop for Doubt<'_> {
    fn drop(&mut self) {
        let requests = self.requests.load(Ordering::Relaxed);
        if !self.settled && requests > 0 {
            let owed =
                Owed::in_doubt(Arc::clone(self.claim), Arc::clone(self.backend), requests, self.core.now());
            self.core.watchdog.release_later(owed);
        }
    }
}
