//! Gate: decides before every poll of a body whether it may take one more step, from acquire to release.
//! Knows nothing of the body, so that it is compiled once and not once a function.

use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use super::acquire::{self, Acquire, Request};
use super::call;
use super::lease::{Lease, OwnedLease};
use crate::assembly::core::Core;
use crate::assembly::{global, request};
use crate::backend::{Answer, Contended};
use crate::vocabulary::lost::Lost;
use crate::{Error, ErrorKind, Key, telemetry};

/// What one function asks for: what the attribute's options say.
pub(crate) struct Terms {
    pub(crate) key: Key,
    pub(crate) ttl: Duration,
    pub(crate) min_hold: Option<Duration>,
    pub(crate) backend: Option<&'static str>,
    /// Whether the body goes on when the lease is lost.
    pub(crate) keep_when_lost: bool,
    /// Whether the body runs without the lock when the store cannot be asked.
    pub(crate) run_unlocked: bool,
    /// Where to ask; `None` for the task's or the process's own.
    pub(crate) core: Option<Arc<Core>>,
}

impl Terms {
    /// The required ones.
    pub(crate) fn new(key: Key, ttl: Duration) -> Self {
        Self {
            key,
            ttl,
            min_hold: None,
            backend: None,
            keep_when_lost: false,
            run_unlocked: false,
            core: None,
        }
    }
}

/// Why a body was not run, or not to its end.
pub(crate) enum Stopped {
    Skipped(Contended),
    Lost(Lost, Key),
    Failed(Error),
}

/// One call's way from acquire to release.
pub(crate) struct Gate {
    stage: Stage,
    keep_when_lost: bool,
    run_unlocked: bool,
}

enum Stage {
    Start(Terms),
    Acquiring(Answer<'static, Result<Acquire, Error>>),
    Running(OwnedLease),
    Unlocked,
    Releasing(Answer<'static, ()>),
    Over,
}

impl Gate {
    pub(crate) fn new(terms: Terms) -> Self {
        let (keep_when_lost, run_unlocked) = (terms.keep_when_lost, terms.run_unlocked);
        Self { stage: Stage::Start(terms), keep_when_lost, run_unlocked }
    }

    /// Before every poll of the body: `Ok` when it may take one more step, under the lease given.
    ///
    /// After an error the caller drops the body first and calls [`close`](Gate::close) then, so that the key is free
    /// only when nothing of the body is left.
    pub(crate) fn poll_open(&mut self, cx: &mut Context<'_>) -> Poll<Result<Option<Lease>, Stopped>> {
        loop {
            match &mut self.stage {
                Stage::Start(_) => {
                    if let Err(error) = self.start() {
                        telemetry::misused(&error);
                        return Poll::Ready(Err(Stopped::Failed(error)));
                    }
                }
                Stage::Acquiring(answer) => match ready!(answer.as_mut().poll(cx)) {
                    Ok(Acquire::Acquired(lease)) => self.stage = Stage::Running(lease),
                    Ok(Acquire::Contended(contended)) => {
                        return Poll::Ready(Err(Stopped::Skipped(contended)));
                    }
                    Err(error) if self.run_unlocked && is_the_stores(&error) => {
                        telemetry::running_unlocked(&error);
                        self.stage = Stage::Unlocked;
                    }
                    Err(error) => return Poll::Ready(Err(Stopped::Failed(error))),
                },
                Stage::Running(lease) => return Poll::Ready(check(lease, self.keep_when_lost, cx).map(Some)),
                Stage::Unlocked => return Poll::Ready(Ok(None)),
                Stage::Releasing(_) | Stage::Over => unreachable!("a body is not polled after its end"),
            }
        }
    }

    fn start(&mut self) -> Result<(), Error> {
        let Stage::Start(terms) = std::mem::replace(&mut self.stage, Stage::Over) else {
            return Ok(());
        };
        let core = match terms.core {
            Some(core) => core,
            None => {
                let locks = global::locks().map_err(|error| error.with_key(terms.key.as_str()))?;
                Arc::clone(locks.core())
            }
        };
        let request = Request {
            key: terms.key,
            ttl: Some(terms.ttl),
            min_hold: terms.min_hold,
            backend: terms.backend.map(str::to_owned),
            parent: Lease::current(),
        };
        let work = acquire::try_acquire(Arc::clone(&core), request);
        self.stage = Stage::Acquiring(call::hosted(&core.watchdog, work, || Err(request::no_host())));
        Ok(())
    }

    /// After the body's end: gives the key back, and waits for the answer so that the next call can have it.
    /// A failure is reported and goes on in the background; it never gets between the body and its caller.
    pub(crate) fn poll_release(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        loop {
            match std::mem::replace(&mut self.stage, Stage::Over) {
                Stage::Running(lease) => {
                    let core = Arc::clone(&lease.0.core);
                    let work = async move { drop(lease.release().await) };
                    self.stage = Stage::Releasing(call::hosted(&core.watchdog, work, || ()));
                }
                Stage::Releasing(mut answer) => {
                    if answer.as_mut().poll(cx).is_pending() {
                        self.stage = Stage::Releasing(answer);
                        return Poll::Pending;
                    }
                }
                Stage::Start(_) | Stage::Acquiring(_) | Stage::Unlocked | Stage::Over => {
                    return Poll::Ready(());
                }
            }
        }
    }

    /// Lets go of everything; what is held is released in the background.
    pub(crate) fn close(&mut self) {
        self.stage = Stage::Over;
    }

    /// A guard around one poll of the body: when the body panics, the key is released although the future that
    /// panicked may be kept.
    pub(crate) fn while_polled(&mut self) -> WhilePolled<'_> {
        WhilePolled { gate: self, returned: false }
    }
}

/// Lets go unless the poll returned.
pub(crate) struct WhilePolled<'a> {
    gate: &'a mut Gate,
    returned: bool,
}

impl WhilePolled<'_> {
    /// The poll came back without a panic.
    pub(crate) fn returned(mut self) {
        self.returned = true;
    }
}

impl Drop for WhilePolled<'_> {
    fn drop(&mut self) {
        if !self.returned {
            self.gate.close();
        }
    }
}

/// Whether the lease lets its body take one more step, and a wake-up for when that changes.
fn check(lease: &OwnedLease, keep_when_lost: bool, cx: &mut Context<'_>) -> Result<Lease, Stopped> {
    let held = &lease.0;
    let now = held.core.now();
    let Some(lost) = held.standing.check_in(now, cx.waker()) else {
        return Ok(Lease::clone(lease));
    };
    if held.standing.loss_to_tell(now).is_some() {
        telemetry::lost(&held.claim, lost);
    }
    if keep_when_lost {
        return Ok(Lease::clone(lease));
    }
    telemetry::body_stopped(&held.claim, lost);
    Err(Stopped::Lost(lost, held.claim.key.clone()))
}

fn is_the_stores(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::StoreUnreachable | ErrorKind::StoreRefused)
}
