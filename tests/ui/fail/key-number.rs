//! A number is no key.
use dlock_runtime::singleton;

#[singleton(key = 7, ttl = "30s")]
async fn job() {}

fn main() {}
