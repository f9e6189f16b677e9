//! The journal: every process appends what it does, stamped with the clock that all processes of the machine share.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use rustix::time::{ClockId, clock_gettime};

/// Microseconds on the monotonic clock of the machine, which is the same in every process.
pub(crate) fn now_us() -> u64 {
    let now = clock_gettime(ClockId::Monotonic);
    let (seconds, nanos) = (now.tv_sec.unsigned_abs(), now.tv_nsec.unsigned_abs());
    seconds * 1_000_000 + nanos / 1_000
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The instance is ready.
    Up,
    /// The instance calls the job.
    Fire { tick: u32 },
    /// The body's first step, under the lock.
    Start { tick: u32 },
    /// The body sent a mail, under the lock.
    Mail { tick: u32, invoice: String },
    /// The body was about to send a mail that had been sent: the outbox refused it.
    Refused { tick: u32, invoice: String },
    /// The body's last step, under the lock.
    End { tick: u32 },
    /// The call gave `None`.
    Skip { tick: u32 },
    /// The call gave an error.
    Failed { tick: u32, why: String },
    /// The instance has been through all ticks.
    Finished,
    /// The parent is about to kill the instance.
    Kill,
}

/// A line of the journal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) at: u64,
    pub(crate) instance: String,
    pub(crate) event: Event,
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} ", self.at, self.instance)?;
        match &self.event {
            Event::Up => write!(f, "up"),
            Event::Fire { tick } => write!(f, "fire {tick}"),
            Event::Start { tick } => write!(f, "start {tick}"),
            Event::Mail { tick, invoice } => write!(f, "mail {tick} {invoice}"),
            Event::Refused { tick, invoice } => write!(f, "refused {tick} {invoice}"),
            Event::End { tick } => write!(f, "end {tick}"),
            Event::Skip { tick } => write!(f, "skip {tick}"),
            Event::Failed { tick, why } => write!(f, "failed {tick} {}", why.replace('\n', " ")),
            Event::Finished => write!(f, "finished"),
            Event::Kill => write!(f, "kill"),
        }
    }
}

impl Entry {
    /// Reads a line as `Display` writes it.
    pub(crate) fn parse(line: &str) -> Option<Self> {
        let mut words = line.splitn(5, ' ');
        let at = words.next()?.parse().ok()?;
        let instance = words.next()?.to_owned();
        let what = words.next()?;
        let tick = words.next().map(str::parse).transpose().ok()?;
        let rest = words.next().map(str::to_owned);
        let event = match (what, tick, rest) {
            ("up", None, None) => Event::Up,
            ("fire", Some(tick), None) => Event::Fire { tick },
            ("start", Some(tick), None) => Event::Start { tick },
            ("mail", Some(tick), Some(invoice)) => Event::Mail { tick, invoice },
            ("refused", Some(tick), Some(invoice)) => Event::Refused { tick, invoice },
            ("end", Some(tick), None) => Event::End { tick },
            ("skip", Some(tick), None) => Event::Skip { tick },
            ("failed", Some(tick), Some(why)) => Event::Failed { tick, why },
            ("finished", None, None) => Event::Finished,
            ("kill", None, None) => Event::Kill,
            _ => return None,
        };
        Some(Self { at, instance, event })
    }
}

/// The journal, opened for appending by one process.
#[derive(Debug)]
pub(crate) struct Journal {
    file: File,
    instance: String,
    /// An instance also tells its parent.
    echo: bool,
}

impl Journal {
    pub(crate) fn open(path: &Path, instance: &str, echo: bool) -> io::Result<Self> {
        let file = OpenOptions::new().create(true).append(true).open(path)?;
        Ok(Self { file, instance: instance.to_owned(), echo })
    }

    /// Appends one line by one write, so that the lines of several processes do not mix.
    pub(crate) fn write(&self, event: Event) -> io::Result<()> {
        let line = format!("{}\n", Entry { at: now_us(), instance: self.instance.clone(), event });
        (&self.file).write_all(line.as_bytes())?;
        if self.echo { io::stdout().write_all(line.as_bytes()) } else { Ok(()) }
    }
}

/// Reads the whole journal.
pub(crate) fn read(path: &Path) -> io::Result<Vec<Entry>> {
    let text = std::fs::read_to_string(path)?;
    let bad = |line| {
        io::Error::new(io::ErrorKind::InvalidData, format!("unreadable line in the journal: {line:?}"))
    };
    text.lines().map(|line| Entry::parse(line).ok_or_else(|| bad(line))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_as_it_was_written() {
        let events = [
            Event::Up,
            Event::Mail { tick: 3, invoice: "INV-1".to_owned() },
            Event::Failed { tick: 4, why: "no answer from the store".to_owned() },
            Event::Kill,
        ];
        for event in events {
            let entry = Entry { at: 12, instance: "A".to_owned(), event };
            assert_eq!(Entry::parse(&entry.to_string()), Some(entry));
        }
        assert_eq!(Entry::parse("12 A mail 3"), None);
    }
}
