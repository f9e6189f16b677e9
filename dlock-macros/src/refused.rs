//! Functions that the compiler refuses by itself, so that one mistake is not reported twice.

use proc_macro2::{TokenStream, TokenTree};
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Attribute, Generics, Ident, Pat, Receiver, Token, Type, parenthesized};

/// Whether the compiler has told already what is wrong with an `async fn` that cannot be read: an argument without a
/// type, or with a default, is no Rust of any kind.
pub(crate) fn is_refused_anyway(item: TokenStream) -> bool {
    let tokens: Vec<TokenTree> = item.into_iter().collect();
    let is_word = |token: &TokenTree, word: &str| matches!(token, TokenTree::Ident(name) if name == word);
    let Some(at) = tokens.iter().position(|token| is_word(token, "fn")) else { return false };
    let is_async = tokens[..at].iter().any(|token| is_word(token, "async"));
    let after: TokenStream = tokens[at + 1..].iter().cloned().collect();
    let parser = |input: ParseStream<'_>| {
        input.parse::<Ident>()?;
        input.parse::<Generics>()?;
        let arguments;
        parenthesized!(arguments in input);
        input.parse::<TokenStream>()?;
        has_no_type_or_a_default(&arguments)
    };
    is_async && parser.parse2(after).unwrap_or(false)
}

fn has_no_type_or_a_default(input: ParseStream<'_>) -> syn::Result<bool> {
    while !input.is_empty() {
        input.call(Attribute::parse_outer)?;
        let fork = input.fork();
        if fork.parse::<Receiver>().is_ok() {
            input.advance_to(&fork);
        } else {
            Pat::parse_single(input)?;
            if input.is_empty() || input.peek(Token![,]) {
                return skipped(input);
            }
            input.parse::<Token![:]>()?;
            input.parse::<Type>()?;
            if input.peek(Token![=]) {
                return skipped(input);
            }
        }
        input.parse::<Option<Token![,]>>()?;
    }
    Ok(false)
}

/// The rest does not matter any more.
fn skipped(input: ParseStream<'_>) -> syn::Result<bool> {
    input.parse::<TokenStream>()?;
    Ok(true)
}
