//! The `Locks` that annotated functions find: the task's own, else the process's.

use std::future::Future;
use std::sync::OnceLock;

use super::locks::Locks;
use crate::{Error, ErrorKind};

static GLOBAL: OnceLock<Locks> = OnceLock::new();

tokio::task_local! {
    static SCOPED: Locks;
}

/// Sets the `Locks` that annotated functions of this process use: call it once, at startup.
///
/// Takes a `deadpool_redis::Pool`, a [`Backend`](crate::Backend), a [`Locks`] or its builder. Nothing is connected
/// yet, so a store that is down at startup shows at the first call.
///
/// ```
/// dlock_runtime::init(dlock_runtime::Memory::new())?;
/// # Ok::<(), dlock_runtime::Error>(())
/// ```
///
/// # Errors
///
/// [`ErrorKind::AlreadyInitialized`] when it was called before; the first one stays in force.
pub fn init(locks: impl Into<Locks>) -> Result<(), Error> {
    GLOBAL.set(locks.into()).map_err(|_| {
        let why = "`dlock_runtime::init` was called a second time: call it once at startup, and use `Locks::scope` in tests";
        Error::new(ErrorKind::AlreadyInitialized, why)
    })
}

pub(super) async fn scope<F: Future>(locks: Locks, future: F) -> F::Output {
    SCOPED.scope(locks, future).await
}

/// The `Locks` for this task.
pub(crate) fn locks() -> Result<Locks, Error> {
    if let Ok(scoped) = SCOPED.try_with(Locks::clone) {
        return Ok(scoped);
    }
    GLOBAL.get().cloned().ok_or_else(|| {
        let why = "dlock is not initialized: call `dlock_runtime::init(pool)` at startup, before the first annotated function, or wrap the call in `Locks::scope` (which does not reach into spawned tasks)";
        Error::new(ErrorKind::NotInitialized, why)
    })
}
