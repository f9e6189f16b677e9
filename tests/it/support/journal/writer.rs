//! The writing side of the journal; the probe compiles this file, too.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use rustix::time::{ClockId, clock_gettime};

/// Where bodies write down what they do.
#[derive(Clone, Debug)]
pub(crate) struct Writer {
    file: Arc<File>,
}

impl Writer {
    /// Opens the journal, which is made when there is none. Many processes may have it open at once.
    ///
    /// # Errors
    /// The file cannot be made or written.
    pub(crate) fn open(path: &Path) -> std::io::Result<Writer> {
        let file = OpenOptions::new().append(true).create(true).open(path)?;
        Ok(Writer { file: Arc::new(file) })
    }

    /// The body of call number `call` of this process begins.
    pub(crate) fn start(&self, call: u64) {
        self.write(call, "start");
    }

    /// The body is about to do its `step`, from 1. To be called before the await of the step, so that the
    /// line proves that the body was polled again.
    pub(crate) fn step(&self, call: u64, step: u32) {
        self.write(call, &format!("step {step}"));
    }

    /// The body is about to return.
    pub(crate) fn end(&self, call: u64) {
        self.write(call, "end");
    }

    /// The body got this fencing token, or none. To be called before the step that follows without an await.
    #[allow(dead_code, reason = "the probe calls it")]
    pub(crate) fn fence(&self, call: u64, token: Option<u64>) {
        let token = token.map_or_else(|| "none".to_owned(), |token| token.to_string());
        self.write(call, &format!("fence {token}"));
    }

    /// This call is about to be made.
    #[allow(dead_code, reason = "the probe calls it")]
    pub(crate) fn ask(&self, call: u64) {
        self.write(call, "ask");
    }

    /// This call has returned, with this outcome in one word.
    #[allow(dead_code, reason = "the probe calls it")]
    pub(crate) fn told(&self, call: u64, word: &str) {
        self.write(call, &format!("told {word}"));
    }

    /// One line in one write: with O_APPEND the lines of all processes stay whole and in order.
    fn write(&self, call: u64, mark: &str) {
        let line = format!("{} {} {call} {mark}\n", now(), std::process::id());
        (&*self.file).write_all(line.as_bytes()).expect("the journal can be written");
    }
}

/// CLOCK_MONOTONIC in nanoseconds: one clock for all processes of a machine, untouched by clock changes.
pub(crate) fn now() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let parts = u64::try_from(time.tv_sec).ok().zip(u64::try_from(time.tv_nsec).ok());
    parts.map(|(seconds, nanos)| seconds * 1_000_000_000 + nanos).expect("the clock counts up from boot")
}
