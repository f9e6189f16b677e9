//! `on_error` is one of three words.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s", on_error = "panic")]
async fn job() {}

fn main() {}
