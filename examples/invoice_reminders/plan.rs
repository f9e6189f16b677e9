//! The plan that all processes of a run share: the times, the clocks' errors, and where the files are.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The day on which the reminders are sent; fixed, so that every run mails the same customers.
pub(crate) const TODAY: &str = "2026-06-30";
/// From one firing of the job to the next.
pub(crate) const TICK: Duration = Duration::from_millis(800);
/// What one tick's mails take, by pauses between them.
pub(crate) const JOB_TIME: Duration = Duration::from_millis(200);
/// The `ttl` in the attribute of the job. Over a server, a killed holder's key stays for up to this long.
pub(crate) const TTL: Duration = Duration::from_secs(1);
/// The `min_hold` in the attribute of the job: longer than [`LATE`], and with it shorter than [`TICK`].
pub(crate) const MIN_HOLD: Duration = Duration::from_millis(400);
/// How late the clock of the late instance is: longer than the job takes, so that it finds the job done.
pub(crate) const LATE: Duration = Duration::from_millis(270);
/// The instances that run from the start.
pub(crate) const INSTANCES: [&str; 3] = ["A", "B", LATE_INSTANCE];
const LATE_INSTANCE: &str = "C";

/// What the parent decides and every instance is told.
#[derive(Clone, Debug)]
pub(crate) struct Plan {
    pub(crate) ticks: u32,
    /// Off only to show what happens without the lock.
    pub(crate) locked: bool,
    pub(crate) dir: PathBuf,
}

impl Plan {
    pub(crate) fn journal(&self) -> PathBuf {
        self.dir.join("journal.log")
    }

    pub(crate) fn outbox(&self) -> PathBuf {
        self.dir.join("outbox")
    }

    /// The first tick in whose middle the working instance is killed.
    pub(crate) fn kill_tick(&self) -> u32 {
        self.ticks / 2
    }
}

/// How far the clock of an instance is behind at a tick: A's and B's wander around each other, C's is late.
pub(crate) fn clock_error(instance: &str, tick: u32) -> Duration {
    const WANDER_MS: [u64; 5] = [5, 40, 20, 0, 50];
    let seat = u32::from(instance.bytes().next().unwrap_or_default());
    let step = (tick * (seat % 3 + 1) + seat) as usize % WANDER_MS.len();
    let wander = Duration::from_millis(WANDER_MS[step]);
    if instance == LATE_INSTANCE { LATE + wander / 3 } else { wander }
}

/// A fresh directory for one run's files.
pub(crate) fn make_run_dir() -> io::Result<PathBuf> {
    let base = std::env::temp_dir();
    for attempt in 0..100 {
        let dir = base.join(format!("dlock-invoice-reminders-{}-{attempt}", std::process::id()));
        match std::fs::create_dir(&dir) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map_err(|error| about(error, &dir)).map(|()| dir),
        }
    }
    Err(io::Error::other(format!("no free name for a directory in {}", base.display())))
}

/// The error with the path that it is about.
pub(crate) fn about(error: io::Error, path: &Path) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}
