//! Redis: `SET key value NX PX ttl`, compare-and-renew and compare-and-release by script.

mod companion;
mod connecting;
mod connections;
mod fault;
mod line;
mod scripts;

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use redis::{Cmd, RedisError, Value};

use self::connections::Connections;
use self::line::Line;
use self::scripts::Script;
use crate::backend::{
    Answer, Backend, Claim, Contended, Fence, Grant, Release, Renewal, StoreError, holder_in,
};
use crate::vocabulary::ttl::whole_millis;
use crate::{Error, ErrorKind, FencingToken};

/// Locks on a Redis (or Valkey) server, over a `deadpool_redis::Pool` that the user configures.
///
/// The key is stored verbatim (after the namespace) and its value is `<token>@<holder>`, taken by
/// `SET key value NX PX ttl`: programs in other languages that do the same exclude us and we them. An uncontended
/// cycle is two commands, a skip one.
///
/// Connections come from the pool's manager, so authentication and database are the pool's. They are not taken
/// out of the pool's number: one for each tokio runtime that uses locks and one for the watchdog, multiplexed and
/// replaced when they break.
#[derive(Clone)]
pub struct Redis {
    connections: Connections,
    /// The server refuses `NX` with `GET`: it is older than Redis 7.
    plain_set: Arc<AtomicBool>,
}

impl Redis {
    /// Over a pool. Nothing is connected yet.
    #[must_use]
    pub fn new(pool: deadpool_redis::Pool) -> Self {
        Self::named(pool, "redis")
    }

    fn named(pool: deadpool_redis::Pool, server: &str) -> Self {
        Self { connections: Connections::new(pool, server), plain_set: Arc::default() }
    }

    /// Over a pool of our own for a URL: `redis://[user:password@]host:port[/db][?protocol=resp3]`. Nothing is
    /// connected yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidUrl`]; the URL is not repeated, since it may hold a password.
    pub fn from_url(url: &str) -> Result<Self, Error> {
        let invalid = || {
            let why = "not a Redis URL: write `redis://[user:password@]host:port[/db]`, with a number as port and as db";
            Error::new(ErrorKind::InvalidUrl, why)
        };
        if url.contains('#') {
            // It would begin a fragment, and what is left would be taken for host and port.
            let why = "a Redis URL must not contain `#`: write `%23` in a password";
            return Err(Error::new(ErrorKind::InvalidUrl, why));
        }
        let client = redis::Client::open(url).map_err(|_| invalid())?;
        let server = format!("redis at {}", client.get_connection_info().addr());
        let pool = deadpool_redis::Config::from_url(url).create_pool(Some(deadpool_redis::Runtime::Tokio1));
        pool.map(|pool| Self::named(pool, &server)).map_err(|_| invalid())
    }

    async fn acquire(&self, claim: &Claim) -> Result<Grant, StoreError> {
        let mut line = self.connections.get().await?;
        if let Some(command) =
            line.missing_right(claim.key.as_str()).await.map_err(|error| self.fault(error))?
        {
            return Err(fault::missing_right(&command, self.connections.server()));
        }
        if !self.plain_set.load(Ordering::Relaxed) {
            let answer = line.send(set(claim).arg("GET")).await;
            match answer {
                Err(error) if fault::is_syntax(&error) => self.plain_set.store(true, Ordering::Relaxed),
                answer => return self.granted(claim, answer, Grant::Acquired),
            }
        }
        match line.send(&set(claim)).await {
            Ok(Value::Okay) => Ok(Grant::Acquired),
            Ok(_) => {
                let answer = line.send(redis::cmd("GET").arg(claim.key.as_str())).await;
                // Freed between the two questions: contended it was.
                self.granted(claim, answer, Grant::Contended(Contended::default()))
            }
            Err(error) => Err(self.fault(error)),
        }
    }

    /// What `SET .. NX .. GET` and a `GET` after a refused `SET NX` say: nothing, or whose value is there.
    fn granted(
        &self,
        claim: &Claim,
        answer: Result<Value, RedisError>,
        when_nothing: Grant,
    ) -> Result<Grant, StoreError> {
        match answer {
            Ok(Value::Nil) => Ok(when_nothing),
            Ok(value) => match text(&value) {
                // A try whose answer got lost has reached the server after all.
                Some(stored) if stored == claim.value => Ok(Grant::Acquired),
                stored => Ok(Grant::Contended(Contended::by(stored.and_then(holder_in)))),
            },
            // Another client keeps something else than a string there, as Redisson does.
            Err(error) if fault::is_wrong_type(&error) => Ok(Grant::Contended(Contended::default())),
            Err(error) => Err(self.fault(error)),
        }
    }

    async fn renew_all(&self, claims: &[Arc<Claim>]) -> Result<Vec<Result<Renewal, StoreError>>, StoreError> {
        let mut line = self.connections.get().await?;
        let keys: Vec<&str> = claims.iter().map(|claim| claim.key.as_str()).collect();
        let ttls: Vec<String> = claims.iter().map(|claim| claim.ttl.as_millis().to_string()).collect();
        let args: Vec<&str> =
            claims.iter().zip(&ttls).flat_map(|(claim, ttl)| [claim.value.as_str(), ttl.as_str()]).collect();
        let answer = self.run(&mut line, &scripts::RENEW, &keys, &args).await?;
        let Value::Array(answers) = answer else {
            return Err(fault::unexpected("the renewal script", &answer));
        };
        Ok(answers
            .into_iter()
            .map(|answer| if is_one(&answer) { Ok(Renewal::Held) } else { Ok(Renewal::NotOurs) })
            .collect())
    }

    async fn release_one(&self, claim: &Claim, keep: Option<Duration>) -> Result<Release, StoreError> {
        let mut line = self.connections.get().await?;
        let keys = [claim.key.as_str()];
        let answer = match keep {
            None => self.run(&mut line, &scripts::RELEASE, &keys, &[&claim.value]).await?,
            Some(keep) => {
                // Rounded up: the key must not be free before.
                let keep = whole_millis(keep).saturating_add(1).to_string();
                self.run(&mut line, &scripts::KEEP, &keys, &[&claim.value, &keep]).await?
            }
        };
        Ok(if is_one(&answer) { Release::Freed } else { Release::NotOurs })
    }

    async fn fence_one(&self, claim: &Claim) -> Result<Fence, StoreError> {
        let mut line = self.connections.get().await?;
        let counter = companion::fencing_counter(claim.key.as_str());
        let keys = [claim.key.as_str(), &counter];
        let answer = self.run(&mut line, &scripts::FENCE, &keys, &[&claim.value, scripts::FENCE_TTL]).await?;
        match answer {
            Value::Int(0) => Ok(Fence::NotOurs),
            Value::Int(token) if token > 0 => Ok(Fence::Token(FencingToken::new(token.unsigned_abs()))),
            other => Err(fault::unexpected("the fencing script", &other)),
        }
    }

    /// A script by its digest, and whole where the server has forgotten it.
    async fn run(
        &self,
        line: &mut Line,
        script: &Script,
        keys: &[&str],
        args: &[&str],
    ) -> Result<Value, StoreError> {
        match line.send(&script.by_digest(keys, args)).await {
            Err(error) if fault::is_no_script(&error) => line.send(&script.whole(keys, args)).await,
            answer => answer,
        }
        .map_err(|error| self.fault(error))
    }

    /// The fault in the protocol's words; lets go of a connection that is no longer good.
    fn fault(&self, error: RedisError) -> StoreError {
        if fault::spoils_the_connection(&error) {
            self.connections.replace();
        }
        fault::after_sending(error, self.connections.server())
    }
}

fn set(claim: &Claim) -> Cmd {
    let mut set = redis::cmd("SET");
    set.arg(claim.key.as_str()).arg(&claim.value).arg("NX").arg("PX").arg(claim.ttl.as_millis());
    set
}

fn is_one(value: &Value) -> bool {
    matches!(value, Value::Int(1))
}

fn text(value: &Value) -> Option<&str> {
    match value {
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok(),
        Value::SimpleString(text) => Some(text),
        _ => None,
    }
}

impl fmt::Debug for Redis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Redis").field("server", &self.connections.server()).finish_non_exhaustive()
    }
}

impl Backend for Redis {
    fn name(&self) -> &'static str {
        "redis"
    }

    fn try_acquire<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Grant, StoreError>> {
        Box::pin(self.acquire(claim))
    }

    fn renew<'a>(&'a self, claims: &'a [Arc<Claim>]) -> Answer<'a, Vec<Result<Renewal, StoreError>>> {
        Box::pin(async move {
            match self.renew_all(claims).await {
                Ok(answers) => answers,
                Err(error) => claims.iter().map(|_| Err(error.clone())).collect(),
            }
        })
    }

    fn fence<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Fence, StoreError>> {
        Box::pin(self.fence_one(claim))
    }

    fn release<'a>(
        &'a self,
        claim: &'a Claim,
        keep: Option<Duration>,
    ) -> Answer<'a, Result<Release, StoreError>> {
        Box::pin(self.release_one(claim, keep))
    }

    fn gave_up(&self) {
        self.connections.gave_up();
    }
}
