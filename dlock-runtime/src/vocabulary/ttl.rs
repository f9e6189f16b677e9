//! The ttl: how long a grant lives without renewal, checked once.

use std::time::Duration;

use crate::{Error, ErrorKind};

/// How long a grant lives without renewal: whole milliseconds between [`Ttl::MIN`] and [`Ttl::MAX`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Ttl(Duration);

impl Ttl {
    /// The shortest ttl: 100 ms. Below it scheduling noise alone loses leases.
    pub const MIN: Duration = Duration::from_millis(100);
    /// The longest ttl: 365 days.
    pub const MAX: Duration = Duration::from_secs(365 * 24 * 60 * 60);

    /// The ttl as a duration.
    #[must_use]
    pub fn as_duration(self) -> Duration {
        self.0
    }

    /// The ttl in milliseconds, as stores count it.
    #[must_use]
    pub fn as_millis(self) -> u64 {
        whole_millis(self.0)
    }
}

impl TryFrom<Duration> for Ttl {
    type Error = Error;

    /// Checks the bounds; what is finer than a millisecond is cut off, so that the store never holds longer than asked.
    fn try_from(ttl: Duration) -> Result<Self, Error> {
        if (Self::MIN..=Self::MAX).contains(&ttl) {
            return Ok(Self(Duration::from_millis(whole_millis(ttl))));
        }
        Err(Error::new(
            ErrorKind::InvalidTtl,
            format!("a ttl of {ttl:?} is out of bounds: give one between 100ms and 365 days"),
        ))
    }
}

/// Whole milliseconds of a duration, saturating.
pub(crate) fn whole_millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_inclusive_and_the_error_names_them() {
        assert!(Ttl::try_from(Ttl::MIN).is_ok());
        assert!(Ttl::try_from(Ttl::MAX).is_ok());
        for bad in
            [Duration::ZERO, Duration::from_millis(99), Ttl::MAX + Duration::from_millis(1), Duration::MAX]
        {
            let error = Ttl::try_from(bad).expect_err("out of bounds");
            assert_eq!(error.kind(), ErrorKind::InvalidTtl);
            assert!(error.to_string().contains("100ms"));
        }
    }

    #[test]
    fn a_ttl_is_cut_to_whole_milliseconds() {
        let ttl = Ttl::try_from(Duration::from_micros(150_900)).expect("in bounds");
        assert_eq!((ttl.as_millis(), ttl.as_duration()), (150, Duration::from_millis(150)));
    }
}
