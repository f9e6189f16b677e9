//! Laws of the journal and of waiting.

use std::time::{Duration, Instant};

use crate::support::journal::{Journal, Mark, Writer, now};
use crate::support::poll;
use crate::support::temp::TempDir;

#[test]
fn runs_one_after_the_other_do_not_overlap() {
    let journal = Journal::parse("10 1 1 start\n20 1 1 end\n20 2 1 start\n30 2 1 step 1\n40 2 1 end\n");
    assert_eq!(journal.overlaps(), []);
    let ended: Vec<(u32, u32, bool)> = journal.calls().iter().map(|c| (c.pid, c.steps, c.ended)).collect();
    assert_eq!(ended, [(1, 0, true), (2, 1, true)]);
}

#[test]
fn a_run_that_begins_inside_of_another_is_an_overlap() {
    let journal = Journal::parse("10 1 1 start\n20 2 1 start\n30 1 1 end\n40 2 1 end\n50 1 2 start\n");
    let overlaps = journal.overlaps();
    let pairs: Vec<(u32, u32)> = overlaps.iter().map(|(one, other)| (one.pid, other.pid)).collect();
    assert_eq!(pairs, [(1, 2)]);
}

#[test]
fn a_run_that_outlives_several_overlaps_with_each() {
    let text = "10 1 1 start\n20 2 1 start\n25 2 1 end\n30 3 1 start\n35 3 1 end\n40 1 1 end\n";
    assert_eq!(Journal::parse(text).overlaps().len(), 2);
}

#[test]
fn a_run_that_was_killed_ends_with_its_last_line() {
    let journal = Journal::parse("10 1 1 start\n20 1 1 step 7\n30 2 1 start\n40 2 1 end\n");
    assert_eq!(journal.overlaps(), []);
    let killed = journal.calls()[0];
    assert_eq!((killed.first, killed.last, killed.steps, killed.ended), (10, 20, 7, false));
}

#[test]
fn the_lines_of_many_writers_stay_whole() {
    let dir = TempDir::new();
    let path = dir.path().join("journal");
    assert_eq!(Journal::read(&path), Journal::default());
    let begun = now();
    std::thread::scope(|scope| {
        for call in 0..8 {
            let writer = Writer::open(&path).expect("a journal");
            scope.spawn(move || {
                writer.start(call);
                (1..=500).for_each(|step| writer.step(call, step));
                writer.end(call);
            });
        }
    });
    let journal = Journal::read(&path);
    assert_eq!(journal.entries.len(), 8 * 502);
    assert!(journal.calls().iter().all(|call| call.ended && call.steps == 500));
    assert_eq!(journal.after(std::process::id(), begun).len(), journal.entries.len());
    assert_eq!(journal.after(std::process::id(), now()), []);
}

#[test]
fn a_line_without_its_end_is_not_there_yet() {
    let journal = Journal::parse("10 1 1 start\n20 1 1 st");
    assert_eq!(journal.entries.iter().map(|entry| entry.mark).collect::<Vec<_>>(), [Mark::Start]);
}

#[test]
#[should_panic(expected = "in vain for: the sky to fall")]
fn waiting_in_vain_says_for_what() {
    poll::until("the sky to fall", Duration::from_millis(10), || false);
}

#[tokio::test]
async fn waiting_does_not_block_the_runtime() {
    let begun = Instant::now();
    let other = tokio::spawn(tokio::time::sleep(Duration::from_millis(20)));
    poll::until_async("the other task", Duration::from_secs(5), async || other.is_finished()).await;
    assert!(begun.elapsed() < Duration::from_secs(4));
}
