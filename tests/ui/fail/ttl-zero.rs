//! A lease of no time protects nothing.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "0s")]
async fn job() {}

fn main() {}
