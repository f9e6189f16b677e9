//! Telemetry: the only room that talks to the outside about what happens, in `tracing` events of target `dlock`.

use std::time::Duration;

use tracing::{debug, error, info, warn};

use crate::Error;
use crate::backend::{Claim, Contended, StoreError};
use crate::protocol::contained::contained;
use crate::vocabulary::lost::Lost;

pub(crate) fn acquired(claim: &Claim) {
    let Claim { key, token, holder, ttl, .. } = claim;
    let key = key.as_str();
    contained(|| debug!(target: "dlock", key, %token, %holder, ttl_ms = ttl.as_millis(), "acquired"));
}

pub(crate) fn skipped(claim: &Claim, contended: &Contended) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    let held_by = contended.holder.as_ref().map_or("unknown", |holder| holder.as_str());
    contained(|| info!(target: "dlock", key, %token, %holder, held_by, "skipped"));
}

pub(crate) fn renewed(claim: &Claim) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    contained(|| debug!(target: "dlock", key, %token, %holder, "renewed"));
}

pub(crate) fn renewal_failed(claim: &Claim, error: &StoreError) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    contained(
        || warn!(target: "dlock", key, %token, %holder, %error, cause = cause(error), "renewal failed, will be tried again"),
    );
}

pub(crate) fn lost(claim: &Claim, reason: Lost) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    contained(|| warn!(target: "dlock", key, %token, %holder, %reason, "lost"));
}

pub(crate) fn released(claim: &Claim, kept: Option<Duration>) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    contained(
        || debug!(target: "dlock", key, %token, %holder, kept_ms = kept.map(|kept| kept.as_secs_f64() * 1e3), "released"),
    );
}

/// The key was no longer ours when we gave it back. When the loss has been reported before, that is no news.
pub(crate) fn release_found_foreign(claim: &Claim, lost: Option<Lost>) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    if lost.is_none() {
        contained(
            || warn!(target: "dlock", key, %token, %holder, "released, but the key was no longer ours: another may have run meanwhile"),
        );
    }
}

pub(crate) fn release_failed(claim: &Claim, error: &StoreError) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    contained(
        || warn!(target: "dlock", key, %token, %holder, %error, cause = cause(error), "release not confirmed, goes on in the background"),
    );
}

pub(crate) fn release_given_up(claim: &Claim) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    contained(|| warn!(target: "dlock", key, %token, %holder, "release given up: the ttl frees the key"));
}

pub(crate) fn failed(claim: &Claim, error: &Error) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    contained(
        || error!(target: "dlock", key, %token, %holder, kind = ?error.kind(), %error, cause = cause(error), "failed"),
    );
}

/// Wrong before any store was asked: there is no token yet.
pub(crate) fn misused(error: &Error) {
    let key = error.key().unwrap_or_default();
    contained(|| error!(target: "dlock", key, kind = ?error.kind(), %error, "failed"));
}

pub(crate) fn running_unlocked(error: &Error) {
    let key = error.key().unwrap_or_default();
    contained(
        || warn!(target: "dlock", key, kind = ?error.kind(), "running without the lock, as `on_error = \"run\"` asks"),
    );
}

pub(crate) fn body_stopped(claim: &Claim, reason: Lost) {
    let Claim { key, token, holder, .. } = claim;
    let key = key.as_str();
    contained(|| warn!(target: "dlock", key, %token, %holder, %reason, "the body was stopped"));
}

pub(crate) fn watchdog_missing(error: &std::io::Error) {
    contained(|| error!(target: "dlock", %error, "the watchdog thread could not be started"));
}

/// What the driver said.
fn cause(error: &dyn std::error::Error) -> Option<String> {
    error.source().map(ToString::to_string)
}
