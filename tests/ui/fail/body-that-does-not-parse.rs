//! A syntax error is the only error: the function is still there for its callers.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{id}", ttl = "30s")]
async fn typing(id: u32) -> u32 {
    let text = id.;
    text
}

async fn caller() {
    let _: Option<u32> = typing(1).await;
}

fn main() {}
