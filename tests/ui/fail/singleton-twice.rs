//! One function has one lock.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
#[singleton(key = "mail", ttl = "30s")]
async fn twice() -> u8 {
    1
}

async fn caller() {
    let _: Option<u8> = twice().await;
}

fn main() {}
