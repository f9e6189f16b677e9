//! The seam: what a store's adapter has to do, and the words in which it answers.
//!
//! One call is one attempt with one answer. A backend never retries, never logs, never spawns and reads no clock:
//! the protocol does all that, the same way for every store.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use crate::vocabulary::entropy::Entropy;
use crate::{FencingToken, Holder, Key, Token, Ttl};

/// A boxed answer of a [`Backend`].
pub type Answer<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// What an adapter for a store implements.
///
/// # Cancel safety
///
/// Any returned future may be dropped at any await. What was asked may then have happened or not; the protocol
/// follows up with a compare-and-release.
pub trait Backend: Send + Sync + 'static {
    /// The store's name in events and errors, such as `redis`.
    fn name(&self) -> &'static str;

    /// Whether the store frees a key by itself once its ttl is over. Where it does not (a lock that the operating
    /// system frees when the process ends), leases have no deadline and are not renewed.
    fn leases_expire(&self) -> bool {
        true
    }

    /// Takes the key for `claim.ttl` if it is free. Finding our own token under it is a grant too: a request may be
    /// repeated after a broken connection.
    fn try_acquire<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Grant, StoreError>>;

    /// Sets the expiry of each key that still has its claim's token to now + ttl. Never creates a key.
    /// The answers are in the order of the claims.
    fn renew<'a>(&'a self, claims: &'a [Arc<Claim>]) -> Answer<'a, Vec<Result<Renewal, StoreError>>>;

    /// Frees the key if it still has the claim's token; with `keep`, lets it expire after that long instead.
    /// `keep` is only ever given where [`leases_expire`](Backend::leases_expire).
    fn release<'a>(
        &'a self,
        claim: &'a Claim,
        keep: Option<Duration>,
    ) -> Answer<'a, Result<Release, StoreError>>;

    /// A number larger than that of every earlier grant of the key, if the key still has the claim's token. A repeated
    /// request may skip numbers.
    ///
    /// Defaults to a refusal: not every store can.
    fn fence<'a>(&'a self, claim: &'a Claim) -> Answer<'a, Result<Fence, StoreError>> {
        let _ = claim;
        let why = format!("{} has no fencing tokens", self.name());
        Box::pin(async move { Err(StoreError::new(Fault::Refused, why)) })
    }

    /// Told when a call made on this runtime was given up without an answer: a good moment to doubt the connection.
    fn gave_up(&self) {}
}

/// The trait is object safe: backends are chosen at startup, by URL.
const _: Option<&dyn Backend> = None;

/// One acquisition: what the store is asked to keep.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Claim {
    /// The key, with its namespace.
    pub key: Key,
    /// The proof of this acquisition.
    pub token: Token,
    /// Who asks.
    pub holder: Holder,
    /// How long the grant lives without renewal.
    pub ttl: Ttl,
    /// `<token>@<holder>`: what stores keep under the key and compare as a whole.
    pub value: String,
}

impl Claim {
    /// A claim with a fresh token.
    #[must_use]
    pub fn new(key: Key, holder: Holder, ttl: Ttl) -> Self {
        Self::with_token(key, holder, ttl, Token::from_random(Entropy::System.next()))
    }

    pub(crate) fn with_token(key: Key, holder: Holder, ttl: Ttl, token: Token) -> Self {
        let value = format!("{token}@{holder}");
        Self { key, token, holder, ttl, value }
    }
}

/// The holder in a stored value `<token>@<holder>`. Values of other clients (a bare token) name nobody.
#[must_use]
pub fn holder_in(value: &str) -> Option<Holder> {
    value.split_once('@').map(|(_, holder)| Holder::from_store(holder))
}

/// The answer to [`Backend::try_acquire`].
#[derive(Debug)]
#[must_use = "the body may only run after a grant"]
pub enum Grant {
    /// The key is ours.
    Acquired,
    /// Somebody else has it.
    Contended(Contended),
}

/// Who has the key that we wanted.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Contended {
    /// The holder, where the store knew it and the value was written by dlock.
    pub holder: Option<Holder>,
}

impl Contended {
    /// Contended by this holder, if it is known.
    #[must_use]
    pub fn by(holder: Option<Holder>) -> Self {
        Self { holder }
    }
}

impl fmt::Display for Contended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.holder {
            Some(holder) => write!(f, "held by {holder}"),
            None => f.write_str("held by an unknown client"),
        }
    }
}

/// The answer to [`Backend::renew`], for one claim.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a lease that is no longer ours must stop its body"]
pub enum Renewal {
    /// Still ours, and its expiry is now + ttl.
    Held,
    /// The key is gone or has another value.
    NotOurs,
}

/// The answer to [`Backend::release`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a key that was no longer ours means that exclusion was broken"]
pub enum Release {
    /// The key was ours and is free, or will be when its kept time is over.
    Freed,
    /// The key was gone or had another value: nothing was touched.
    NotOurs,
}

/// The answer to [`Backend::fence`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use = "a lease that is no longer ours must not write"]
pub enum Fence {
    /// The grant's number.
    Token(FencingToken),
    /// The key was gone or had another value.
    NotOurs,
}

/// What is known about a request that got no proper answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The store could not be reached: nothing was sent.
    Unreachable,
    /// Sent, and the connection broke before the answer: it may have happened. Worth repeating at once.
    Broken,
    /// Sent, and no answer in time: it may have happened, or may still.
    Unanswered,
    /// The store answered no: nothing has happened.
    Refused,
}

/// Why a store gave no proper answer.
#[derive(Clone, Debug)]
pub struct StoreError {
    pub(crate) fault: Fault,
    pub(crate) message: String,
    pub(crate) source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl StoreError {
    /// A fault with a message of one line, without secrets.
    #[must_use]
    pub fn new(fault: Fault, message: impl Into<String>) -> Self {
        Self { fault, message: message.into(), source: None }
    }

    /// The same with what the driver said.
    #[must_use]
    pub fn with_source(mut self, source: impl std::error::Error + Send + Sync + 'static) -> Self {
        self.source = Some(Arc::new(source));
        self
    }

    /// What is known about the request.
    #[must_use]
    pub fn fault(&self) -> Fault {
        self.fault
    }

    /// As the error that users see.
    pub(crate) fn for_key(self, key: &Key) -> crate::Error {
        let kind = match self.fault {
            Fault::Refused => crate::ErrorKind::StoreRefused,
            Fault::Unreachable | Fault::Broken | Fault::Unanswered => crate::ErrorKind::StoreUnreachable,
        };
        crate::Error::new(kind, self.message).with_key(key.as_str()).with_source(self.source)
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|source| source as &(dyn std::error::Error + 'static))
    }
}
