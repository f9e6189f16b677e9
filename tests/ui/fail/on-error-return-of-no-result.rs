//! `on_error = "return"` needs a `Result`, under this name or an alias.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s", on_error = "return")]
async fn number() -> u8 {
    1
}

#[singleton(key = "jobs", ttl = "30s", on_error = "return")]
async fn opaque() -> impl Iterator<Item = u8> {
    [1].into_iter()
}

fn main() {}
