//! A duration is not empty.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "")]
async fn job() {}

fn main() {}
