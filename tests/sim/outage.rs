//! Outages: the store is stopped, and when it goes on it executes what it was sent meanwhile.

use std::time::Duration;

use dlock_runtime::testing::{Call, Fate, Process, Reply, SimulatedStore};
use dlock_runtime::{Acquire, Locks};
use tokio::time::Instant;

use crate::product::beside;

const KEY: &str = "outage";

/// Until `up` nothing is executed and nothing answered. What was asked for then is executed a while after `up`; the
/// releases that were sent are lost, so that only one that is sent later can make up for it.
fn stopped(start: Instant, up: Duration) -> impl FnMut(Call) -> Fate + Send + 'static {
    const LATE: Duration = Duration::from_millis(800);
    move |call| {
        let now = Instant::now() - start;
        match call {
            _ if now >= up => Fate::PROMPT,
            Call::Acquire => Fate { executed: Some(up - now + LATE), reply: Reply::Never },
            _ => Fate { executed: None, reply: Reply::Never },
        }
    }
}

fn simulate<T>(story: impl AsyncFnOnce(Instant) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(async { story(Instant::now()).await })
}

#[test]
fn what_a_store_executes_after_an_outage_longer_than_the_ttl_is_given_back() {
    for (ttl, up) in
        [(3, 9), (5, 13), (30, 25)].map(|(ttl, up)| (Duration::from_secs(ttl), Duration::from_secs(up)))
    {
        simulate(async |start| {
            let store = SimulatedStore::new(start);
            let link = store.link(stopped(start, up));
            let Process { locks, mut watchdog } = Process::new(Locks::builder(link), 1, start);
            let story = async {
                assert!(locks.lease(KEY).ttl(ttl).try_acquire().await.is_err());
                // The longest pause between two tries after what came late.
                tokio::time::sleep_until(start + up + Duration::from_millis(1900)).await;
                assert_eq!(store.value(KEY), None, "ttl {ttl:?}");
            };
            beside(&mut watchdog, story).await;
        });
    }
}

#[test]
fn an_outage_does_not_prolong_min_hold() {
    let (min_hold, up) = (Duration::from_secs(4), Duration::from_millis(3500));
    simulate(async |start| {
        let store = SimulatedStore::new(start);
        let link = store.link(move |_| match Instant::now() - start {
            now if now > Duration::ZERO && now < up => Fate { executed: None, reply: Reply::Never },
            _ => Fate::PROMPT,
        });
        let Process { locks, mut watchdog } = Process::new(Locks::builder(link), 1, start);
        let story = async {
            let request = locks.lease(KEY).ttl(Duration::from_secs(30)).min_hold(min_hold);
            let Ok(Acquire::Acquired(lease)) = request.try_acquire().await else { panic!("the key is free") };
            tokio::time::sleep(Duration::from_millis(10)).await;
            drop(lease);
            tokio::time::sleep_until(start + min_hold - Duration::from_millis(5)).await;
            assert!(store.value(KEY).is_some(), "kept for as long as it was asked");
            // The longest pause between two tries.
            tokio::time::sleep(Duration::from_millis(1100)).await;
            assert_eq!(store.value(KEY), None, "and not much longer");
        };
        beside(&mut watchdog, story).await;
    });
}

#[test]
fn a_first_try_that_broke_and_arrives_late_is_given_back_whatever_became_of_the_second() {
    let late =
        Fate { executed: Some(Duration::from_millis(900)), reply: Reply::Breaks(Duration::from_millis(10)) };
    let second = [
        Fate { executed: None, reply: Reply::Unreachable },
        Fate { executed: None, reply: Reply::Refused },
        Fate { executed: None, reply: Reply::Never },
        // Finds the key of another, who goes before the first try arrives.
        Fate::PROMPT,
    ];
    for second in second {
        simulate(async |start| {
            let store = SimulatedStore::new(start);
            let mut tries = 0;
            let link = store.link(move |call| {
                tries += u32::from(call == Call::Acquire);
                match (call, tries) {
                    (Call::Acquire, 1) => late,
                    (Call::Acquire, 2) => second,
                    _ => Fate::PROMPT,
                }
            });
            if second == Fate::PROMPT {
                store.set(KEY, "another's", Duration::from_millis(500));
            }
            let Process { locks, mut watchdog } = Process::new(Locks::builder(link), 1, start);
            let story = async {
                let answer = locks.lease(KEY).ttl(Duration::from_secs(60)).try_acquire().await;
                assert!(!matches!(answer, Ok(Acquire::Acquired(_))), "{answer:?}");
                tokio::time::sleep_until(start + Duration::from_millis(2500)).await;
                assert_eq!(store.value(KEY), None, "{second:?}");
            };
            beside(&mut watchdog, story).await;
        });
    }
}
