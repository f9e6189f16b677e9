//! The holder: the process that has the lease.

use std::fmt;
use std::sync::Arc;

/// The process that holds a lease: host, pid, and the name given by [`LocksBuilder::holder`](crate::LocksBuilder::holder)
/// or `DLOCK_HOLDER`.
///
/// Written as `host/pid` or `host/pid/name`. Stores keep it beside the token, so that a skipped call can say who is
/// at it; it takes no part in who may renew or release.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Holder(Arc<str>);

impl Holder {
    /// This process, with an optional name.
    pub(crate) fn of_this_process(name: Option<&str>) -> Self {
        let uname = rustix::system::uname();
        let host = uname.nodename().to_string_lossy();
        let pid = std::process::id();
        match name {
            Some(name) => Self(format!("{host}/{pid}/{name}").into()),
            None => Self(format!("{host}/{pid}").into()),
        }
    }

    /// A holder as a store told it. Other clients may have written anything: it is only ever shown.
    #[must_use]
    pub fn from_store(text: &str) -> Self {
        const SHOWN: usize = 200;
        let clean: String =
            text.chars().take(SHOWN).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect();
        Self(clean.into())
    }

    /// `host/pid` or `host/pid/name`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
