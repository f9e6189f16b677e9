//! Tests of the macro in process: what it prints, its grammars, and that no input makes it panic.

mod durations;
mod expansions;
mod messages;
mod random_tokens;
mod rng;
mod templates;

use proc_macro2::TokenStream;

/// Expands an attribute on an item, both given as text.
fn expand(attribute: &str, item: &str) -> TokenStream {
    let read = |text: &str| text.parse::<TokenStream>().expect("tokens");
    crate::expand::expand(read(attribute), read(item))
}
