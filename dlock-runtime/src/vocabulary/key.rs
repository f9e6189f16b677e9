//! The key: the name of what is protected.

use std::fmt;
use std::sync::Arc;

use crate::{Error, ErrorKind};

/// The name of what a lock protects, such as `jobs:invoice`.
///
/// Two calls exclude each other when their keys are equal, byte for byte: no case folding, no Unicode
/// normalization, no trimming. With a [namespace](crate::LocksBuilder::namespace) the stores see
/// `namespace:key`, without one the key verbatim.
///
/// Conversion from text never fails; a key that no store can hold (empty, with a NUL byte, or longer than
/// [`Key::MAX_BYTES`]) is refused where it is used, with [`ErrorKind::InvalidKey`].
///
/// ```
/// use dlock_runtime::Key;
///
/// let key = Key::from("jobs:invoice");
/// assert_eq!(key.as_str(), "jobs:invoice");
/// ```
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key(Arc<str>);

impl Key {
    /// The longest key that is accepted, namespace included: 4,096 bytes. Longer ones are refused, never cut.
    pub const MAX_BYTES: usize = 4096;

    /// The key as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The key as the stores see it, or why no store can hold it.
    pub(crate) fn qualified(self, namespace: Option<&str>) -> Result<Key, Error> {
        self.refuse_unless_storable()?;
        let Some(namespace) = namespace else {
            return Ok(self);
        };
        let qualified = Key::from(format!("{namespace}:{}", self.0));
        qualified.refuse_unless_storable()?;
        Ok(qualified)
    }

    fn refuse_unless_storable(&self) -> Result<(), Error> {
        let why = if self.0.is_empty() {
            "a key must not be empty: name what is protected, such as \"jobs:invoice\"".to_owned()
        } else if self.0.contains('\0') {
            "a key must not contain NUL (PostgreSQL cannot store it): escape it, for instance with `{name:?}`"
                .to_owned()
        } else if self.0.len() > Self::MAX_BYTES {
            format!(
                "a key of {} bytes is longer than the limit of {} bytes: put a digest of the long part into it",
                self.0.len(),
                Self::MAX_BYTES
            )
        } else {
            return Ok(());
        };
        Err(Error::new(ErrorKind::InvalidKey, why).with_key(self.shortened()))
    }

    /// What an error shows of a key that may be a megabyte long.
    fn shortened(&self) -> String {
        const SHOWN: usize = 64;
        match self.0.char_indices().nth(SHOWN) {
            Some((end, _)) => format!("{}…", &self.0[..end]),
            None => self.0.to_string(),
        }
    }
}

impl From<&str> for Key {
    fn from(text: &str) -> Self {
        Self(text.into())
    }
}

impl From<String> for Key {
    fn from(text: String) -> Self {
        Self(text.into())
    }
}

impl From<&String> for Key {
    fn from(text: &String) -> Self {
        Self(text.as_str().into())
    }
}

impl From<std::borrow::Cow<'_, str>> for Key {
    fn from(text: std::borrow::Cow<'_, str>) -> Self {
        Self(text.into())
    }
}

impl From<Arc<str>> for Key {
    fn from(text: Arc<str>) -> Self {
        Self(text)
    }
}

impl From<&Key> for Key {
    fn from(key: &Key) -> Self {
        key.clone()
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_namespace_is_a_prefix_with_a_colon() {
        let key = Key::from("a").qualified(Some("ns")).expect("storable");
        assert_eq!(key.as_str(), "ns:a");
        assert_eq!(Key::from("a").qualified(None).expect("storable").as_str(), "a");
    }

    #[test]
    fn keys_that_no_store_can_hold_are_refused_and_never_cut() {
        for bad in [String::new(), "a\0b".to_owned(), "x".repeat(Key::MAX_BYTES + 1)] {
            let error = Key::from(bad).qualified(None).expect_err("refused");
            assert_eq!(error.kind(), ErrorKind::InvalidKey);
            assert!(error.key().is_some_and(|key| key.len() < 300));
        }
        assert!(Key::from("x".repeat(Key::MAX_BYTES)).qualified(None).is_ok());
        assert!(Key::from("x".repeat(Key::MAX_BYTES)).qualified(Some("ns")).is_err());
    }
}
