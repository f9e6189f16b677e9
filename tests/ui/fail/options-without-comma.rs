//! Options are separated by commas.
use dlock_runtime::singleton;

#[singleton(key = "jobs" ttl = "30s")]
async fn job() {}

fn main() {}
