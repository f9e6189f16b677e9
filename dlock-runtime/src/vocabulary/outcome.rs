//! The outcome of one call: what became of the body, with the typed reason.

use crate::{Contended, Error, Lost};

/// What became of a body under a lock.
#[derive(Debug)]
#[must_use = "a skipped or lost run shows up only here"]
pub enum Outcome<T> {
    /// The body ran to its end under the lock, and this is what it returned.
    Ran(T),
    /// The body did not run: the key was contended.
    Skipped(Contended),
    /// The body was stopped before its end, because the lease was lost.
    Lost(Lost),
    /// The body did not run: the store could not be asked, or the call was wrong. [`Locks::run`](crate::Locks::run)
    /// returns this as its error.
    Failed(Error),
}

impl<T> Outcome<T> {
    /// The body's value, if it ran to its end.
    pub fn ran(self) -> Option<T> {
        match self {
            Outcome::Ran(value) => Some(value),
            Outcome::Skipped(_) | Outcome::Lost(_) | Outcome::Failed(_) => None,
        }
    }

    /// `Failed` as the error that it holds, anything else as it is.
    ///
    /// # Errors
    ///
    /// The error of [`Outcome::Failed`].
    pub fn into_result(self) -> Result<Outcome<T>, Error> {
        match self {
            Outcome::Failed(error) => Err(error),
            other => Ok(other),
        }
    }
}
