//! Connecting: one attempt to get a connection, which any number of calls may wait for.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::Manager as _;
use deadpool_redis::Pool;
use futures_util::future::{FutureExt, Shared};

use super::fault;
use super::line::Line;
use crate::backend::{Fault, StoreError};

/// An attempt on its way.
pub(super) type Attempt = Pin<Box<dyn Future<Output = Result<Line, StoreError>> + Send>>;

/// No attempt takes longer, whatever the pool's own limits are.
const LONGEST: Duration = Duration::from_secs(10);

/// The protocol puts a limit of its own on every call. The driver's only has to be out of its way.
const OUT_OF_THE_WAY: Duration = Duration::from_secs(600);

/// Begins an attempt; any number of calls can wait for it.
pub(super) fn attempt(pool: &Pool, server: &Arc<str>) -> Shared<Attempt> {
    let (pool, server) = (pool.clone(), Arc::clone(server));
    let attempt: Attempt = Box::pin(async move {
        let connect = AssertUnwindSafe(connect(&pool, &server)).catch_unwind();
        match tokio::time::timeout(LONGEST, connect).await {
            Ok(Ok(made)) => made,
            // The driver panics on a runtime without I/O.
            Ok(Err(_)) => {
                Err(unreachable(&server, "from a tokio runtime without I/O: build it with `enable_all`"))
            }
            Err(_) => Err(unreachable(&server, "in time")),
        }
    });
    attempt.shared()
}

fn unreachable(server: &str, how: &str) -> StoreError {
    StoreError::new(Fault::Unreachable, format!("{server} cannot be reached {how}"))
}

/// A connection by the pool's manager, on this runtime. It takes no place in the pool.
async fn connect(pool: &Pool, server: &str) -> Result<Line, StoreError> {
    let mut connection =
        pool.manager().create().await.map_err(|error| fault::before_sending(error, server))?;
    connection.set_response_timeout(OUT_OF_THE_WAY);
    Ok(Line::new(connection))
}
