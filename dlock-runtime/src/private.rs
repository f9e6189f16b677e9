//! What the expansion of `#[singleton]` calls. Not part of the public face: no promise is made about it.

use std::fmt;
use std::future::Future;
use std::time::Duration;

pub use crate::protocol::run::{Exit, FromError, Return, Run, Shape, Skip, Unlocked};

use crate::Key;
use crate::protocol::gate::Terms;

/// What the attribute's options say, for one call.
#[must_use]
pub struct Spec(Terms);

impl Spec {
    /// The required options. `template` is the key as it is written in the attribute.
    pub fn new(_template: &'static str, key: Key, ttl: Duration) -> Self {
        Self(Terms::new(key, ttl))
    }

    /// `min_hold = ".."`
    pub fn min_hold(mut self, min_hold: Duration) -> Self {
        self.0.min_hold = Some(min_hold);
        self
    }

    /// `backend = ".."`
    pub fn backend(mut self, name: &'static str) -> Self {
        self.0.backend = Some(name);
        self
    }

    /// `on_lost = "continue"`
    pub fn keep_when_lost(mut self) -> Self {
        self.0.keep_when_lost = true;
        self
    }
}

/// The key from its template and arguments.
#[must_use]
pub fn key(text: fmt::Arguments<'_>) -> Key {
    match text.as_str() {
        Some(text) => Key::from(text),
        None => Key::from(fmt::format(text)),
    }
}

/// The key from an expression.
pub fn into_key<K: Into<Key>>(key: K) -> Key {
    key.into()
}

/// The body under a lock.
pub fn run<X: Exit<T>, T, F: Future<Output = T>>(spec: Spec, body: F) -> Run<X, T, F> {
    Run::new(spec.0, body)
}

/// Gives the body's block its type, so that a type error is reported where the body has it. Never called.
#[must_use]
pub fn edge<T>() -> T {
    unreachable!("only there for its type")
}
