//! The grammar of durations.

use super::rng::Rng;
use crate::duration::{MAX_MS, MIN_LEASE_MS, MIN_MS, parse};

fn lease(text: &str) -> Result<u64, String> {
    parse("ttl", text, MIN_LEASE_MS)
}

#[test]
fn every_unit_and_sum_is_counted_in_milliseconds() {
    let cases = [
        ("100ms", 100),
        ("1s", 1_000),
        (" 30s ", 30_000),
        ("30 seconds", 30_000),
        ("1m 30s", 90_000),
        ("1m30s", 90_000),
        ("1500ms", 1_500),
        ("2h", 7_200_000),
        ("365d", MAX_MS),
        ("1d 1h 1m 1s 1ms", 90_061_001),
        ("0m 1s", 1_000),
    ];
    for (text, expected) in cases {
        assert_eq!(lease(text), Ok(expected), "{text:?}");
    }
}

#[test]
fn every_mistake_names_the_option_and_what_to_write() {
    let cases = [
        ("", "is empty"),
        ("  ", "is empty"),
        ("30", "needs a unit: write `\"30s\"`"),
        ("1m 30", "needs a unit: write `\"30s\"`"),
        ("0s", "must not be zero"),
        ("0ms", "must not be zero"),
        ("-5s", "must not be negative"),
        ("30 parsecs", "unknown unit `parsecs`"),
        ("30S", "did you mean `s`?"),
        ("1_000ms", "takes plain digits"),
        ("s", "is not a duration"),
        ("soon", "is not a duration"),
        ("1.5s", "takes whole numbers"),
        ("10us", "is counted in milliseconds"),
        ("99ms", "is too short: the least is \"100ms\""),
        ("366d", "is too long: the most is \"365d\""),
        ("99999999999999999999999999999999999999999999d", "is too long"),
        ("30s 1m", "units out of order"),
        ("30s 30s", "units out of order"),
        ("30s,", "is not a duration"),
    ];
    for (text, expected) in cases {
        let message = lease(text).expect_err(text);
        assert!(message.contains(expected) && message.contains("`ttl`"), "{text:?}: {message}");
    }
}

#[test]
fn what_is_no_lease_may_be_as_short_as_a_millisecond() {
    assert_eq!(parse("min_hold", "1ms", MIN_MS), Ok(1));
    assert!(parse("min_hold", "0ms", MIN_MS).is_err());
}

#[test]
fn a_sum_of_parts_is_the_sum_of_their_values() {
    let mut rng = Rng::seeded(1);
    for _ in 0..20_000 {
        let (mut text, mut total) = (String::new(), 0);
        for (unit, scale) in [("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1)] {
            if rng.below(2) == 0 {
                let number = rng.below(400);
                text.push_str(&format!(
                    "{number}{}{unit}{}",
                    rng.one_of(&["", " "]),
                    rng.one_of(&["", " ", "  "])
                ));
                total += number as u64 * scale;
            }
        }
        let is_allowed = !text.is_empty() && (MIN_LEASE_MS..=MAX_MS).contains(&total);
        assert_eq!(lease(&text).ok(), is_allowed.then_some(total), "{text:?}");
    }
}

#[test]
fn any_text_is_a_duration_in_bounds_or_a_message() {
    let mut rng = Rng::seeded(2);
    let alphabet = ["0", "1", "9", "s", "m", "h", "d", "ms", " ", "-", ".", "µ", "é", "\u{0}", "９", "sec"];
    for _ in 0..50_000 {
        let text = rng.text(&alphabet, 12);
        match lease(&text) {
            Ok(ms) => assert!((MIN_LEASE_MS..=MAX_MS).contains(&ms), "{text:?}"),
            Err(message) => assert!(message.contains("`ttl`"), "{text:?}: {message}"),
        }
    }
}
