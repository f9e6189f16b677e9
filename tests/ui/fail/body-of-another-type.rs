//! A wrong type is reported at the expression of the body.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
async fn text() -> u32 {
    "text"
}

#[singleton(key = "jobs", ttl = "30s")]
async fn missing() -> u32 {
    let _ = 1;
}

#[singleton(key = "jobs", ttl = "30s")]
async fn early(yes: bool) -> u32 {
    if yes {
        return "text";
    }
    1
}

fn main() {}
