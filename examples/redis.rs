//! A service's setup over Redis: its own pool, one `init`, a lock for each tenant, errors through the body's type.

use std::error::Error;
use std::process::ExitCode;
use std::time::Duration;

use deadpool_redis::{Config, PoolConfig, Runtime, Timeouts};
use dlock_runtime::{Lease, singleton};

type BoxError = Box<dyn Error + Send + Sync>;

/// One closing of the books per tenant at a time, in whatever process; different tenants do not wait for each other.
#[singleton(key = "books:{tenant}", ttl = "5s")]
async fn close_books(tenant: &str) -> Result<u32, BoxError> {
    if let Some(lease) = Lease::current() {
        println!("  {tenant}: running as {}, {:.1?} left", lease.holder(), lease.remaining());
    }
    tokio::time::sleep(Duration::from_millis(300)).await; // the work
    if tenant == "initech" {
        return Err("initech: the ledger does not balance".into());
    }
    Ok(12)
}

/// The pool is the user's to configure: its size, its timeouts, and TLS or a password in the URL.
fn configure(url: &str) -> Result<deadpool_redis::Pool, BoxError> {
    let mut config = Config::from_url(url);
    let two_seconds = Some(Duration::from_secs(2));
    let timeouts = Timeouts { wait: two_seconds, create: two_seconds, recycle: two_seconds };
    config.pool = Some(PoolConfig { max_size: 8, timeouts, ..PoolConfig::default() });
    Ok(config.create_pool(Some(Runtime::Tokio1))?)
}

async fn run(url: &str) -> Result<(), BoxError> {
    dlock_runtime::init(configure(url)?)?;
    println!("Four calls at once, two of them for the same tenant:");
    let (acme, again, globex, initech) =
        tokio::join!(close_books("acme"), close_books("acme"), close_books("globex"), close_books("initech"));
    let calls = [("acme", acme), ("acme", again), ("globex", globex), ("initech", initech)];
    for (tenant, outcome) in calls {
        match outcome {
            None => println!("{tenant:8} None: another call is at it"),
            Some(Ok(accounts)) => println!("{tenant:8} closed {accounts} accounts"),
            // The body's own error, or the lock's: an unreachable Redis arrives here, never as `None`.
            Some(Err(error)) => match error.downcast::<dlock_runtime::Error>() {
                Ok(lock) => return Err(lock),
                Err(own) => println!("{tenant:8} failed: {own}"),
            },
        }
    }
    Ok(())
}

#[tokio::main]
async fn main() -> ExitCode {
    let Some(url) = std::env::args().nth(1).or_else(|| std::env::var("DLOCK_URL").ok()) else {
        eprintln!("Which Redis? Start one with\n\n    redis-server --port 6390 --save \"\"\n");
        eprintln!("and name it: cargo run --example redis -- redis://127.0.0.1:6390 (or set DLOCK_URL)");
        return ExitCode::from(2);
    };
    let Err(error) = run(&url).await else {
        return ExitCode::SUCCESS;
    };
    eprintln!("error: {error}");
    let mut cause = error.source();
    while let Some(error) = cause {
        eprintln!("  caused by: {error}");
        cause = error.source();
    }
    ExitCode::FAILURE
}
