//! The error type takes the error of the lock, or another `on_error` is chosen.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
async fn job() -> Result<u32, JobError> {
    Ok(1)
}

pub struct JobError;

#[singleton(key = "jobs", ttl = "30s", on_error = "return")]
async fn infallible() -> u32 {
    1
}

fn main() {}
