//! Calls that end when a renewal is due, and programs that end while a call runs.

use std::process::Command;
use std::time::Duration;

use dlock_runtime::{Locks, singleton};

use super::stores::{Store, locks};
use crate::support::poll;
use crate::support::probe::{Probe, Word};
use crate::support::redis::RedisServer;

const SOON: Duration = Duration::from_secs(20);

#[singleton(key = "ends:{name}", ttl = "400ms")]
async fn for_a_while(name: &str, millis: u64) -> u64 {
    tokio::time::sleep(Duration::from_millis(millis)).await;
    millis
}

/// Renewals are due after 120 to 133 ms; a try that got no answer is repeated about 67 ms later.
#[test]
fn three_hundred_calls_that_end_around_their_renewal_are_never_lost_and_leave_nothing_behind() {
    const LANES: u64 = 6;
    const CALLS: u64 = 50;
    let server = RedisServer::start();
    let locks = locks(&server.url());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build();
    let runtime = runtime.expect("a runtime");
    let connections = || {
        let list = server.cmd(&["CLIENT", "LIST", "TYPE", "normal"]);
        list.text().expect("a list").lines().count()
    };
    runtime.block_on(async {
        let alive = || tokio::runtime::Handle::current().metrics().num_alive_tasks();
        // Connects.
        assert_eq!(locks.scope(for_a_while("warm", 150)).await, Some(150));
        let tasks = alive();
        // Ours, the watchdog's, and the one that asks.
        let sockets = 3;
        let lanes = (0..LANES).map(|lane| {
            let locks = locks.clone();
            tokio::spawn(async move {
                for call in 0..CALLS {
                    let millis = if call % 2 == 0 { 110 + call % 35 } else { 180 + call % 30 };
                    let name = format!("{lane}:{call}");
                    assert_eq!(locks.scope(for_a_while(&name, millis)).await, Some(millis), "{name}");
                }
            })
        });
        for lane in lanes.collect::<Vec<_>>() {
            lane.await.expect("no panic");
        }
        assert_eq!(server.keys(), Vec::<String>::new());
        poll::until_async("no task more than before", SOON, async || alive() == tasks).await;
        poll::until_async("no connection more than before", SOON, async || connections() <= sockets).await;
        server.config_resetstat();
        tokio::time::sleep(Duration::from_millis(900)).await;
        let stats = server.commandstats();
        let asked = stats.iter().any(|(name, _)| name.starts_with("eval") || name == "set");
        assert!(!asked, "the end was the end: {stats:?}");
    });
}

/// Where a child of this program is to hold a lock while its main returns.
const MAIN_RETURNS: &str = "DLOCK_TEST_MAIN_RETURNS";
const TTL: Duration = Duration::from_secs(2);

#[singleton(key = "accept:{name}", ttl = TTL)]
async fn detached(name: &str, begun: tokio::sync::oneshot::Sender<()>) {
    begun.send(()).expect("main waits for it");
    tokio::time::sleep(SOON).await;
}

#[tokio::main]
async fn main_that_returns_while_a_detached_task_holds(url: &str) {
    let locks = Locks::from_url(url).expect("a URL of a store");
    let (begun, begins) = tokio::sync::oneshot::channel();
    tokio::spawn(async move { locks.scope(detached("main", begun)).await });
    begins.await.expect("the body has begun");
}

/// Runs in a child, and ends it as the return of `main` does; otherwise a test that has nothing to say.
#[test]
fn a_child_whose_main_returns() {
    if let Ok(url) = std::env::var(MAIN_RETURNS) {
        main_that_returns_while_a_detached_task_holds(&url);
        std::process::exit(0);
    }
}

#[test]
fn a_main_that_returns_while_a_detached_task_holds_ends_at_once_and_the_key_is_free_after_the_ttl() {
    for store in Store::all().into_iter().filter(|store| store.name() != "memory") {
        for _ in 0..5 {
            let mut child = Command::new(std::env::current_exe().expect("a program"));
            child.args(["--exact", "laws::ends::a_child_whose_main_returns", "--nocapture"]);
            let begun = std::time::Instant::now();
            let ended = child.env(MAIN_RETURNS, store.url()).output().expect("it starts");
            assert!(begun.elapsed() < SOON / 2, "it hung for {:?}", begun.elapsed());
            let complaints = String::from_utf8_lossy(&ended.stderr);
            assert!(ended.status.success() && !complaints.contains("panicked"), "{ended:?}");
            // On local the kernel has freed it already.
            let patience = if store.name() == "local" { Duration::ZERO } else { TTL };
            let ended = std::time::Instant::now();
            poll::until("the key to be free", SOON, || {
                Probe::at(&store.url(), "main").set("step-ms", 1).spawn().outcome(1, SOON).word == Word::Ran
            });
            assert!(ended.elapsed() < patience + Duration::from_secs(1), "{}", store.name());
        }
    }
}
