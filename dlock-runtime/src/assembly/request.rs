//! A request for a lease without the attribute: key, ttl, and the try.

use std::sync::Arc;
use std::time::Duration;

use super::core::Core;
use crate::protocol::acquire::{self, Acquire, Request};
use crate::protocol::call;
use crate::protocol::lease::Lease;
use crate::{Error, ErrorKind, Key};

/// A request for a lease: from [`Locks::lease`](crate::Locks::lease).
#[must_use = "nothing is asked before `try_acquire`"]
pub struct LeaseRequest {
    core: Arc<Core>,
    request: Request,
}

impl LeaseRequest {
    pub(super) fn new(core: Arc<Core>, key: Key) -> Self {
        let request = Request { key, ttl: None, min_hold: None, backend: None, parent: None };
        Self { core, request }
    }

    /// How long the grant lives without renewal: 100 ms to 365 days, in whole milliseconds. Required.
    pub fn ttl(mut self, ttl: Duration) -> Self {
        self.request.ttl = Some(ttl);
        self
    }

    /// Keeps the key taken until this long after it was granted, even when it is released earlier.
    ///
    /// Defaults to none.
    pub fn min_hold(mut self, min_hold: Duration) -> Self {
        self.request.min_hold = Some(min_hold);
        self
    }

    /// A backend registered under that name.
    ///
    /// Defaults to the default one.
    pub fn backend(mut self, name: impl Into<String>) -> Self {
        self.request.backend = Some(name.into());
        self
    }

    /// Asks the store once.
    ///
    /// # Errors
    ///
    /// The key or ttl cannot be used, the backend is unknown, or the store refused or did not answer.
    ///
    /// # Cancel safety
    ///
    /// When dropped, whatever was or will be granted is released in the background.
    pub async fn try_acquire(self) -> Result<Acquire, Error> {
        let Self { core, mut request } = self;
        request.parent = Lease::current();
        let work = acquire::try_acquire(Arc::clone(&core), request);
        call::hosted(&core.watchdog, work, || Err(no_host())).await
    }
}

/// There is neither a runtime here nor a watchdog thread to lend one.
pub(crate) fn no_host() -> Error {
    let why = "the system refused the thread that calls the store for callers without a tokio runtime";
    Error::new(ErrorKind::StoreUnreachable, why)
}
