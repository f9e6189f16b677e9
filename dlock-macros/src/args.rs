//! Reads the attribute's tokens into one slot for each option.

use proc_macro2::TokenStream;
use syn::{Expr, Ident, LitStr, Path};

use crate::duration;
use crate::errors::Errors;
use crate::names;
use crate::options::{self, Given};
use crate::slot::Slot;
use crate::values;

/// The options as they were given; what they mean together is the business of `check`.
#[derive(Default)]
pub(crate) struct Args {
    pub(crate) key: Slot<Key>,
    pub(crate) ttl: Slot<Time>,
    /// `None` is forever.
    pub(crate) wait: Slot<Option<Time>>,
    pub(crate) min_hold: Slot<Time>,
    pub(crate) max_hold: Slot<Time>,
    /// `None` is for good.
    pub(crate) once: Slot<Option<Time>>,
    pub(crate) backend: Slot<LitStr>,
    pub(crate) within: Slot<Ident>,
    pub(crate) on_error: Slot<OnError>,
    pub(crate) on_lost: Slot<OnLost>,
    pub(crate) returns: Slot<Returns>,
    pub(crate) runtime: Slot<Path>,
    /// Options that were probably meant by something that could not be read: they are not reported as missing.
    pub(crate) meant: Vec<&'static str>,
    /// Something could not be read at all, so that nothing can be said about what is missing.
    pub(crate) unreadable: bool,
}

/// What is protected.
pub(crate) enum Key {
    Template(LitStr),
    Expr(Expr),
}

/// A duration.
pub(crate) enum Time {
    /// In milliseconds, checked.
    Literal(u64, LitStr),
    Expr(Expr),
}

/// What happens when the store cannot be asked, or the lease was lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OnError {
    Return,
    Skip,
    Run,
}

/// What happens to the body when its lease is lost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum OnLost {
    Stop,
    Continue,
}

/// What the annotated function returns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Returns {
    Option,
    Outcome,
}

/// Reads the attribute; what cannot be read is in `errors`.
pub(crate) fn parse(tokens: TokenStream, errors: &Errors) -> Args {
    let mut args = Args::default();
    let list = options::split(tokens, errors);
    args.unreadable = list.unreadable;
    for given in list.given {
        args.take(&given, errors);
    }
    args
}

impl Args {
    fn take(&mut self, given: &Given, errors: &Errors) {
        let name = &given.name;
        match name.to_string().as_str() {
            "key" => self.key.set(name, values::key(given, errors), errors),
            "ttl" => self.ttl.set(name, values::time(given, duration::MIN_LEASE_MS, errors), errors),
            "wait" => self.wait.set(name, values::wait(given, errors), errors),
            "min_hold" => self.min_hold.set(name, values::time(given, duration::MIN_MS, errors), errors),
            "max_hold" => {
                self.max_hold.set(name, values::time(given, duration::MIN_LEASE_MS, errors), errors)
            }
            "once" => self.once.set(name, values::once(given, errors), errors),
            "backend" => self.backend.set(name, values::backend(given, errors), errors),
            "within" => self.within.set(name, values::within(given, errors), errors),
            "on_error" => {
                let choices = [("return", OnError::Return), ("skip", OnError::Skip), ("run", OnError::Run)];
                self.on_error.set(name, values::choice(given, &choices, errors), errors);
            }
            "on_lost" => {
                let choices = [("stop", OnLost::Stop), ("continue", OnLost::Continue)];
                self.on_lost.set(name, values::choice(given, &choices, errors), errors);
            }
            "returns" => {
                let choices = [("option", Returns::Option), ("outcome", Returns::Outcome)];
                self.returns.set(name, values::choice(given, &choices, errors), errors);
            }
            "crate" => self.runtime.set(name, values::runtime(given, errors), errors),
            unknown => {
                let nearest = names::nearest(unknown);
                self.meant.extend(nearest);
                errors.at(name.span(), names::unknown(unknown, nearest));
            }
        }
    }
}
