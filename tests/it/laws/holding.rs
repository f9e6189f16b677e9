//! While a lease is held: it is renewed for as long as the body runs, and not a moment longer.

use std::time::Duration;

use dlock_runtime::{Locks, singleton};

use super::calls::acquired;
use super::stores::{Store, locks};
use crate::support::journal::Journal;
use crate::support::poll;
use crate::support::probe::{Probe, Word};
use crate::support::proxy::{Mode, Proxy};
use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(20);

#[singleton(key = "holding:long", ttl = "400ms")]
async fn three_ttl_long() -> u8 {
    tokio::time::sleep(Duration::from_millis(1200)).await;
    1
}

#[tokio::test]
async fn a_body_three_times_as_long_as_its_ttl_stays_exclusive() {
    for store in Store::all() {
        let (locks, other) = (store.locks(), store.locks());
        let rival = async {
            let mut skips = 0;
            // Begins after the first has the key, and ends well before its body does.
            tokio::time::sleep(Duration::from_millis(100)).await;
            for _ in 0..40 {
                assert_eq!(other.scope(three_ttl_long()).await, None, "{}", store.name());
                skips += 1;
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
            skips
        };
        let (first, skips) = tokio::join!(locks.scope(three_ttl_long()), rival);
        assert_eq!((first, skips), (Some(1), 40), "{}", store.name());
    }
}

#[test]
fn a_body_that_blocks_its_thread_for_five_ttl_on_a_current_thread_runtime_stays_exclusive() {
    for store in Store::all().into_iter().filter(|store| store.name() != "memory") {
        let dir = TempDir::new();
        let path = dir.path().join("journal");
        let blocking = Probe::at(&store.url(), "b").set("ttl-ms", 500).set("step-ms", 2500).flag("blocking");
        let mut blocking = blocking.set("runtime", "current").journal(&path).spawn();
        poll::until("the body", SOON, || !Journal::read(&path).entries.is_empty());
        let rival = Probe::at(&store.url(), "b").set("ttl-ms", 500).set("step-ms", 1).set("calls", 1000);
        let rival = rival.set("gap-ms", 20).journal(&path).spawn();
        assert_eq!(blocking.outcome(1, SOON).word, Word::Ran, "{}", store.name());
        assert!(blocking.wait(SOON).success());
        poll::until("the rival's turn", SOON, || {
            rival.outcomes().iter().any(|outcome| outcome.word == Word::Ran)
        });
        assert!(rival.outcomes().iter().filter(|outcome| outcome.word == Word::Skipped).count() > 20);
        assert_eq!(Journal::read(&path).overlaps(), [], "{}", store.name());
    }
}

#[tokio::test]
async fn renewals_end_with_the_lease() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    // Makes the server know the scripts: else each would be sent twice.
    let warm = acquired(locks.lease("holding:warm").ttl(Duration::from_millis(300)).try_acquire().await);
    poll::until_async("a renewal", SOON, async || server.commandstats().contains_key("pexpire")).await;
    let _ = warm.release().await.expect("released");
    // Durations around the first renewal, so that releases meet renewals on their way.
    let monitor = server.monitor();
    let calls = (0..300_u64).map(|n| {
        let locks = locks.clone();
        async move {
            let lease = acquired(
                locks.lease(format!("holding:end:{n}")).ttl(Duration::from_millis(300)).try_acquire().await,
            );
            tokio::time::sleep(Duration::from_millis(85 + n % 30)).await;
            assert!(lease.is_held());
            assert_eq!(lease.release().await.expect("released"), dlock_runtime::Released::Freed);
        }
    });
    let calls: Vec<_> = calls.map(tokio::spawn).collect();
    for call in calls {
        call.await.expect("no panic");
    }
    assert_eq!(server.keys(), Vec::<String>::new());
    server.config_resetstat();
    tokio::time::sleep(Duration::from_millis(700)).await;
    let silent: u64 =
        server.commandstats().iter().filter(|(name, _)| name.starts_with("eval")).map(|(_, n)| *n).sum();
    assert_eq!(silent, 0, "no command after the last release");
    nothing_follows_a_release(&monitor.all());
}

fn nothing_follows_a_release(commands: &[crate::support::monitor::Command]) {
    let mut released = std::collections::BTreeSet::new();
    let mut renewed = 0;
    for command in
        commands.iter().filter(|command| command.name().starts_with("eval") && !command.is_from_script())
    {
        let keys: usize = command.words[2].parse().expect("a number of keys");
        let names = &command.words[3..3 + keys];
        // A release has one key and its value; a renewal has a ttl for each key too.
        let is_renewal = command.words.len() == 3 + 3 * keys;
        for name in names {
            assert!(!released.contains(name), "{name} is touched after its release: {command:?}");
        }
        if is_renewal {
            renewed += names.len();
        } else {
            released.extend(names.iter().cloned());
        }
    }
    assert_eq!(released.len(), 300);
    assert!(renewed > 0, "some were renewed");
}

#[tokio::test]
async fn many_leases_are_renewed_in_few_round_trips() {
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let mut held = Vec::new();
    for n in 0..500 {
        held.push(acquired(
            locks.lease(format!("holding:many:{n}")).ttl(Duration::from_secs(3)).try_acquire().await,
        ));
    }
    server.config_resetstat();
    tokio::time::sleep(Duration::from_millis(2000)).await;
    let stats = server.commandstats();
    let renewed = stats.get("pexpire").copied().unwrap_or(0);
    let calls: u64 = stats.iter().filter(|(name, _)| name.starts_with("eval")).map(|(_, calls)| *calls).sum();
    assert!((500..=1500).contains(&renewed), "each once or twice: {stats:?}");
    assert!(calls * 2 <= renewed, "{stats:?}");
    assert!(held.iter().all(|lease| lease.is_held()));
}

#[tokio::test]
async fn a_lease_of_one_locks_is_never_released_by_another_of_the_same_process() {
    for store in Store::all() {
        let (one, two) = (store.locks(), store.locks());
        let first = acquired(one.lease("holding:two").ttl(SOON).try_acquire().await);
        let refused = two.lease("holding:two").ttl(SOON).try_acquire().await.expect("an answer");
        drop(refused);
        drop::<Locks>(two);
        assert!(first.is_held());
        let again = store.locks().lease("holding:two").ttl(SOON).try_acquire().await.expect("an answer");
        assert!(matches!(again, dlock_runtime::Acquire::Contended(_)), "{}", store.name());
    }
}

#[tokio::test]
async fn a_network_on_which_connecting_takes_longer_than_a_renewals_patience_keeps_its_leases() {
    let server = RedisServer::start();
    let proxy = Proxy::to(server.port());
    proxy.set(Mode::DelayReplies(Duration::from_millis(60)));
    let locks = locks(&proxy.url());
    let lease = acquired(locks.lease("holding:far").ttl(Duration::from_secs(1)).try_acquire().await);
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert!(lease.is_held());
    assert_eq!(lease.release().await.expect("released"), dlock_runtime::Released::Freed);
}
