//! An expression converts into a `Key`.
use dlock_runtime::singleton;

#[singleton(key = Secret, ttl = "30s")]
async fn job() {}

struct Secret;

fn main() {}
