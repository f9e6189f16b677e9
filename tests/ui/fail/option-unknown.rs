//! An unknown option is never ignored.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s", retries = 3)]
async fn job() {}

fn main() {}
