//! Options that cannot both hold name each other.
use dlock_runtime::singleton;

#[singleton(key = "jobs", within = tx, ttl = "30s")]
async fn two_ends(tx: u32) -> u32 {
    tx
}

#[singleton(key = "jobs", ttl = "30s", min_hold = "2m", max_hold = "1m")]
async fn least_above_most() {}

#[singleton(key = "jobs", ttl = "30s", once, on_error = "run")]
async fn once_without_a_store() {}

#[singleton(key = "jobs", ttl = "30s", returns = "outcome", on_error = "skip")]
async fn two_answers() {}

fn main() {}
