//! What the compiler reports by itself is not reported twice.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
async fn f(id) -> u8 {
    1
}

fn main() {}
