//! What ARCHITECTURE.md says is not there.

use std::fs;
use std::path::{Path, PathBuf};

/// The source files of a crate, and each one's code without comments and without its tests.
fn sources(of: &str) -> Vec<(PathBuf, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(of).join("src");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).expect("a folder of the project") {
            let path = entry.expect("an entry").path();
            if path.ends_with("src/tests") {
                continue;
            } else if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let text = fs::read_to_string(&path).expect("a text");
                let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
                let code: Vec<&str> =
                    code.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
                found.push((path.strip_prefix(&root).expect("below it").to_owned(), code.join("\n")));
            }
        }
    }
    assert!(found.len() > 10, "the sources of {of} are there");
    found
}

/// Which files have one of `words`, other than those that may.
fn offenders(files: &[(PathBuf, String)], words: &[&str], may: &str) -> Vec<String> {
    let offends = |(path, code): &&(PathBuf, String)| {
        !path.starts_with(may) && words.iter().any(|word| code.contains(word))
    };
    files.iter().filter(offends).map(|(path, _)| path.display().to_string()).collect()
}

fn none() -> Vec<String> {
    Vec::new()
}

#[test]
fn only_the_clocks_room_reads_a_clock() {
    let clocks = ["clock_gettime", "Instant::now", "SystemTime", ".elapsed()"];
    let runtime = sources("dlock-runtime");
    assert_eq!(offenders(&runtime, &clocks, "vocabulary/clock.rs"), none());
    assert_eq!(offenders(&runtime, &clocks, "nowhere"), ["vocabulary/clock.rs"], "and this check can see it");
}

#[test]
fn only_the_room_of_entropy_draws_random_numbers() {
    let runtime = sources("dlock-runtime");
    assert_eq!(offenders(&runtime, &["new_v4", "random()", "rand::"], "nowhere"), ["vocabulary/entropy.rs"]);
}

#[test]
fn only_telemetry_names_tracing_and_nothing_prints() {
    let runtime = sources("dlock-runtime");
    assert_eq!(offenders(&runtime, &["tracing::"], "telemetry.rs"), none());
    assert_eq!(offenders(&runtime, &["println!", "eprintln!", "dbg!"], "nowhere"), none());
}

#[test]
fn backends_do_not_retry_log_or_spawn() {
    let mut backends = sources("dlock-runtime");
    backends.retain(|(path, _)| path.starts_with("backends"));
    assert!(backends.len() > 6, "they are there");
    assert_eq!(offenders(&backends, &["spawn", "telemetry", "sleep(", "backoff"], "nowhere"), none());
}

#[test]
fn driver_types_stay_inside_their_backends_folder_but_for_the_conversion_of_a_pool() {
    let runtime = sources("dlock-runtime");
    let drivers = ["deadpool", "redis::aio", "RedisError"];
    assert_eq!(offenders(&runtime, &drivers, "backends/redis"), ["assembly/locks.rs"]);
}

#[test]
fn the_macro_knows_no_backend() {
    let names = ["redis", "postgres", "memory:", "local:", "deadpool", "tokio"];
    let macros = sources("dlock-macros");
    assert_eq!(offenders(&macros, &names, "lib.rs"), none());
}

#[test]
fn only_run_turns_an_outcome_into_an_option() {
    let runtime = sources("dlock-runtime");
    assert_eq!(offenders(&runtime, &["Exit<T> for"], "protocol/run.rs"), none());
}
