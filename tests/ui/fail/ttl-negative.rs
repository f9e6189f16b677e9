//! A duration is not negative.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "-5s")]
async fn job() {}

fn main() {}
