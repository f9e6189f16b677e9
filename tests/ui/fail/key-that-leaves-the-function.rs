//! No option can make the function return `None` unseen.
use dlock_runtime::singleton;

#[singleton(key = lookup()?, ttl = "30s")]
async fn job() {}

fn lookup() -> Option<String> {
    None
}

fn main() {}
