//! `on_error = "return"` needs something to return.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s", on_error = "return")]
async fn job() {}

fn main() {}
