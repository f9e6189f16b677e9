//! Line: one connection, and what is known about it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use redis::aio::MultiplexedConnection;
use redis::{Cmd, RedisError, Value};

use super::fault;

/// A connection that any number of calls use at once. Clones are the same.
#[derive(Clone)]
pub(super) struct Line {
    connection: MultiplexedConnection,
    known: Arc<Known>,
}

#[derive(Default)]
struct Known {
    /// It has answered once: when it does not any more, something is wrong with it.
    answered: AtomicBool,
    /// A call over it was given up before it had ever answered: it may just be far away.
    doubted: AtomicBool,
    /// Its user may do all that a lease needs.
    may_give_back: AtomicBool,
}

/// Names the first command that the user may not run on the key. Runs none of them, so that no refusal is logged.
/// Servers before Redis 7 cannot tell.
const MAY_GIVE_BACK: &str = "if not redis.acl_check_cmd then return '' end
if not redis.acl_check_cmd('get', KEYS[1]) then return 'get' end
if not redis.acl_check_cmd('del', KEYS[1]) then return 'del' end
if not redis.acl_check_cmd('pexpire', KEYS[1], '1') then return 'pexpire' end
return ''";

impl Line {
    pub(super) fn new(connection: MultiplexedConnection) -> Self {
        Self { connection, known: Arc::default() }
    }

    /// Sends a command and waits for its answer; an error that the server answers is one.
    pub(super) async fn send(&mut self, command: &Cmd) -> Result<Value, RedisError> {
        let value = self.connection.send_packed_command(command).await?;
        self.known.answered.store(true, Ordering::Relaxed);
        match value {
            Value::ServerError(error) => Err(error.into()),
            value => Ok(value),
        }
    }

    /// A call over it was given up. Whether it has to go: a line that has never answered is given a second chance, since
    /// on a slow network the way to a first answer is longer.
    pub(super) fn gave_up(&self) -> bool {
        self.known.answered.load(Ordering::Relaxed) || self.known.doubted.swap(true, Ordering::Relaxed)
    }

    /// Asks, once a line, whether the user has the rights that renewal and release need: without them it could take
    /// locks that only their ttl would free.
    /// Names the command that is missing.
    pub(super) async fn missing_right(&mut self, key: &str) -> Result<Option<String>, RedisError> {
        if self.known.may_give_back.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let mut eval = redis::cmd("EVAL");
        let mut evalsha = redis::cmd("EVALSHA");
        eval.arg(MAY_GIVE_BACK).arg(1).arg(key);
        evalsha.arg("0".repeat(40)).arg(1).arg(key);
        let answer = self.send(&eval).await?;
        if let Value::BulkString(command) = answer
            && !command.is_empty()
        {
            return Ok(Some(String::from_utf8_lossy(&command).into_owned()));
        }
        match self.send(&evalsha).await {
            Err(error) if !fault::is_no_script(&error) => return Err(error),
            _ => self.known.may_give_back.store(true, Ordering::Relaxed),
        }
        Ok(None)
    }
}
