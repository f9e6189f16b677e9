//! What the library logs: the `tracing` events of one thread.

use std::fmt::{self, Debug, Write};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Metadata, Subscriber};

/// The events so far, each as `LEVEL message field=value ..`.
#[derive(Clone, Default)]
pub(crate) struct Seen(Arc<Mutex<Vec<String>>>);

impl Seen {
    /// Records what this thread logs until the guard is dropped.
    pub(crate) fn here(&self) -> DefaultGuard {
        tracing::subscriber::set_default(Recorder(self.clone()))
    }

    /// All events so far.
    pub(crate) fn all(&self) -> Vec<String> {
        self.events().clone()
    }

    /// How many events of a level have `part` in them.
    pub(crate) fn count(&self, level: &str, part: &str) -> usize {
        self.events()
            .iter()
            .filter(|event| event.starts_with(level) && event.contains(part))
            .count()
    }

    fn events(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Debug for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.events().iter()).finish()
    }
}

struct Recorder(Seen);

impl Subscriber for Recorder {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        metadata.target() == "dlock"
    }

    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }

    fn record(&self, _: &Id, _: &Record<'_>) {}

    fn record_follows_from(&self, _: &Id, _: &Id) {}

    fn event(&self, event: &Event<'_>) {
        let mut line = Line(event.metadata().level().to_string());
        event.record(&mut line);
        self.0.events().push(line.0);
    }

    fn enter(&self, _: &Id) {}

    fn exit(&self, _: &Id) {}
}

struct Line(String);

impl Visit for Line {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        let _ = write!(self.0, " {field}={value:?}");
    }
}
