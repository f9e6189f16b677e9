//! A hole shows its value.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{secret}", ttl = "30s")]
async fn job(secret: Secret) -> u32 {
    secret.0
}

struct Secret(u32);

fn main() {}
