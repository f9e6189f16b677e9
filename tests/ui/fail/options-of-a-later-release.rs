//! What is not there yet is an error, never ignored.
use dlock_runtime::singleton;

#[singleton(
    key = "jobs",
    ttl = "30s",
    wait = "5s",
    max_hold = "1h",
    once,
    returns = "outcome"
)]
async fn job() {}

#[singleton(key = "jobs", within = tx)]
async fn in_transaction(tx: u32) -> u32 {
    tx
}

fn main() {}
