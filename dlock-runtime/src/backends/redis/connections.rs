//! Connections: one for each runtime, replaced when it is no longer good.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool_redis::Pool;
use futures_util::future::{Either, Shared, select};
use tokio::runtime::{Handle, Id};

use super::connecting::{Attempt, attempt};
use super::line::Line;
use crate::backend::{Fault, StoreError};

/// Connections of runtimes that have ended are let go once there are more than this.
const KEPT: usize = 32;

/// How long an attempt to connect is waited for before a second one is begun beside it: it may be stuck where a new one
/// is not.
const ALONE: Duration = Duration::from_millis(100);

/// A multiplexed connection is driven by the runtime that made it, and breaks or stalls with it. So each runtime has
/// its own, the watchdog's included.
#[derive(Clone)]
pub(super) struct Connections {
    pool: Pool,
    /// `redis`, or `redis at host:port` where the address is known.
    server: Arc<str>,
    /// The most recently used last.
    slots: Arc<Mutex<Vec<Slot>>>,
}

#[derive(Clone)]
struct Slot {
    runtime: Id,
    line: Option<Line>,
    /// At most two attempts at a time, however many calls wait for them. An attempt outlives the calls that wait for it,
    /// so that connecting may take longer than one call.
    attempts: [Option<Shared<Attempt>>; 2],
}

impl Connections {
    pub(super) fn new(pool: Pool, server: &str) -> Self {
        Self { pool, server: server.into(), slots: Arc::default() }
    }

    /// What errors and `Debug` call the server.
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    /// This runtime's connection.
    pub(super) async fn get(&self) -> Result<Line, StoreError> {
        let Ok(handle) = Handle::try_current() else {
            return Err(StoreError::new(Fault::Unreachable, "redis needs a tokio runtime to be called from"));
        };
        let runtime = handle.id();
        if let Some(line) = self.with_slot(runtime, |slot| slot.line.clone()) {
            return Ok(line);
        }
        // An attempt of a call that is gone was not driven meanwhile: when it fails, that may be old news.
        match self.connect(runtime).await {
            (Err(_), false) => self.connect(runtime).await.0,
            (made, _) => made,
        }
    }

    /// A connection from an attempt, and whether that was begun by this call.
    async fn connect(&self, runtime: Id) -> (Result<Line, StoreError>, bool) {
        let (first, ours) = self.attempt(runtime, 0);
        let (made, ours) = match tokio::time::timeout(ALONE, first.clone()).await {
            Ok(made) => (made, ours),
            Err(_) => {
                let (second, second_is_ours) = self.attempt(runtime, 1);
                match select(first, second).await {
                    Either::Left((made, _)) => (made, ours),
                    Either::Right((made, _)) => (made, second_is_ours),
                }
            }
        };
        (self.settle(runtime, made), ours)
    }

    /// Keeps what an attempt has made, or what another has made before it.
    fn settle(&self, runtime: Id, made: Result<Line, StoreError>) -> Result<Line, StoreError> {
        self.with_slot(runtime, |slot| {
            // Whoever of those who waited comes first.
            slot.attempts.iter_mut().for_each(|attempt| drop(attempt.take_if(|it| it.peek().is_some())));
            match (&slot.line, made) {
                (Some(line), Ok(_)) => Ok(line.clone()),
                (_, Ok(line)) => {
                    slot.attempts = [None, None];
                    slot.line = Some(line.clone());
                    Ok(line)
                }
                (_, Err(error)) => Err(error),
            }
        })
    }

    /// A call on this runtime was given up: the next one may need a new connection.
    pub(super) fn gave_up(&self) {
        self.with_this_slot(|slot| drop(slot.line.take_if(|line| line.gave_up())));
    }

    /// Forgets this runtime's connection: the next call makes a new one.
    pub(super) fn replace(&self) {
        self.with_this_slot(|slot| slot.line = None);
    }

    fn with_this_slot(&self, work: impl FnOnce(&mut Slot)) {
        if let Ok(handle) = Handle::try_current() {
            self.with_slot(handle.id(), work);
        }
    }

    /// The attempt that is on its way, or a new one, and whether it is new.
    fn attempt(&self, runtime: Id, lane: usize) -> (Shared<Attempt>, bool) {
        self.with_slot(runtime, |slot| {
            let new = slot.attempts[lane].is_none();
            (slot.attempts[lane].get_or_insert_with(|| attempt(&self.pool, &self.server)).clone(), new)
        })
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn with_slot<T>(&self, runtime: Id, work: impl FnOnce(&mut Slot) -> T) -> T {
        let mut slots = self.slots();
        let at = match slots.iter().rposition(|slot| slot.runtime == runtime) {
            Some(at) => at,
            None => {
                if slots.len() >= KEPT {
                    slots.remove(0);
                }
                slots.push(Slot { runtime, line: None, attempts: [None, None] });
                slots.len() - 1
            }
        };
        slots[at..].rotate_left(1);
        let last = slots.len() - 1;
        work(&mut slots[last])
    }
}
