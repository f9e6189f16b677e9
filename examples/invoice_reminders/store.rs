//! The store: where the lock lives, checked once before any process is started.

use dlock_runtime::{Acquire, Error, Locks};

use crate::plan::{Plan, TTL};

/// File locks in the directory of the run: needs no server.
pub(crate) fn local_url(plan: &Plan) -> String {
    format!("local:{}", plan.dir.join("locks").display())
}

/// The URL, if several processes can use it; or why not.
pub(crate) fn check(url: String) -> Result<String, String> {
    if url.starts_with("memory:") {
        return Err("--url: memory: is the memory of one process, and this example starts three".to_owned());
    }
    Locks::from_url(&url).map(|_| url).map_err(|error| format!("--url: {error}"))
}

/// Asks the store once, so that a wrong address is one error rather than one of every instance at every tick.
pub(crate) async fn probe(url: &str) -> Result<(), Error> {
    let key = format!("dlock-example-probe-{}", std::process::id());
    match Locks::from_url(url)?.lease(key).ttl(TTL).try_acquire().await? {
        Acquire::Acquired(lease) => lease.release().await.map(drop),
        Acquire::Contended(_) => Ok(()),
    }
}

/// The URL without what stands before its `@`.
pub(crate) fn without_password(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://…@{host}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_not_shown() {
        assert_eq!(without_password("redis://me:p@ss@db:6379/2"), "redis://…@db:6379/2");
        assert_eq!(without_password("redis://db:6379"), "redis://db:6379");
    }
}
