//! The result inside of the option is used.
#![deny(unused_must_use)]

use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
async fn job() -> std::io::Result<u32> {
    Ok(1)
}

async fn caller() {
    job().await;
}

fn main() {
    let _ = caller;
}
