//! A ttl is required.
use dlock_runtime::singleton;

#[singleton(key = "jobs")]
async fn job() {}

fn main() {}
