//! Lints that the code deserves are not hidden.
#![deny(dead_code, unused_variables)]

use dlock_runtime::singleton;

#[singleton(key = "jobs:{shard}", ttl = "30s")]
async fn never_called(shard: u32, unused: u32) -> u32 {
    1
}

fn main() {}
