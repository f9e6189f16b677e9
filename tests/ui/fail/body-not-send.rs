//! The future is `Send` only when the body is, and the note points into the body.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
async fn job() -> u32 {
    let shared = std::rc::Rc::new(1);
    tick().await;
    *shared
}

async fn tick() {}

fn spawn<F: Future + Send>(_: F) {}

fn main() {
    spawn(job());
}
