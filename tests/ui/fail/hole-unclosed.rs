//! A hole is closed.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{id", ttl = "30s")]
async fn job(id: u32) -> u32 {
    id
}

fn main() {}
