//! Connections: one for each runtime, made by the pool's manager and replaced when it is no longer good.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use deadpool::managed::Manager as _;
use deadpool_redis::Pool;
use redis::aio::MultiplexedConnection;
use redis::{RedisError, Value};
use tokio::runtime::{Handle, Id};

use super::fault;
use crate::backend::{Fault, StoreError};

/// Connections of runtimes that have ended are let go once there are more than this.
const KEPT: usize = 64;

/// The protocol puts a limit of its own on every call. The driver's only has to be out of its way.
const OUT_OF_THE_WAY: Duration = Duration::from_secs(600);

/// How long a call lets another one's attempt to connect go first.
const ONE_AT_A_TIME: Duration = Duration::from_millis(100);

/// A multiplexed connection is driven by the runtime that made it, and breaks or stalls with it. So each runtime has
/// its own, the watchdog's included.
#[derive(Clone)]
pub(super) struct Connections {
    pool: Pool,
    /// `redis`, or `redis at host:port` where the address is known.
    server: Arc<str>,
    slots: Arc<Mutex<Vec<Slot>>>,
}

#[derive(Clone)]
struct Slot {
    runtime: Id,
    connection: Option<MultiplexedConnection>,
    /// Held while a connection is being made, so that many waiting tasks make one.
    connecting: Arc<tokio::sync::Mutex<()>>,
}

impl Connections {
    pub(super) fn new(pool: Pool, server: &str) -> Self {
        Self { pool, server: server.into(), slots: Arc::default() }
    }

    /// What errors and `Debug` call the server.
    pub(super) fn server(&self) -> &str {
        &self.server
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Slot>> {
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// This runtime's connection.
    pub(super) async fn get(&self) -> Result<MultiplexedConnection, StoreError> {
        let Ok(handle) = Handle::try_current() else {
            return Err(StoreError::new(Fault::Unreachable, "redis needs a tokio runtime to be called from"));
        };
        let slot = self.slot(handle.id());
        if let Some(connection) = slot.connection {
            return Ok(connection);
        }
        // Who waits for another's attempt waits only for so long: it may be stuck where a new one would not be.
        let _one_at_a_time = tokio::time::timeout(ONE_AT_A_TIME, slot.connecting.lock()).await;
        if let Some(connection) = self.slot(handle.id()).connection {
            return Ok(connection);
        }
        let mut connection = self
            .pool
            .manager()
            .create()
            .await
            .map_err(|error| fault::before_sending(error, self.server()))?;
        connection.set_response_timeout(OUT_OF_THE_WAY);
        may_run_scripts(&mut connection)
            .await
            .map_err(|error| fault::before_sending(error, self.server()))?;
        self.put(handle.id(), Some(connection.clone()));
        Ok(connection)
    }

    /// Forgets this runtime's connection: the next call makes a new one.
    pub(super) fn replace(&self) {
        if let Ok(handle) = Handle::try_current() {
            self.put(handle.id(), None);
        }
    }

    fn slot(&self, runtime: Id) -> Slot {
        let mut slots = self.slots();
        if let Some(slot) = slots.iter().find(|slot| slot.runtime == runtime) {
            return slot.clone();
        }
        if slots.len() >= KEPT {
            slots.remove(0);
        }
        let slot = Slot { runtime, connection: None, connecting: Arc::default() };
        slots.push(slot.clone());
        slot
    }

    fn put(&self, runtime: Id, connection: Option<MultiplexedConnection>) {
        let mut slots = self.slots();
        if let Some(slot) = slots.iter_mut().find(|slot| slot.runtime == runtime) {
            // Dropped outside of a lock it is not: a connection's drop only closes a channel.
            slot.connection = connection;
        }
    }
}

/// Asks, once a connection, for the right to what a release needs: a user without it could take locks that only their
/// ttl would free.
async fn may_run_scripts(connection: &mut MultiplexedConnection) -> Result<(), RedisError> {
    let mut both = redis::pipe();
    both.cmd("EVAL").arg("return 1").arg(0).cmd("EVALSHA").arg("0".repeat(40)).arg(0);
    let answers = connection.send_packed_commands(both.ignore_errors(), 0, 2).await?;
    for answer in answers {
        if let Value::ServerError(error) = answer
            && error.code() == "NOPERM"
        {
            return Err(error.into());
        }
    }
    Ok(())
}
