//! Pausable: a process that is stopped is not polled, and wakes up when it is continued.

use std::cell::Cell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};

use tokio::time::{Instant, Sleep};

/// Until when a process is stopped.
#[derive(Clone)]
pub(crate) struct Stopped(Rc<Cell<Instant>>);

impl Stopped {
    pub(crate) fn not() -> Stopped {
        Stopped(Rc::new(Cell::new(Instant::now())))
    }

    pub(crate) fn until(&self, moment: Instant) {
        self.0.set(moment);
    }

    pub(crate) fn is_stopped(&self) -> bool {
        Instant::now() < self.0.get()
    }
}

/// A future of a process.
pub(crate) struct Pausable<F> {
    stopped: Stopped,
    sleep: Option<Pin<Box<Sleep>>>,
    future: Pin<Box<F>>,
}

impl<F: Future> Pausable<F> {
    pub(crate) fn new(stopped: Stopped, future: F) -> Self {
        Self { stopped, sleep: None, future: Box::pin(future) }
    }
}

impl<F: Future> Future for Pausable<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
        while self.stopped.is_stopped() {
            let until = self.stopped.0.get();
            let sleep = self.sleep.get_or_insert_with(|| Box::pin(tokio::time::sleep_until(until)));
            if sleep.as_mut().poll(cx).is_pending() {
                return Poll::Pending;
            }
            self.sleep = None;
        }
        let polled = self.future.as_mut().poll(cx);
        if polled.is_pending() {
            // A wake-up that is due while the process is stopped is answered when it is continued.
            self.sleep = None;
        }
        polled
    }
}
