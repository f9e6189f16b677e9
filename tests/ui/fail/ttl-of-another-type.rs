//! An expression is of type `Duration`.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = SECONDS)]
async fn job() {}

const SECONDS: u64 = 30;

fn main() {}
