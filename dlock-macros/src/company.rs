//! Other attributes on the same function that cannot stand below ours.

use proc_macro2::TokenTree;
use syn::{Attribute, Meta};

use crate::errors::Errors;
use crate::function::Function;

/// Attributes that would fail on the rewritten function.
pub(crate) fn check(function: &Function, errors: &Errors) {
    for attr in &function.attrs {
        if is_ours(attr) {
            errors.on(attr, "`#[singleton]` is given twice: put both into one key, or let the function call a second one that has its own");
        } else if wants_a_result(attr) {
            errors.on(attr, "`err` needs a `Result`, and below `#[singleton]` it finds the `Option` around it: move this attribute above `#[singleton]`");
        }
    }
}

/// Whether an attribute would only add the compiler's word to ours.
pub(crate) fn is_in_the_way(attr: &Attribute) -> bool {
    is_ours(attr) || wants_a_result(attr)
}

fn is_ours(attr: &Attribute) -> bool {
    ends_in(attr, "singleton")
}

/// `#[tracing::instrument(.., err)]`, with settings of its own or without.
fn wants_a_result(attr: &Attribute) -> bool {
    let Meta::List(list) = &attr.meta else { return false };
    let is_err = |token: TokenTree| matches!(token, TokenTree::Ident(name) if name == "err");
    ends_in(attr, "instrument") && list.tokens.clone().into_iter().any(is_err)
}

fn ends_in(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|last| last.ident == name)
}
