//! A key is required.
use dlock_runtime::singleton;

#[singleton(ttl = "30s")]
async fn job() {}

fn main() {}
