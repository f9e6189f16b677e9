//! Not every store can hold NUL.
use dlock_runtime::singleton;

#[singleton(key = "jobs\0", ttl = "30s")]
async fn job() {}

fn main() {}
