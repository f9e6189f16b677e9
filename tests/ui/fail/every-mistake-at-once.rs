//! One compile shows every mistake, and the callers raise no echo.
use dlock_runtime::singleton;

#[singleton(
    key = "jobs:{who}:{}",
    ttl = "3 weeks",
    on_error = "panic",
    backend = "",
    nonsense
)]
fn job(tenant: &str) -> impl Iterator<Item = char> {
    tenant.chars()
}

async fn caller() -> usize {
    job("acme").await.map_or(0, |letters| letters.count())
}

fn main() {}
