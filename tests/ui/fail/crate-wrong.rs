//! A path that leads nowhere is not reported at every use.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{id}", ttl = "30s", crate = locks)]
async fn job(id: u8) -> u8 {
    id
}

fn main() {}
