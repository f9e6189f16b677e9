//! Only an `async fn` can wait for a store.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
fn job() -> u32 {
    1
}

async fn caller() {
    let _: Option<u32> = job().await;
}

fn main() {}
