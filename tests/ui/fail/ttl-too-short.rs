//! A ttl is at least 100 ms.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "99ms")]
async fn job() {}

fn main() {}
