//! A key is not empty.
use dlock_runtime::singleton;

#[singleton(key = "", ttl = "30s")]
async fn job() {}

fn main() {}
