//! An option has a value.
use dlock_runtime::singleton;

#[singleton(key, ttl = "30s", on_error = , on_lost)]
async fn job() {}

fn main() {}
