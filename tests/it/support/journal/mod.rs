//! The journal: what all bodies of all processes did, in one file, one line for each thing done.
//!
//! A line is `<CLOCK_MONOTONIC ns> <pid> <call> start|step <n>|end`. Where the calls are journaled, too, there is
//! `ask` before and `told ran|skipped|taken|expired|error` after each; where bodies ask for their fencing token,
//! there is `fence <token>|none`.

mod writer;

use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use writer::{Writer, now};

/// What a body did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It was polled for the first time.
    Start,
    /// It was polled again, and is about to do this step, from 1.
    Step(u32),
    /// It was polled again, and has got this fencing token or none.
    Fence(Option<u64>),
    /// It is about to return.
    End,
    /// Not the body, but its caller: the call is about to be made.
    Ask,
    /// Not the body, but its caller: the call has returned.
    Told(Told),
}

/// What a call returned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Told {
    /// The body's own result.
    Ran,
    /// Somebody else had the key.
    Skipped,
    /// The store said that the key is no longer the caller's.
    Taken,
    /// The lease's own deadline has passed.
    Expired,
    /// The store could not be asked, or the body failed.
    Error,
}

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Entry {
    /// When, by the clock that [`now`] reads.
    pub(crate) at: u64,
    /// The process.
    pub(crate) pid: u32,
    /// The number of the call in its process.
    pub(crate) call: u64,
    /// What was done.
    pub(crate) mark: Mark,
}

/// One run of a body, as the journal shows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Call {
    /// The process.
    pub(crate) pid: u32,
    /// The number of the call in its process.
    pub(crate) call: u64,
    /// When its first line was written.
    pub(crate) first: u64,
    /// When its last line so far was written.
    pub(crate) last: u64,
    /// The number of its last step, 0 before the first.
    pub(crate) steps: u32,
    /// Whether the body came to its end.
    pub(crate) ended: bool,
}

/// A journal as it was when it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Journal {
    /// The lines in the order in which they were written.
    pub(crate) entries: Vec<Entry>,
}

impl Journal {
    /// Reads what has been written so far. A journal that nobody has opened yet is empty.
    #[track_caller]
    pub(crate) fn read(path: &Path) -> Journal {
        match std::fs::read_to_string(path) {
            Ok(text) => Journal::parse(&text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Journal::default(),
            Err(error) => panic!("cannot read the journal {}: {error}", path.display()),
        }
    }

    /// Reads a journal's text; panics at a line that is none. A last line without its end is not there yet.
    #[track_caller]
    pub(crate) fn parse(text: &str) -> Journal {
        let whole = text.rfind('\n').map_or("", |end| &text[..end]);
        let entry = |line| parse_line(line).unwrap_or_else(|| panic!("not a line of a journal: {line:?}"));
        Journal { entries: whole.lines().map(entry).collect() }
    }

    /// All runs, in the order in which they began.
    pub(crate) fn calls(&self) -> Vec<Call> {
        let mut calls: BTreeMap<(u32, u64), Call> = BTreeMap::new();
        let by_body = |entry: &&Entry| !matches!(entry.mark, Mark::Ask | Mark::Told(_));
        for &Entry { at, pid, call, mark } in self.entries.iter().filter(by_body) {
            let fresh = Call { pid, call, first: at, last: at, steps: 0, ended: false };
            let known = calls.entry((pid, call)).or_insert(fresh);
            known.last = known.last.max(at);
            match mark {
                Mark::Start | Mark::Fence(_) | Mark::Ask | Mark::Told(_) => {}
                Mark::Step(step) => known.steps = step,
                Mark::End => known.ended = true,
            }
        }
        let mut calls: Vec<Call> = calls.into_values().collect();
        calls.sort_by_key(|call| call.first);
        calls
    }

    /// The pairs of runs of which one began before the other had written its last line. Of a lock there are
    /// none.
    pub(crate) fn overlaps(&self) -> Vec<(Call, Call)> {
        let calls = self.calls();
        let mut pairs = Vec::new();
        for (index, &one) in calls.iter().enumerate() {
            let later = calls[index + 1..].iter().take_while(|other| other.first < one.last);
            pairs.extend(later.map(|&other| (one, other)));
        }
        pairs
    }

    /// The lines of a process that were written after this moment.
    pub(crate) fn after(&self, pid: u32, moment: u64) -> Vec<Entry> {
        self.entries.iter().filter(|entry| entry.pid == pid && entry.at > moment).copied().collect()
    }
}

fn parse_line(line: &str) -> Option<Entry> {
    let words: Vec<&str> = line.split(' ').collect();
    let (&[at, pid, call], mark) = words.split_first_chunk::<3>()?;
    let mark = match mark {
        ["start"] => Mark::Start,
        ["step", step] => Mark::Step(step.parse().ok()?),
        ["fence", "none"] => Mark::Fence(None),
        ["fence", token] => Mark::Fence(Some(token.parse().ok()?)),
        ["end"] => Mark::End,
        ["ask"] => Mark::Ask,
        ["told", "ran"] => Mark::Told(Told::Ran),
        ["told", "skipped"] => Mark::Told(Told::Skipped),
        ["told", "taken"] => Mark::Told(Told::Taken),
        ["told", "expired"] => Mark::Told(Told::Expired),
        ["told", "error"] => Mark::Told(Told::Error),
        _ => return None,
    };
    Some(Entry { at: at.parse().ok()?, pid: pid.parse().ok()?, call: call.parse().ok()?, mark })
}
