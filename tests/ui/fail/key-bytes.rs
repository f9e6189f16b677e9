//! Bytes are no key.
use dlock_runtime::singleton;

#[singleton(key = b"jobs", ttl = "30s")]
async fn job() {}

fn main() {}
