//! A declaration has no body to run.
use dlock_runtime::singleton;

#[allow(async_fn_in_trait)]
trait Job {
    #[singleton(key = "jobs", ttl = "30s")]
    async fn run(&self) -> u32;
}

struct Nightly;

impl Job for Nightly {
    #[singleton(key = "jobs", ttl = "30s")]
    async fn run(&self) -> u32 {
        1
    }
}

fn main() {}
