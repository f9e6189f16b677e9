//! Borrow errors of the body name the variables.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
async fn dangling(name: String) -> &'static str {
    &name
}

#[singleton(key = "jobs:{name}", ttl = "30s")]
async fn moved_twice(name: String) {
    drop(name);
    drop(name);
}

#[singleton(key = "jobs:{name}", ttl = "30s")]
async fn not_mutable(name: String) {
    name.push('x');
}

struct Worker {
    name: String,
}

impl Worker {
    #[singleton(key = "jobs:{self.name}", ttl = "30s")]
    async fn moved_out(&self) -> String {
        self.name
    }
}

fn main() {}
