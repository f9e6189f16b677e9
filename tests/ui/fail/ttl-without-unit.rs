//! A duration has a unit.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30")]
async fn job() {}

fn main() {}
