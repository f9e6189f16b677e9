//! Two calls exclude each other exactly when their keys are the same bytes, whatever these are and however many.

use std::process::Command;
use std::sync::Barrier;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dlock_runtime::{Acquire, ErrorKind, Locks, singleton};

use super::calls::acquired;
use super::stores::{Store, locks};
use crate::support::poll;
use crate::support::probe::{Probe, Word};
use crate::support::temp::TempDir;

const SOON: Duration = Duration::from_secs(30);

/// Names that something between the attribute and the store might read in its own way. One letter apart are the two
/// long ones, and the two ways to write é.
fn odd_names() -> Vec<String> {
    let odd = [
        "a b",
        "a:b",
        "*",
        "[x]?",
        "%s",
        "a\nb",
        "é",
        "e\u{301}",
        "🔒",
        "../x",
        "\u{202e}x",
        "{x}",
        "X",
        "x",
    ];
    let long = |last: char| format!("{}{last}", "y".repeat(1024));
    odd.iter().map(|name| (*name).to_owned()).chain([long('1'), long('2')]).collect()
}

#[test]
fn between_two_processes_the_same_name_is_skipped_and_all_different_names_run_at_once() {
    for store in Store::all().into_iter().filter(|store| store.name() != "memory") {
        let dir = TempDir::new();
        let journal = dir.path().join("journal");
        let job = |name: &str| Probe::at(&store.url(), name).set("ttl-ms", 10_000).set("step-ms", 5);
        let holders: Vec<Probe> = odd_names()
            .iter()
            .map(|name| job(name).set("steps", 100_000).journal(&journal).spawn())
            .collect();
        poll::until("all to be in their bodies", SOON, || {
            crate::support::journal::Journal::read(&journal).calls().len() == holders.len()
        });
        for name in odd_names() {
            let second = job(&name).spawn();
            assert_eq!(second.outcome(1, SOON).word, Word::Skipped, "{}: {name:?}", store.name());
        }
        for (holder, name) in holders.iter().zip(odd_names()) {
            assert!(holder.outcomes().is_empty(), "{}: {name:?}: {:?}", store.name(), holder.outcomes());
        }
    }
}

#[test]
fn a_name_that_is_too_long_is_an_error_that_names_the_limit_and_never_cut() {
    for store in Store::all().into_iter().filter(|store| store.name() != "memory") {
        for last in ['1', '2'] {
            let name = format!("{}{last}", "x".repeat(100 * 1024));
            let outcome = Probe::at(&store.url(), &name).spawn().outcome(1, SOON);
            assert_eq!(outcome.word, Word::Error, "{}", store.name());
            assert!(outcome.detail.contains("4096"), "{}", outcome.detail);
        }
    }
}

#[singleton(key = "keys:{a}:{b}", ttl = "30s")]
async fn plain(a: &str, b: &str, then: Option<(&str, &str)>) -> Option<Option<u8>> {
    match then {
        Some((a, b)) => Some(again_plain(a, b).await),
        None => None,
    }
}

#[singleton(key = "keys:{a}:{b}", ttl = "30s")]
async fn again_plain(a: &str, b: &str) -> u8 {
    1
}

#[singleton(key = "keys:{a:?}:{b:?}", ttl = "30s")]
async fn quoted(a: &str, b: &str, then: (&str, &str)) -> Option<u8> {
    again_quoted(then.0, then.1).await
}

#[singleton(key = "keys:{a:?}:{b:?}", ttl = "30s")]
async fn again_quoted(a: &str, b: &str) -> u8 {
    1
}

#[tokio::test]
async fn two_holes_that_render_to_one_text_are_one_key_and_quoted_ones_stay_apart() {
    let locks = locks("memory:");
    let same = plain("x:y", "z", Some(("x", "y:z")));
    assert_eq!(locks.scope(same).await, Some(Some(None)), "one text, one key");
    let other = plain("x:y", "z", Some(("x", "y")));
    assert_eq!(locks.scope(other).await, Some(Some(Some(1))));
    assert_eq!(locks.scope(quoted("x:y", "z", ("x", "y:z"))).await, Some(Some(1)), "quoted: two keys");
    assert_eq!(locks.scope(quoted("x", "y", ("x", "y"))).await, Some(None));
}

fn alone<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime").block_on(future)
}

const THREADS: usize = 8;
/// What else a test process has open.
const OTHER_FILES: u64 = 2_000;

/// 10,000, or as many as the limit of open files allows.
fn many() -> usize {
    use rustix::process::{Resource, getrlimit};
    let limit = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let many = limit.saturating_sub(OTHER_FILES).clamp(limit / 4, 10_000);
    usize::try_from(many).expect("small") / THREADS * THREADS
}

#[test]
fn thousands_of_names_held_at_once_on_local_are_all_granted_and_all_contended() {
    let dir = TempDir::new();
    let locks = locks(&format!("local:{}", dir.path().display()));
    let share = many() / THREADS;
    let (all_held, all_asked) = (Barrier::new(THREADS), Barrier::new(THREADS));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (locks, all_held, all_asked) = (locks.clone(), &all_held, &all_asked);
            scope.spawn(move || {
                alone(async {
                    let name = |thread: usize, n: usize| format!("many:{thread}:{n}");
                    let ask = async |name: String| locks.lease(name).ttl(SOON).try_acquire().await;
                    let mut held = Vec::new();
                    for n in 0..share {
                        held.push(acquired(ask(name(thread, n)).await));
                    }
                    all_held.wait();
                    // Another thread's names are held, too, each of them.
                    for n in 0..share {
                        let answer = ask(name((thread + 1) % THREADS, n)).await.expect("an answer");
                        assert!(matches!(answer, Acquire::Contended(_)), "granted twice");
                    }
                    assert!(held.iter().all(|lease| lease.is_held()));
                    all_asked.wait();
                    for lease in held {
                        assert_eq!(lease.release().await.expect("an answer"), dlock_runtime::Released::Freed);
                    }
                    drop(acquired(ask(name(thread, 0)).await));
                });
            });
        }
    });
}

#[test]
fn one_name_from_eight_threads_is_held_by_one_at_a_time_on_every_store() {
    for store in Store::all() {
        let (inside, runs) = (AtomicU32::new(0), AtomicU32::new(0));
        std::thread::scope(|scope| {
            for _ in 0..THREADS {
                // What a process shares, and a `Locks` of its own.
                let (locks, inside, runs) = (store.locks(), &inside, &runs);
                scope.spawn(move || {
                    alone(async {
                        for _ in 0..100 {
                            match locks.lease("many:one").ttl(SOON).try_acquire().await.expect("an answer") {
                                Acquire::Acquired(lease) => {
                                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0, "two at once");
                                    tokio::time::sleep(Duration::from_micros(200)).await;
                                    inside.fetch_sub(1, Ordering::SeqCst);
                                    runs.fetch_add(1, Ordering::SeqCst);
                                    lease.release().await.map(drop).expect("an answer");
                                }
                                Acquire::Contended(_) => tokio::time::sleep(Duration::from_micros(100)).await,
                            }
                        }
                    });
                });
            }
        });
        assert!(runs.into_inner() > 0, "{}", store.name());
    }
}

/// Where a child of this program that may open few files finds its locks.
const FEW_FILES: &str = "DLOCK_TEST_FEW_FILES";

/// Runs in a child that may open few files; otherwise a test that has nothing to say.
#[test]
fn a_child_with_few_files() {
    let Some(dir) = std::env::var_os(FEW_FILES) else { return };
    // First: later something closes files in the background.
    a_watchdog_that_was_refused_is_started_when_it_can_be();
    let locks = Locks::from(dlock_runtime::Local::new(dir).expect("a directory"));
    alone(async {
        let mut held = Vec::new();
        let error = loop {
            match locks.lease(format!("few:{}", held.len())).ttl(SOON).try_acquire().await {
                Ok(Acquire::Acquired(lease)) => held.push(lease),
                Ok(Acquire::Contended(contended)) => panic!("a skip for want of files: {contended}"),
                Err(error) => break error,
            }
            assert!(held.len() < 1000, "there is no limit");
        };
        assert_eq!(error.kind(), ErrorKind::StoreRefused, "{error:?}");
        assert!(held.len() > 10 && held.iter().all(|lease| lease.is_held()));
        let lease = held.pop().expect("some are held");
        assert_eq!(lease.release().await.expect("an answer"), dlock_runtime::Released::Freed);
        drop(acquired(locks.lease("few:last").ttl(SOON).try_acquire().await));
    });
    println!("\nall was as it should be");
}

/// Without files to spare the watchdog's runtime cannot be made: nothing is granted then, and nothing is lost later.
fn a_watchdog_that_was_refused_is_started_when_it_can_be() {
    let locks = Locks::from(dlock_runtime::Memory::new());
    alone(async {
        let mut files = Vec::new();
        while let Ok(file) = std::fs::File::open("/dev/null") {
            files.push(file);
            assert!(files.len() < 1000, "there is no limit");
        }
        let error = locks.lease("few:memory").ttl(SOON).try_acquire().await.expect_err("no thread");
        assert_eq!(error.kind(), ErrorKind::StoreUnreachable, "{error:?}");
        drop(files);
        drop(acquired(locks.lease("few:memory").ttl(SOON).try_acquire().await));
        poll::until_async("a release in the background", SOON, async || {
            let again = locks.lease("few:memory").ttl(SOON).try_acquire().await;
            matches!(again, Ok(Acquire::Acquired(_)))
        })
        .await;
    });
}

#[test]
fn at_the_limit_of_open_files_a_call_is_refused_and_never_skipped_and_what_is_held_stays_held() {
    let dir = TempDir::new();
    let mut child = Command::new("sh");
    child.args(["-c", r#"ulimit -n 100; exec "$0" "$@""#]);
    child.arg(std::env::current_exe().expect("a program"));
    child.args(["--exact", "laws::keys::a_child_with_few_files", "--nocapture", "--test-threads", "1"]);
    let said = child.env(FEW_FILES, dir.path()).output().expect("it starts");
    let text = String::from_utf8_lossy(&said.stdout);
    assert!(said.status.success() && text.contains("all was as it should be"), "{said:?}");
}
