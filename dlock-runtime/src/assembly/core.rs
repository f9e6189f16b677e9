//! Core: what one `Locks` consists of, shared by all its clones and leases.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use crate::backend::Backend;
use crate::protocol::watchdog::Watchdog;
use crate::vocabulary::clock::{Clock, Moment};
use crate::vocabulary::entropy::Entropy;
use crate::{Error, ErrorKind, Holder, Token};

/// Settings, backends and the watchdog.
pub(crate) struct Core {
    pub(super) clock: Clock,
    pub(super) entropy: Entropy,
    pub(super) namespace: Option<String>,
    pub(super) holder: Holder,
    pub(super) store_timeout: Duration,
    pub(super) default: Arc<dyn Backend>,
    pub(super) named: BTreeMap<String, Arc<dyn Backend>>,
    pub(crate) watchdog: Watchdog,
}

impl Core {
    pub(crate) fn now(&self) -> Moment {
        self.clock.now()
    }

    pub(crate) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    pub(crate) fn holder(&self) -> Holder {
        self.holder.clone()
    }

    pub(crate) fn store_timeout(&self) -> Duration {
        self.store_timeout
    }

    /// A token for a new acquisition.
    pub(crate) fn fresh_token(&self) -> Token {
        Token::from_random(self.entropy.next())
    }

    /// The backend of that name, or the default one.
    pub(crate) fn backend(&self, name: Option<&str>) -> Result<Arc<dyn Backend>, Error> {
        let Some(name) = name else {
            return Ok(Arc::clone(&self.default));
        };
        self.named.get(name).map(Arc::clone).ok_or_else(|| {
            let known: Vec<&str> = self.named.keys().map(String::as_str).collect();
            let known = if known.is_empty() { "none is".to_owned() } else { format!("registered: {}", known.join(", ")) };
            let why = format!(
                "no backend is registered as {name:?} ({known}): add `.backend({name:?}, ..)` to `Locks::builder(..)`"
            );
            Error::new(ErrorKind::UnknownBackend, why)
        })
    }
}
