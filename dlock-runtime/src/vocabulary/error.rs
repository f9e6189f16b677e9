//! The one opaque error: a kind to match on, the key, and what the driver said as its source.

use std::error::Error as StdError;
use std::fmt;

use crate::Lost;

type Source = std::sync::Arc<dyn StdError + Send + Sync>;

/// Why a lock could not be taken, kept or given back. Contention is never an error.
///
/// Match on [`kind`](Error::kind). What the store's driver said is the [`source`](StdError::source) and is not
/// repeated in the message. No password of a URL is ever part of it.
///
/// ```
/// use dlock_runtime::{ErrorKind, Locks};
///
/// let error = Locks::from_url("redis+carrier-pigeon://loft").unwrap_err();
/// assert_eq!(error.kind(), ErrorKind::InvalidUrl);
/// ```
#[derive(Clone)]
pub struct Error(Box<Inner>);

#[derive(Clone)]
struct Inner {
    kind: ErrorKind,
    message: String,
    key: Option<String>,
    lost: Option<Lost>,
    source: Option<Source>,
}

/// What kind of an [`Error`] it is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An annotated function was called before `dlock_runtime::init` and outside of `Locks::scope`.
    NotInitialized,
    /// `dlock_runtime::init` was called a second time.
    AlreadyInitialized,
    /// A function names a backend that was not registered.
    UnknownBackend,
    /// The key is empty, contains NUL, or is too long.
    InvalidKey,
    /// The ttl is missing or out of bounds, or the `min_hold` is.
    InvalidTtl,
    /// A URL or an environment variable cannot be used; the message says which part and why.
    InvalidUrl,
    /// The store did not answer, or could not be reached.
    StoreUnreachable,
    /// The store answered with a refusal: permissions, read-only, out of memory, loading.
    StoreRefused,
    /// The lease was lost while the body ran, and the body was stopped. [`Error::lost`] says why.
    Lost,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self(Box::new(Inner { kind, message: message.into(), key: None, lost: None, source: None }))
    }

    pub(crate) fn from_lost(lost: Lost, key: &str) -> Self {
        let mut error = Self::new(ErrorKind::Lost, format!("the lease was lost while the body ran: {lost}"));
        error.0.lost = Some(lost);
        error.with_key(key)
    }

    #[must_use]
    pub(crate) fn with_key(mut self, key: impl Into<String>) -> Self {
        self.0.key = Some(key.into());
        self
    }

    #[must_use]
    pub(crate) fn with_source(mut self, source: Option<Source>) -> Self {
        self.0.source = source;
        self
    }

    /// The same, with the setting in which it was found.
    pub(crate) fn naming(mut self, setting: &str) -> Self {
        self.0.message = format!("{setting}: {}", self.0.message);
        self
    }

    /// What kind of error it is.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.0.kind
    }

    /// The key that it is about, where there is one.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        self.0.key.as_deref()
    }

    /// Why the lease was lost, for [`ErrorKind::Lost`].
    #[must_use]
    pub fn lost(&self) -> Option<Lost> {
        self.0.lost
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.key {
            Some(key) => write!(f, "dlock: key {key:?}: {}", self.0.message),
            None => write!(f, "dlock: {}", self.0.message),
        }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("kind", &self.0.kind)
            .field("key", &self.0.key)
            .field("message", &self.0.message)
            .field("source", &self.0.source)
            .finish()
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source.as_deref().map(|source| source as &(dyn StdError + 'static))
    }
}

impl From<Error> for std::io::Error {
    /// Keeps the error as the source; the `io::ErrorKind` follows its kind, so that retry logic has something to go by.
    fn from(error: Error) -> Self {
        let kind = match error.kind() {
            ErrorKind::InvalidKey | ErrorKind::InvalidTtl | ErrorKind::InvalidUrl => {
                std::io::ErrorKind::InvalidInput
            }
            ErrorKind::StoreUnreachable => std::io::ErrorKind::NotConnected,
            ErrorKind::StoreRefused => std::io::ErrorKind::PermissionDenied,
            _ => std::io::ErrorKind::Other,
        };
        std::io::Error::new(kind, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_converts_into_the_usual_error_types() {
        let error = Error::new(ErrorKind::StoreUnreachable, "gone").with_key("a");
        let io: std::io::Error = error.clone().into();
        assert_eq!(io.kind(), std::io::ErrorKind::NotConnected);
        let boxed: Box<dyn StdError + Send + Sync> = error.into();
        assert_eq!(boxed.to_string(), "dlock: key \"a\": gone");
    }

    #[test]
    fn the_message_does_not_repeat_its_source() {
        let source: Source = std::sync::Arc::new(std::io::Error::other("socket closed"));
        let error = Error::new(ErrorKind::StoreUnreachable, "redis gave no answer").with_source(Some(source));
        assert!(!error.to_string().contains("socket closed"));
        assert_eq!(error.source().expect("kept").to_string(), "socket closed");
    }
}
