//! A backend is named by a string.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s", backend = db)]
async fn job() {}

fn main() {}
