//! `on_lost` is one of two words.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s", on_lost = "abort")]
async fn job() {}

fn main() {}
