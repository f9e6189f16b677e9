//! A value has a name.
use dlock_runtime::singleton;

#[singleton("jobs", ttl = "30s")]
async fn job() {}

fn main() {}
