//! Outages: the store is stopped, and when it goes on it executes what it was sent meanwhile.

use std::time::Duration;

use dlock_runtime::testing::{Call, Fate, Process, Reply, SimulatedStore};
use dlock_runtime::{Acquire, Locks};
use tokio::time::Instant;

use crate::product::beside;

const KEY: &str = "outage";

/// From `down` to `up` nothing is executed; what was sent is, within a moment after `up`, and not in order.
fn stopped(start: Instant, down: Duration, up: Duration) -> impl FnMut(Call) -> Fate + Send + 'static {
    let mut odd = 0;
    move |_| {
        let now = Instant::now() - start;
        odd += 1;
        if now < down || now >= up {
            return Fate::PROMPT;
        }
        Fate { executed: Some(up - now + Duration::from_millis(odd * 37 % 200)), reply: Reply::Never }
    }
}

fn simulate<T>(story: impl AsyncFnOnce(Instant) -> T) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build();
    runtime.expect("a runtime").block_on(async { story(Instant::now()).await })
}

#[test]
fn what_a_store_executes_after_an_outage_longer_than_the_ttl_is_given_back() {
    for ttl in [1, 5, 30].map(Duration::from_secs) {
        let up = ttl * 2 + Duration::from_secs(3);
        simulate(async |start| {
            let store = SimulatedStore::new(start);
            let link = store.link(stopped(start, Duration::ZERO, up));
            let Process { locks, mut watchdog } = Process::new(Locks::builder(link), 1, start);
            let story = async {
                assert!(locks.lease(KEY).ttl(ttl).try_acquire().await.is_err());
                tokio::time::sleep_until(start + up + Duration::from_millis(200)).await;
                // Now all has been executed, in some order.
                tokio::time::sleep(Duration::from_secs(4)).await;
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
