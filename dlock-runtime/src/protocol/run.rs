//! Run: a body's future behind the gate, and the one place where an outcome becomes what the caller gets.

use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use pin_project_lite::pin_project;

use super::gate::{Gate, Stopped, Terms};
use crate::{Error, Outcome};

/// What the caller gets for a `T`: one marker type for each way. Apart from [`Exit`], so that [`Run`] is a future whether
/// or not `T` can carry an error: else the compiler reports that one mistake a second time, at the `.await`.
pub trait Shape<T> {
    /// What the caller gets.
    type Output;
}

/// How the end of a call is told to its caller.
#[diagnostic::on_unimplemented(
    message = "`{T}` cannot carry an error of the lock",
    label = "the lock's errors have to fit into this return type",
    note = "either implement `From<dlock_runtime::Error>` for the function's error type",
    note = "or choose `on_error = \"skip\"` in `#[singleton(..)]`: the error is logged and the function returns `None`"
)]
pub trait Exit<T>: Shape<T> {
    /// Whether the body runs without the lock when the store cannot be asked.
    const RUN_UNLOCKED: bool = false;

    /// The body ran to its end.
    fn ran(value: T) -> Self::Output;

    /// It did not.
    #[doc(hidden)]
    fn stopped(stopped: WhyStopped) -> Self::Output;
}

/// Why a body was not run, or not to its end.
pub struct WhyStopped(Stopped);

/// `Option<T>`; what went wrong has been logged.
#[derive(Debug)]
pub struct Skip;

/// `Option<T>`; what went wrong with the lock is returned through the body's error type.
#[derive(Debug)]
pub struct Return;

/// `Option<T>`; where the store cannot be asked, the body runs without the lock.
#[derive(Debug)]
pub struct Unlocked;

/// `Outcome<T>`.
#[derive(Debug)]
pub(crate) struct Typed;

impl<T> Shape<T> for Skip {
    type Output = Option<T>;
}

impl<T> Exit<T> for Skip {
    fn ran(value: T) -> Option<T> {
        Some(value)
    }

    fn stopped(_: WhyStopped) -> Option<T> {
        None
    }
}

impl<T> Shape<T> for Return {
    type Output = Option<T>;
}

// `Exit` says it better, about `T` itself.
#[diagnostic::do_not_recommend]
impl<T: FromError> Exit<T> for Return {
    fn ran(value: T) -> Option<T> {
        Some(value)
    }

    fn stopped(stopped: WhyStopped) -> Option<T> {
        match stopped.0 {
            Stopped::Skipped(_) => None,
            Stopped::Lost(lost, key) => Some(T::from_lock_error(Error::from_lost(lost, key.as_str()))),
            Stopped::Failed(error) => Some(T::from_lock_error(error)),
        }
    }
}

impl<T> Shape<T> for Unlocked {
    type Output = Option<T>;
}

impl<T> Exit<T> for Unlocked {
    const RUN_UNLOCKED: bool = true;

    fn ran(value: T) -> Option<T> {
        Some(value)
    }

    fn stopped(_: WhyStopped) -> Option<T> {
        None
    }
}

impl<T> Shape<T> for Typed {
    type Output = Outcome<T>;
}

impl<T> Exit<T> for Typed {
    fn ran(value: T) -> Outcome<T> {
        Outcome::Ran(value)
    }

    fn stopped(stopped: WhyStopped) -> Outcome<T> {
        match stopped.0 {
            Stopped::Skipped(contended) => Outcome::Skipped(contended),
            Stopped::Lost(lost, _) => Outcome::Lost(lost),
            Stopped::Failed(error) => Outcome::Failed(error),
        }
    }
}

/// A return value that can carry an error of the lock.
pub trait FromError: Sized {
    /// The value that tells of the error.
    fn from_lock_error(error: Error) -> Self;
}

#[diagnostic::do_not_recommend]
impl<T, E: From<Error>> FromError for Result<T, E> {
    fn from_lock_error(error: Error) -> Self {
        Err(error.into())
    }
}

pin_project! {
    /// A body under a lock, as a future. Lazy; `Send` exactly when the body is.
    #[must_use = "futures do nothing unless polled"]
    pub struct Run<X: Shape<T>, T, F> {
        // Declared before the gate, so that it is dropped before the key is given back.
        #[pin]
        body: Body<T, F>,
        gate: Gate,
        ran: fn(T) -> X::Output,
        stopped: fn(WhyStopped) -> X::Output,
    }
}

pin_project! {
    #[project = Project]
    #[project_replace = Replaced]
    enum Body<T, F> {
        Running { #[pin] future: F },
        Ended { value: T },
        Gone,
    }
}

impl<X: Exit<T>, T, F: Future<Output = T>> Run<X, T, F> {
    pub(crate) fn new(mut terms: Terms, body: F) -> Self {
        terms.run_unlocked = X::RUN_UNLOCKED;
        Self {
            body: Body::Running { future: body },
            gate: Gate::new(terms),
            ran: X::ran,
            stopped: X::stopped,
        }
    }
}

impl<X: Shape<T>, T, F: Future<Output = T>> Future for Run<X, T, F> {
    type Output = X::Output;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<X::Output> {
        let mut this = self.project();
        loop {
            match this.body.as_mut().project() {
                Project::Running { future } => {
                    let lease = match ready!(this.gate.poll_open(cx)) {
                        Ok(lease) => lease,
                        Err(stopped) => {
                            this.body.set(Body::Gone);
                            this.gate.close();
                            return Poll::Ready((this.stopped)(WhyStopped(stopped)));
                        }
                    };
                    let guard = this.gate.while_polled();
                    let polled = match &lease {
                        Some(lease) => lease.enter(|| future.poll(cx)),
                        None => future.poll(cx),
                    };
                    guard.returned();
                    let value = ready!(polled);
                    this.body.set(Body::Ended { value });
                }
                Project::Ended { .. } => {
                    ready!(this.gate.poll_release(cx));
                    if let Replaced::Ended { value } = this.body.as_mut().project_replace(Body::Gone) {
                        return Poll::Ready((this.ran)(value));
                    }
                }
                Project::Gone => panic!("dlock: a future was polled after it had completed"),
            }
        }
    }
}
