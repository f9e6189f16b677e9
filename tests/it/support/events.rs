//! What the library logs: all `tracing` events of this process, found again by the key that they are about.

use std::fmt::{Debug, Write};
use std::sync::{Mutex, Once, PoisonError};

use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Metadata, Subscriber};

static SEEN: Mutex<Vec<String>> = Mutex::new(Vec::new());
static INSTALLED: Once = Once::new();

/// The events about a key so far, each as `LEVEL message=.. field=value ..`. Events from before the first call of
/// any function of this module are not seen.
pub(crate) fn about(key: &str) -> Vec<String> {
    INSTALLED.call_once(|| tracing::subscriber::set_global_default(Recorder).expect("the only one"));
    let seen = SEEN.lock().unwrap_or_else(PoisonError::into_inner);
    let (bare, quoted) = (format!(" key={key} "), format!(" key={key:?} "));
    seen.iter().filter(|event| event.contains(&bare) || event.contains(&quoted)).cloned().collect()
}

/// How many events about a key are of a level and have `part` in them.
pub(crate) fn count(key: &str, level: &str, part: &str) -> usize {
    about(key).iter().filter(|event| event.starts_with(level) && event.contains(part)).count()
}

struct Recorder;

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
        SEEN.lock().unwrap_or_else(PoisonError::into_inner).push(line.0 + " ");
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
