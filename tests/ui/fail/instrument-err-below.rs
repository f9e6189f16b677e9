//! What `#[instrument]` records of a `Result`, it can only record above the attribute.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
#[tracing::instrument(err)]
async fn below() -> std::io::Result<u8> {
    Ok(1)
}

#[tracing::instrument(err, ret)]
#[singleton(key = "jobs", ttl = "30s")]
async fn above() -> std::io::Result<u8> {
    Ok(1)
}

#[singleton(key = "jobs", ttl = "30s")]
#[tracing::instrument(ret)]
async fn ret_below() -> u8 {
    1
}

async fn caller() {
    let _: Option<std::io::Result<u8>> = below().await;
    let _: Option<std::io::Result<u8>> = above().await;
}

fn main() {}
