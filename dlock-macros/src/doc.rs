//! The line in the rustdoc of an annotated function that says under which key and ttl it runs.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote_spanned};
use syn::{Attribute, Meta};

use crate::args::Time;
use crate::check::{Plan, PlannedKey};
use crate::function::Function;

/// The function's attributes, with the line after the last line of its documentation. A function without
/// documentation stays without, so that `missing_docs` still reports it.
pub(crate) fn described(function: &Function, plan: &Plan) -> TokenStream {
    let last = function.attrs.iter().rposition(is_documentation);
    let mut attrs = TokenStream::new();
    for (at, attr) in function.attrs.iter().enumerate() {
        attr.to_tokens(&mut attrs);
        if Some(at) == last {
            let line = line(plan);
            attrs.extend(quote_spanned!(Span::mixed_site()=> #[doc = ""] #[doc = #line]));
        }
    }
    attrs
}

fn is_documentation(attr: &Attribute) -> bool {
    attr.path().is_ident("doc") && matches!(attr.meta, Meta::NameValue(_))
}

fn line(plan: &Plan) -> String {
    let key = match &plan.key {
        PlannedKey::Template(template) => template.written.value(),
        PlannedKey::Expr(expr) => expr.to_token_stream().to_string(),
    };
    let ttl = match &plan.ttl {
        Time::Literal(_, written) => written.value(),
        Time::Expr(expr) => expr.to_token_stream().to_string(),
    };
    format!(
        " Runs in one process at a time, under the key {} with a ttl of {}; `None` where it did not run.",
        code(&key),
        code(&ttl)
    )
}

/// Text as inline code, fenced by more backticks than it contains in a row.
fn code(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    let pad = if longest == 0 { "" } else { " " };
    format!("{fence}{pad}{text}{pad}{fence}")
}
