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
const SEEDS: u64 = 2000;

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
    let seeds = number("DLOCK_SEEDS").unwrap_or(SEEDS);
    let workers =
        std::thread::available_parallelism().map_or(1, |cores| u64::try_from(cores.get()).unwrap_or(1));
    let total = std::thread::scope(|scope| {
        let share = |worker| {
            move || {
                live_through((first + worker..first + seeds).step_by(usize::try_from(workers).unwrap_or(1)))
            }
        };
        let workers: Vec<_> = (0..workers).map(|worker| scope.spawn(share(worker))).collect();
        let mut total = history::Counts::default();
        for worker in workers {
            match worker.join() {
                Ok(counts) => total.add(&counts),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        total
    });
    println!("{seeds} histories: {total:#?}");
    // A simulation in which nothing ever happens proves nothing.
    for (what, count) in total.each() {
        assert!(count > 0 || seeds < 100, "no history has any of: {what}");
    }
}

/// The histories of some seeds; a failure names the seed.
fn live_through(seeds: impl Iterator<Item = u64>) -> history::Counts {
    let mut total = history::Counts::default();
    for seed in seeds {
        match std::panic::catch_unwind(|| History::of(seed).run()) {
            Ok(counts) => total.add(&counts),
            Err(_) => panic!("seed {seed}: run it again with DLOCK_SEED={seed}"),
        }
    }
    total
}

#[test]
fn a_seed_gives_the_same_history_again() {
    for seed in [1, 7, 4711] {
        let (one, two) = (History::of(seed).run(), History::of(seed).run());
        assert_eq!(one, two, "seed {seed}");
    }
    assert_ne!(History::of(1).run(), History::of(2).run());
}
