//! An unknown option is compared with the known ones, and not reported as missing too.
use dlock_runtime::singleton;

#[singleton(key = "jobs", tll = "30s")]
async fn job() {}

fn main() {}
