//! Tests and `main` cannot return an `Option`.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
#[tokio::test]
async fn above() {}

#[tokio::test]
#[singleton(key = "jobs", ttl = "30s")]
async fn below() {}

#[tokio::main(flavor = "current_thread")]
#[singleton(key = "jobs", ttl = "30s")]
async fn main() {}
