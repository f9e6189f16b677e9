//! A hole names an argument; the message lists them.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{tenent}", ttl = "30s")]
async fn job(tenant: &str, (low, _): (u8, u8)) -> usize {
    tenant.len() + usize::from(low)
}

fn main() {}
