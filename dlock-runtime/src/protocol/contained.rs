//! Contained: foreign code that our own must survive. Wakers and subscribers belong to others and may panic; a lease
//! is not lost for that.

use std::panic::{AssertUnwindSafe, catch_unwind};

/// Calls foreign code; a panic of it has been reported by the panic hook and goes no further.
pub(crate) fn contained(foreign: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(foreign));
}
