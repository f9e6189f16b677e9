//! The result inside of the option is used.
#![deny(unused_must_use)]

use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
async fn job() -> std::io::Result<u32> {
    Ok(1)
}

#[singleton(key = "jobs", ttl = "30s", on_error = "skip")]
async fn skipping() -> Result<u32, String> {
    Ok(1)
}

#[singleton(key = "jobs", ttl = "30s", on_error = "run")]
async fn formatting() -> std::fmt::Result {
    Ok(())
}

async fn caller() {
    job().await;
    skipping().await;
    formatting().await;
}

fn main() {
    let _ = caller;
}
