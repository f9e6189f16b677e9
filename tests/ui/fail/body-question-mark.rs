//! `?` belongs to the body, which returns no `Option` here.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
async fn first(items: &[u32]) -> u32 {
    *items.first()?
}

fn main() {}
