//! A closing brace of the key is doubled.
use dlock_runtime::singleton;

#[singleton(key = "jobs:id}", ttl = "30s")]
async fn job() {}

fn main() {}
