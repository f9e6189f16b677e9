//! Locks: the configured product, and the builder that makes one.

use std::collections::BTreeMap;
use std::fmt;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use super::core::Core;
use super::global;
use super::request::LeaseRequest;
use crate::backend::Backend;
use crate::protocol::gate::Terms;
use crate::protocol::run::{Run, Typed};
use crate::protocol::watchdog::Watchdog;
use crate::vocabulary::clock::Clock;
use crate::vocabulary::entropy::Entropy;
use crate::{Error, Holder, Key, Lease, Outcome};

/// How long a call to a store may take unless [`LocksBuilder::store_timeout`] says otherwise: 2 s.
pub const DEFAULT_STORE_TIMEOUT: Duration = Duration::from_secs(2);

/// Where locks live: a default backend, further ones by name, and this process's settings.
///
/// Clones are the same `Locks`. It has one watchdog thread, started by the first lease; when the last clone and the
/// last lease are gone, the watchdog finishes the releases that it owes and ends.
///
/// ```
/// use dlock_runtime::{Locks, Memory};
///
/// let locks = Locks::builder(Memory::new()).namespace("billing").build();
/// # let _ = locks;
/// ```
#[derive(Clone)]
pub struct Locks {
    core: Arc<Core>,
}

impl Locks {
    /// Starts from a default backend.
    pub fn builder(backend: impl Backend) -> LocksBuilder {
        LocksBuilder::new(Arc::new(backend))
    }

    /// From a URL: `redis://[user:password@]host:port[/db]`, `local:/dir` or `memory:`. Nothing is connected yet.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidUrl`](crate::ErrorKind::InvalidUrl), without the password.
    pub fn from_url(url: &str) -> Result<Locks, Error> {
        Ok(LocksBuilder::new(super::url::backend(url)?).build())
    }

    /// From the environment: `DLOCK_URL` (as in [`Locks::from_url`]), and where they are set `DLOCK_NAMESPACE` and
    /// `DLOCK_HOLDER`.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::InvalidUrl`](crate::ErrorKind::InvalidUrl), naming the variable, when `DLOCK_URL` is missing or
    /// cannot be used, or a variable is not Unicode.
    pub fn from_env() -> Result<Locks, Error> {
        super::url::from_variables(|name| std::env::var(name))
    }

    /// Runs a future with this `Locks` in place of the global one: annotated functions that it calls use it, unless
    /// they are called in a task that it spawned. What tests use.
    ///
    /// # Cancel safety
    ///
    /// As the future's own.
    pub async fn scope<F: Future>(&self, future: F) -> F::Output {
        global::scope(self.clone(), future).await
    }

    /// A request for a lease on `key`, to be completed with a ttl.
    pub fn lease(&self, key: impl Into<Key>) -> LeaseRequest {
        LeaseRequest::new(Arc::clone(&self.core), key.into())
    }

    /// Runs a body under a lock, guarded as in an annotated function: it takes no step unless the lease is certainly
    /// held, and is dropped when the lease is lost.
    ///
    /// ```
    /// # use std::time::Duration;
    /// # use dlock_runtime::{Locks, Memory, Outcome};
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), dlock_runtime::Error> {
    /// let locks = Locks::from(Memory::new());
    /// let outcome = locks.run("jobs:invoice", Duration::from_secs(30), |_lease| async { 7 }).await?;
    /// assert!(matches!(outcome, Outcome::Ran(7)));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The key or ttl cannot be used, or the store refused or did not answer. A contended key and a lost lease are
    /// [`Outcome`]s.
    ///
    /// # Cancel safety
    ///
    /// When dropped, the body is dropped first and the key is released in the background then.
    pub async fn run<T, B, F>(&self, key: impl Into<Key>, ttl: Duration, body: B) -> Result<Outcome<T>, Error>
    where
        B: FnOnce(Lease) -> F,
        F: Future<Output = T>,
    {
        let mut terms = Terms::new(key.into(), ttl);
        terms.core = Some(Arc::clone(&self.core));
        let body = async move {
            let Some(lease) = Lease::current() else { unreachable!("a body is polled under its lease") };
            body(lease).await
        };
        Run::<Typed, T, _>::new(terms, body).await.into_result()
    }

    pub(crate) fn core(&self) -> &Arc<Core> {
        &self.core
    }
}

impl fmt::Debug for Locks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Locks")
            .field("backend", &self.core.default.name())
            .field("backends", &self.core.named.keys())
            .field("namespace", &self.core.namespace)
            .field("holder", &self.core.holder)
            .field("store_timeout", &self.core.store_timeout)
            .finish_non_exhaustive()
    }
}

impl<B: Backend> From<B> for Locks {
    fn from(backend: B) -> Self {
        Locks::builder(backend).build()
    }
}

#[cfg(feature = "redis")]
impl From<deadpool_redis::Pool> for Locks {
    fn from(pool: deadpool_redis::Pool) -> Self {
        Locks::from(crate::Redis::new(pool))
    }
}

impl From<LocksBuilder> for Locks {
    fn from(builder: LocksBuilder) -> Self {
        builder.build()
    }
}

/// Makes a [`Locks`].
#[derive(Clone)]
#[must_use]
pub struct LocksBuilder {
    default: Arc<dyn Backend>,
    named: BTreeMap<String, Arc<dyn Backend>>,
    namespace: Option<String>,
    holder: Option<String>,
    store_timeout: Duration,
}

impl LocksBuilder {
    pub(super) fn new(default: Arc<dyn Backend>) -> Self {
        Self {
            default,
            named: BTreeMap::new(),
            namespace: None,
            holder: None,
            store_timeout: DEFAULT_STORE_TIMEOUT,
        }
    }

    /// A prefix of all keys, with a colon after it: what keeps two deployments on one store apart.
    ///
    /// Defaults to none, which the empty text is too: keys are stored verbatim, so that programs in other languages exclude us and we them.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.namespace = Some(namespace.into()).filter(|namespace| !namespace.is_empty());
        self
    }

    /// A name for this process, shown after its host and pid to whoever finds a key contended.
    ///
    /// Defaults to none.
    pub fn holder(mut self, name: impl Into<String>) -> Self {
        self.holder = Some(name.into());
        self
    }

    /// Registers a further backend, for functions with `backend = "name"`. The last of one name counts.
    pub fn backend(mut self, name: impl Into<String>, backend: impl Backend) -> Self {
        self.named.insert(name.into(), Arc::new(backend));
        self
    }

    /// How long an acquire or a release may wait for the store, connecting included. Never longer than the lease's
    /// own ttl less its margin, whatever is set here. After it an acquire is an error, a release goes on in the
    /// background.
    ///
    /// Defaults to [`DEFAULT_STORE_TIMEOUT`], 2 s.
    pub fn store_timeout(mut self, timeout: Duration) -> Self {
        self.store_timeout = timeout;
        self
    }

    /// Makes the `Locks`. Nothing is connected and no thread is started yet.
    pub fn build(self) -> Locks {
        let clock = Clock::System;
        self.build_on(clock, Entropy::System, Watchdog::new(clock))
    }

    /// On a clock, a source of randomness and a watchdog of the caller's.
    pub(crate) fn build_on(self, clock: Clock, entropy: Entropy, watchdog: Watchdog) -> Locks {
        let Self { default, named, namespace, holder, store_timeout } = self;
        let holder = Holder::of_this_process(holder.as_deref());
        let core = Core { clock, entropy, namespace, holder, store_timeout, default, named, watchdog };
        Locks { core: Arc::new(core) }
    }
}

impl fmt::Debug for LocksBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LocksBuilder")
            .field("backend", &self.default.name())
            .field("namespace", &self.namespace)
            .finish_non_exhaustive()
    }
}
