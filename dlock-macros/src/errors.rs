//! Collects every mistake of one attribute, so that one compile shows them all.

use std::cell::RefCell;
use std::fmt::Display;

use proc_macro2::{Span, TokenStream};
use quote::ToTokens;

/// The mistakes found so far. Passed by reference to every stage; the entry prints them at the end.
#[derive(Default)]
pub(crate) struct Errors {
    found: RefCell<Vec<syn::Error>>,
}

impl Errors {
    /// A mistake at one place.
    pub(crate) fn at(&self, span: Span, message: impl Display) {
        self.add(syn::Error::new(span, message));
    }

    /// A mistake that spans all of `tokens`.
    pub(crate) fn on(&self, tokens: &impl ToTokens, message: impl Display) {
        self.add(syn::Error::new_spanned(tokens, message));
    }

    /// A mistake that was found by a parser.
    pub(crate) fn add(&self, error: syn::Error) {
        self.found.borrow_mut().push(error);
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.found.borrow().is_empty()
    }

    /// One `compile_error!` for each mistake.
    pub(crate) fn into_tokens(self) -> TokenStream {
        self.found.into_inner().iter().map(syn::Error::to_compile_error).collect()
    }
}
