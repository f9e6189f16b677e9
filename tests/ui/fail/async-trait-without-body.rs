//! A method without a body is one mistake, also under `#[async_trait]`.
use dlock_runtime::singleton;

#[async_trait::async_trait]
trait Job {
    #[singleton(key = "jobs", ttl = "30s")]
    async fn run(&self) -> u8;
}

struct Nightly;

#[async_trait::async_trait]
impl Job for Nightly {
    async fn run(&self) -> Option<u8> {
        Some(1)
    }
}

fn main() {}
