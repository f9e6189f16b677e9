//! An option is written with `=`.
use dlock_runtime::singleton;

#[singleton(key: "jobs", ttl = "30s")]
async fn job() {}

fn main() {}
