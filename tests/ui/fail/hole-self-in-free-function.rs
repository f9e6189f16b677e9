//! `{self}` needs a method.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{self.zone}", ttl = "30s")]
async fn job(id: u32) -> u32 {
    id
}

fn main() {}
