//! A format is one that `format!` knows.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{id:q}", ttl = "30s")]
async fn job(id: u32) -> u32 {
    id
}

fn main() {}
