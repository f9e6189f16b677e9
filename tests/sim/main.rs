//! Histories: several processes on one simulated store and a paused clock, everything decided by one seed.
//!
//! `DLOCK_SEED=n cargo test -p dlock-tests --test sim` runs the history of one seed again, exactly as it was;
//! `DLOCK_SEEDS=n` runs so many, from `DLOCK_FROM` on.

mod dice;
mod faults;
mod history;
mod outage;
mod pausable;
mod product;

use history::History;

/// How many histories a plain run of the tests has.
const SEEDS: u64 = 1000;

fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

#[test]
fn in_every_history_a_body_takes_no_step_without_its_lease_and_nothing_is_left() {
    if let Some(seed) = number("DLOCK_SEED") {
        println!("{:#?}", History::of(seed).run());
        return;
    }
    let first = number("DLOCK_FROM").unwrap_or(1);
    let mut total = history::Counts::default();
    for seed in first..first + number("DLOCK_SEEDS").unwrap_or(SEEDS) {
        let outcome = std::panic::catch_unwind(|| History::of(seed).run());
        match outcome {
            Ok(counts) => total.add(&counts),
            Err(_) => panic!("seed {seed}: run it again with DLOCK_SEED={seed}"),
        }
    }
    println!("{total:#?}");
    // A simulation in which nothing ever happens proves nothing.
    for (what, count) in total.each() {
        assert!(count > 0 || number("DLOCK_SEEDS").is_some(), "no history has any of: {what}");
    }
}

#[test]
fn a_seed_gives_the_same_history_again() {
    for seed in [1, 7, 4711] {
        let (one, two) = (History::of(seed).run(), History::of(seed).run());
        assert_eq!(one, two, "seed {seed}");
    }
    assert_ne!(History::of(1).run(), History::of(2).run());
}
