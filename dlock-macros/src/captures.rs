//! How the body's future takes the arguments that the key has borrowed before.

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::quote_spanned;
use syn::ext::IdentExt as _;
use syn::{FnArg, Pat, PatType, Type};

use crate::check::{Plan, PlannedKey};
use crate::function::{Body, Function};

/// How the body's future takes what the key borrows.
#[derive(Default)]
pub(crate) struct Rebound {
    /// Before the call: `let argument = argument;`
    pub(crate) bindings: TokenStream,
    /// In the body's future: it takes them whole, and the last one first, as the plain function would drop them.
    pub(crate) mention: TokenStream,
}

/// Moves the arguments that the key borrows to bindings of their own, whose life ends before the first await: the future
/// would keep the place of a borrowed argument beside the one that the body takes it to. An argument that the body does
/// not use stays where it is, since it has to live as long as the body.
pub(crate) fn rebound(plan: &Plan, function: &mut Function, body: &Body) -> Rebound {
    let PlannedKey::Template(template) = &plan.key else { return Rebound::default() };
    let (mut bindings, mut names) = (TokenStream::new(), Vec::new());
    for input in &mut function.sig.inputs {
        let FnArg::Typed(PatType { attrs, pat, ty, .. }) = input else { continue };
        let Pat::Ident(argument) = &mut **pat else { continue };
        let is_plain = attrs.is_empty() && argument.by_ref.is_none() && argument.subpat.is_none();
        let name = argument.ident.clone();
        let is_borrowed = template.arguments.contains(&name) && !is_small(ty);
        if is_plain && is_borrowed && mentions(body.statements.clone(), &name.unraw().to_string()) {
            // The plain function's `mut` is this binding's, and so is the warning about one that is not needed.
            let mutability = argument.mutability.take();
            bindings.extend(quote_spanned!(Span::mixed_site()=> let #mutability #name = #name;));
            names.push(name);
        }
    }
    if names.is_empty() {
        return Rebound::default();
    }
    names.reverse();
    Rebound { bindings, mention: quote_spanned!(Span::mixed_site()=> _ = (#(&#names,)*);) }
}

/// Whether the tokens have the name, as a word or in a text that a macro such as `format!` may read.
fn mentions(tokens: TokenStream, name: &str) -> bool {
    tokens.into_iter().any(|token| match token {
        TokenTree::Group(group) => mentions(group.stream(), name),
        TokenTree::Ident(word) => word.unraw() == name,
        TokenTree::Literal(literal) => literal.to_string().contains(name),
        TokenTree::Punct(_) => false,
    })
}

/// Types that everybody knows, and that have a few words at most.
fn is_small(ty: &Type) -> bool {
    const SMALL: [&str; 21] = [
        "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "u8", "u16", "u32", "u64",
        "u128", "usize", "String", "Vec", "Box", "Arc", "Rc",
    ];
    match ty {
        Type::Path(path) => {
            path.path.segments.last().is_some_and(|last| SMALL.contains(&last.ident.to_string().as_str()))
        }
        Type::Reference(_) | Type::Ptr(_) => true,
        Type::Group(group) => is_small(&group.elem),
        Type::Paren(paren) => is_small(&paren.elem),
        _ => false,
    }
}
