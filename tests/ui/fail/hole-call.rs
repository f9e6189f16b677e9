//! A hole is an argument or its fields, not a call.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{name.len()}", ttl = "30s")]
async fn job(name: &str) -> usize {
    name.len()
}

fn main() {}
