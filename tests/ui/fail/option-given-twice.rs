//! An option is given once.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s", key = "others")]
async fn job() {}

fn main() {}
