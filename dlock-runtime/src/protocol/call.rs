//! Call: one question to a store under our own timeout, asked where there is a runtime to ask it on.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::runtime::Handle;

use super::watchdog::Watchdog;
use crate::backend::{Answer, Backend, Fault, StoreError};

/// The answer, or that there was none within `patience`.
pub(crate) async fn within<T>(
    patience: Duration,
    backend: &dyn Backend,
    question: impl Future<Output = Result<T, StoreError>>,
) -> Result<T, StoreError> {
    match tokio::time::timeout(patience, question).await {
        Ok(answer) => {
            if matches!(&answer, Err(error) if error.fault == Fault::Unanswered) {
                backend.gave_up();
            }
            answer
        }
        Err(_) => {
            backend.gave_up();
            Err(StoreError::new(
                Fault::Unanswered,
                format!("{} gave no answer within {patience:?}", backend.name()),
            ))
        }
    }
}

/// Asks again, once, when the connection broke before the answer: a server that restarted between two calls, or an
/// idle connection that was closed. Safe for whatever is idempotent by token. `repeated` then says that the first try may
/// have happened.
pub(crate) async fn repeated_when_broken<'a, T>(
    question: impl Fn() -> Answer<'a, Result<T, StoreError>>,
    repeated: &AtomicBool,
) -> Result<T, StoreError> {
    match question().await {
        Err(error) if error.fault == Fault::Broken => {
            repeated.store(true, Ordering::Relaxed);
            question().await
        }
        answer => answer,
    }
}

/// Runs store calls on the caller's runtime where there is one with timers, else on the watchdog's: a caller may be on
/// any executor.
pub(crate) fn hosted<T: Send + 'static>(
    watchdog: &Watchdog,
    work: impl Future<Output = T> + Send + 'static,
    otherwise: fn() -> T,
) -> Answer<'static, T> {
    if runtime_here() {
        return Box::pin(work);
    }
    let Some(host) = watchdog.host() else {
        return Box::pin(async move { otherwise() });
    };
    let task = AbortOnDrop(host.spawn(work));
    Box::pin(async move { task.await.unwrap_or_else(|_| otherwise()) })
}

/// Whether this thread is inside a tokio runtime that has timers. There is no way to ask for timers but to try.
fn runtime_here() -> bool {
    Handle::try_current().is_ok()
        && catch_unwind(AssertUnwindSafe(|| drop(tokio::time::sleep(Duration::ZERO)))).is_ok()
}

/// Work on the watchdog's runtime ends when its caller goes, as it would have on the caller's own.
struct AbortOnDrop<T>(tokio::task::JoinHandle<T>);

impl<T> Future for AbortOnDrop<T> {
    type Output = Result<T, tokio::task::JoinError>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut std::task::Context<'_>) -> std::task::Poll<Self::Output> {
        Pin::new(&mut self.0).poll(cx)
    }
}

impl<T> Drop for AbortOnDrop<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
