//! The clock: the only room that reads one. It counts suspended time and is never set.

use std::time::Duration;

/// A point on the clock of this machine, counted from its boot. Only comparable within one machine.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Moment(Duration);

impl Moment {
    /// This moment plus a duration; saturates, so that no ttl can overflow it.
    pub(crate) fn plus(self, duration: Duration) -> Self {
        Self(self.0.saturating_add(duration))
    }

    /// How long after `earlier` this is, zero when it is not after it.
    pub(crate) fn since(self, earlier: Moment) -> Duration {
        self.0.saturating_sub(earlier.0)
    }

    #[cfg(test)]
    pub(crate) fn from_millis(ms: u64) -> Self {
        Self(Duration::from_millis(ms))
    }
}

/// Where the time comes from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Clock {
    /// The system's: CLOCK_BOOTTIME on Linux, so that a laptop's sleep or a paused machine counts as time gone by.
    System,
    /// Tokio's, counted from this instant: in a runtime whose clock is paused, time is what the test makes it.
    #[cfg_attr(not(feature = "testing"), allow(dead_code, reason = "made by simulations only"))]
    Tokio(tokio::time::Instant),
}

impl Clock {
    /// Where every clock counts from.
    #[cfg(feature = "testing")]
    pub(crate) const ORIGIN: Moment = Moment(Duration::ZERO);

    /// What time it is.
    pub(crate) fn now(self) -> Moment {
        match self {
            Clock::System => Moment(since_boot()),
            Clock::Tokio(start) => Moment(tokio::time::Instant::now().saturating_duration_since(start)),
        }
    }
}

/// The wall clock in microseconds: for numbers that should grow, never for a decision about time.
pub(crate) fn wall_micros() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_micros()).unwrap_or(u64::MAX / 2)
}

#[cfg(any(target_os = "linux", target_os = "android", target_os = "fuchsia", target_os = "openbsd"))]
fn since_boot() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::new(u64::try_from(now.tv_sec).unwrap_or(0), u32::try_from(now.tv_nsec).unwrap_or(0))
}

#[cfg(not(any(target_os = "linux", target_os = "android", target_os = "fuchsia", target_os = "openbsd")))]
fn since_boot() -> Duration {
    use std::sync::LazyLock;
    use std::time::Instant;
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed()
}
