//! Two calls at once of one annotated function: one runs, the other gets `None`. Needs no server.

use std::time::Duration;

use dlock_runtime::{Error, Local, singleton};

#[singleton(key = "jobs:nightly-report", ttl = "10s")]
async fn write_nightly_report() -> usize {
    tokio::time::sleep(Duration::from_millis(200)).await; // the work
    42
}

#[tokio::main]
async fn main() -> Result<(), Error> {
    dlock_runtime::init(Local::new(std::env::temp_dir().join("dlock-quickstart"))?)?;
    let (one, other) = tokio::join!(write_nightly_report(), write_nightly_report());
    for (name, pages) in [("first", one), ("second", other)] {
        match pages {
            Some(pages) => println!("{name} call: ran, {pages} pages"),
            None => println!("{name} call: None, the other one was at it"),
        }
    }
    Ok(())
}
