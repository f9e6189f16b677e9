//! A number is no duration.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = 30)]
async fn job() {}

fn main() {}
