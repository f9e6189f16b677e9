//! One of each store, for laws that hold on all of them.

use dlock_runtime::Locks;

use crate::support::redis::RedisServer;
use crate::support::temp::TempDir;

/// A store of the test's own.
pub(super) enum Store {
    Memory(Locks),
    Local(TempDir),
    Redis(RedisServer),
}

impl Store {
    /// Every store that a test can have.
    pub(super) fn all() -> Vec<Store> {
        vec![
            Store::Memory(locks("memory:")),
            Store::Local(TempDir::new()),
            Store::Redis(RedisServer::start()),
        ]
    }

    /// What it is called in the message of a failed assertion.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Store::Memory(_) => "memory",
            Store::Local(_) => "local",
            Store::Redis(_) => "redis",
        }
    }

    /// A `Locks` on it: one of its own where the store is more than a process.
    pub(super) fn locks(&self) -> Locks {
        match self {
            Store::Memory(locks) => locks.clone(),
            Store::Local(_) | Store::Redis(_) => locks(&self.url()),
        }
    }

    /// Where other processes find it.
    pub(super) fn url(&self) -> String {
        match self {
            Store::Memory(_) => "memory:".to_owned(),
            Store::Local(dir) => format!("local:{}", dir.path().display()),
            Store::Redis(server) => server.url(),
        }
    }
}

/// The `Locks` of a URL.
pub(super) fn locks(url: &str) -> Locks {
    Locks::from_url(url).expect("a URL of a store")
}
