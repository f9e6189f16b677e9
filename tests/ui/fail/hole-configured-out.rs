//! An argument that a `cfg` takes away is no argument.
use dlock_runtime::singleton;

#[singleton(key = "jobs:{id}", ttl = "30s")]
async fn taken_away(#[cfg(any())] id: u8) {}

#[singleton(key = "jobs:{id}", ttl = "30s")]
async fn one_of_two(#[cfg(any())] id: u8, #[cfg(not(any()))] id: u16) {}

#[singleton(key = "jobs:{id.0:?}", ttl = "30s")]
async fn there(#[cfg(all())] id: (String,)) -> (String,) {
    id
}

fn main() {}
