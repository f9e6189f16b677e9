//! A field exists.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{order.nmae}", ttl = "30s")]
async fn job(order: Order) -> usize {
    order.name.len()
}

struct Order {
    name: String,
}

fn main() {}
