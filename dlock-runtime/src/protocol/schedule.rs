//! Schedule: when to renew, how long to wait for an answer, when to try again. Pure arithmetic.

use std::time::Duration;

use crate::vocabulary::clock::Moment;
use crate::vocabulary::ttl::Ttl;

/// A release that gets no answer is given up this long after the store should have freed the key by itself: a server
/// that was stopped executes what it was sent when it goes on.
pub(crate) const RELEASE_PATIENCE: Duration = Duration::from_secs(60);

/// How long a request may still be on its way after its caller has given it up, while the store answers others.
pub(crate) const LONGEST_DOUBT: Duration = Duration::from_secs(10);

/// How long after an outage requests from before it may still arrive.
pub(crate) const SETTLING: Duration = Duration::from_secs(1);

/// What the holder gives up early, against drift between its clock and the store's: `ttl/100 + 2 ms`.
pub(crate) fn margin(ttl: Ttl) -> Duration {
    ttl.as_duration() / 100 + Duration::from_millis(2)
}

/// The holder's own moment of giving up: `request sent at + ttl - margin`.
pub(crate) fn deadline(sent: Moment, ttl: Ttl) -> Moment {
    sent.plus(ttl.as_duration().saturating_sub(margin(ttl)))
}

/// When the next renewal is due: a third of the ttl after the last confirmed request was sent, up to a tenth of
/// that earlier, so that processes started together spread out. `jitter` is any number.
pub(crate) fn next_renewal(sent: Moment, ttl: Ttl, jitter: u64) -> Moment {
    let third = ttl.as_duration() / 3;
    let spread = third / 10;
    let share = u32::try_from(jitter % 1024).unwrap_or(0);
    sent.plus(third.saturating_sub(spread * share / 1024))
}

/// How much too early a renewal may be, to go along with another: as much as jitter spreads them.
pub(crate) fn early(ttl: Ttl) -> Duration {
    ttl.as_duration() / 30
}

/// How long one renewal may go unanswered before it is tried again on another connection: a sixth of the ttl,
/// at most a second, so that two tries fit before the deadline.
pub(crate) fn renewal_patience(ttl: Ttl) -> Duration {
    (ttl.as_duration() / 6).min(Duration::from_secs(1))
}

/// The pause before try number `failures + 1` of a renewal: 50 ms, doubling, at most a tenth of the ttl.
pub(crate) fn backoff(failures: u32, ttl: Ttl) -> Duration {
    const FIRST: Duration = Duration::from_millis(50);
    let most = ttl.as_duration() / 10;
    FIRST.saturating_mul(1 << failures.saturating_sub(1).min(20)).min(most)
}

/// The pause after so many tries of a release that nobody waits for: 50 ms, doubling, at most a second.
pub(crate) fn release_pause(tries: u32) -> Duration {
    const FIRST: Duration = Duration::from_millis(50);
    const MOST: Duration = Duration::from_secs(1);
    FIRST.saturating_mul(1 << tries.saturating_sub(1).min(10)).min(MOST)
}

/// How long a call that somebody waits for may take: what the user allows, and never beyond the ttl's own deadline.
pub(crate) fn call_patience(store_timeout: Duration, ttl: Ttl) -> Duration {
    store_timeout.min(ttl.as_duration().saturating_sub(margin(ttl)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ttl(ms: u64) -> Ttl {
        Ttl::try_from(Duration::from_millis(ms)).expect("in bounds")
    }

    #[test]
    fn every_renewal_is_due_in_time_for_two_tries_before_the_deadline() {
        let sent = Moment::from_millis(1_000_000);
        for ms in (100..20_000).chain([60_000, 3_600_000, 365 * 24 * 3_600_000]) {
            let ttl = ttl(ms);
            for jitter in [0, 1, 511, 1023, u64::MAX] {
                let due = next_renewal(sent, ttl, jitter);
                assert!(due > sent);
                let first_try_over = due.plus(renewal_patience(ttl));
                let second_try_over = first_try_over.plus(backoff(1, ttl)).plus(renewal_patience(ttl));
                assert!(second_try_over < deadline(sent, ttl), "ttl {ms} ms, jitter {jitter}");
            }
        }
    }

    #[test]
    fn the_deadline_is_before_the_stores_expiry_and_after_the_request() {
        let sent = Moment::from_millis(5);
        for ms in 100..5_000 {
            assert!(deadline(sent, ttl(ms)) < sent.plus(Duration::from_millis(ms)));
            assert!(deadline(sent, ttl(ms)) > sent);
        }
    }

    #[test]
    fn backoff_starts_at_fifty_milliseconds_doubles_and_is_capped_at_a_tenth_of_the_ttl() {
        let waits: Vec<u64> =
            (1..7).map(|n| u64::try_from(backoff(n, ttl(6_000)).as_millis()).expect("small")).collect();
        assert_eq!(waits, [50, 100, 200, 400, 600, 600]);
        assert_eq!(backoff(1, ttl(100)), Duration::from_millis(10));
        assert_eq!(backoff(u32::MAX, ttl(1_000)), Duration::from_millis(100));
    }
}
