//! Structs, modules and impl blocks are no functions.
use dlock_runtime::singleton;

#[singleton(key = "jobs", ttl = "30s")]
struct NotAFunction;

#[singleton(key = "jobs", ttl = "30s")]
mod not_a_function {}

#[singleton(key = "jobs", ttl = "30s")]
impl NotAFunction {}

fn main() {}
