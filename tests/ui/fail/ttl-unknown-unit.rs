//! The units are ms, s, m, h and d.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30 parsecs")]
async fn job() {}

fn main() {}
