//! `crate` is a path.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s", crate = "::dlock_runtime")]
async fn job() {}

fn main() {}
