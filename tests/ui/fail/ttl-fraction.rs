//! A duration is made of whole numbers.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "1.5s")]
async fn job() {}

fn main() {}
