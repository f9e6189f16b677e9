//! Chaos: real processes over a real server, while a nemesis stops and kills them, the server and the network;
//! and a checker that reads afterwards what everybody did.
//!
//! `DLOCK_CHAOS_SEED=n cargo test -p dlock-tests --test chaos` takes the decisions of one seed again, as far as real
//! processes let it; `DLOCK_CHAOS_FAULTS=n` does so many faults.

mod checker;
mod deeds;
#[path = "../sim/dice.rs"]
mod dice;
mod figures;
mod nemesis;
mod runs;
#[path = "../it/support/mod.rs"]
#[allow(dead_code, unused_imports, reason = "shared with it/, which uses all of it")]
mod support;
mod world;

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;
use std::time::Duration;

use checker::{Terms, check, nanos};
use deeds::Deed;
use dice::Dice;
use nemesis::Nemesis;
use rustix::io::Errno;
use rustix::process::{Pid, test_kill_process};
use support::journal::now;
use support::poll;
use world::{GAP, INSTANCES, TTL, World};

/// How many faults a plain run of the tests has.
const FAULTS: u64 = 160;

/// What a busy machine may add to a bound.
const SLACK: Duration = Duration::from_millis(500);

/// Within this after the last repair bodies run again.
const RECOVERY: Duration = Duration::from_secs(5);

/// The number in this variable of the environment.
fn number(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|value| value.parse().unwrap_or_else(|_| panic!("{name} must be a number")))
}

/// The seed of a plain run of the tests; scripts/soak.sh takes new ones.
const SEED: u64 = 547_488;

#[test]
fn whatever_fails_no_two_bodies_run_at_once_and_nothing_is_left() {
    let seed = number("DLOCK_CHAOS_SEED").unwrap_or(SEED);
    let faults = number("DLOCK_CHAOS_FAULTS").unwrap_or(FAULTS);
    let again = format!(
        "seed {seed}: run it again with DLOCK_CHAOS_SEED={seed} DLOCK_CHAOS_FAULTS={faults} \
         cargo test -p dlock-tests --test chaos"
    );
    println!("{again}");
    let findings =
        std::panic::catch_unwind(|| history(seed, usize::try_from(faults).expect("not that many")));
    let findings = findings.unwrap_or_else(|_| panic!("{again}"));
    assert!(findings.is_empty(), "{again}\n{}", findings.join("\n"));
}

/// One history. Returns what should not have happened.
fn history(seed: u64, faults: usize) -> Vec<String> {
    let dice = Dice::of(seed);
    let mut world = World::start(&dice);
    let mut findings = Vec::new();
    let deeds = Nemesis::new(&mut world, dice).rage(faults);
    let repaired = now();
    let begun = || runs::runs(&world.recently()).iter().any(|run| run.first() > Some(repaired));
    if poll::find_within(RECOVERY, || begun().then_some(())).is_none() {
        findings.push(format!("no body began within {RECOVERY:?} after the last repair"));
    }
    for complaint in world.finish() {
        findings.push(format!("an instance complained: {complaint}"));
    }
    for key in world.left_on_the_server() {
        findings.push(format!("{key} was left on the server"));
    }
    let runs = runs::runs(&world.ledger());
    let verdict = check(&runs, &deeds, Terms { ttl: TTL, gap: GAP, slack: SLACK });
    println!(
        "\nseed {seed}, {} s\n{}",
        (now() - runs[0].asked) / nanos(Duration::from_secs(1)),
        verdict.figures
    );
    findings.extend(verdict.findings);
    // A history in which nothing happens proves nothing.
    let figures = &verdict.figures;
    if faults as u64 >= FAULTS
        && (figures.bodies < faults || figures.takeovers == 0 || figures.detections == 0)
    {
        findings.push("too little has happened".to_owned());
    }
    if !findings.is_empty() {
        findings
            .push(format!("the ledger and the faults are kept in {}", keep(seed, &world, &deeds).display()));
    }
    findings
}

/// Keeps what there is to be looked at after a failure. Returns where.
fn keep(seed: u64, world: &World, deeds: &[Deed]) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("dlock-chaos-{seed}"));
    std::fs::create_dir_all(&folder).expect("a folder for temporary files");
    std::fs::copy(world.ledger_path(), folder.join("ledger")).expect("a copy of the ledger");
    let lines: Vec<String> = deeds.iter().map(|deed| format!("{deed:?}\n")).collect();
    std::fs::write(folder.join("faults"), lines.concat()).expect("the faults can be written");
    folder
}

#[test]
fn a_test_that_panics_leaves_no_process_behind() {
    let mut pids = Vec::new();
    let panicked = std::panic::catch_unwind(AssertUnwindSafe(|| {
        let world = World::start(&Dice::of(1));
        pids = (0..INSTANCES).map(|number| world.at(number).pid()).collect();
        world.at(0).stop();
        world.server.stop();
        panic!("on purpose");
    }));
    assert!(panicked.is_err() && pids.len() == INSTANCES);
    for pid in pids {
        let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("the id of a process");
        assert_eq!(test_kill_process(pid), Err(Errno::SRCH));
    }
}
