//! A ttl is at most 365 days.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "366d")]
async fn job() {}

fn main() {}
