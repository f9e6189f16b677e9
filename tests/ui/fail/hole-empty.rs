//! A hole has a name.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{}", ttl = "30s")]
async fn job() {}

fn main() {}
