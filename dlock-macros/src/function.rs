//! The annotated function: its signature parsed in full, its body kept as tokens.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use syn::parse::{ParseStream, Parser as _};
use syn::visit_mut::{self, VisitMut};
use syn::{AttrStyle, Attribute, FnArg, Ident, Meta, Pat, PatIdent, Signature, Token, Visibility};

use crate::boxed::{self, Boxed};

/// An item that is a function.
pub(crate) struct Function {
    pub(crate) attrs: Vec<Attribute>,
    pub(crate) vis: Visibility,
    pub(crate) sig: Signature,
    pub(crate) body: Option<Body>,
    /// Set where `#[async_trait]` has rewritten the function before.
    pub(crate) boxed: Option<Boxed>,
}

/// What stands between the braces.
pub(crate) struct Body {
    /// The user's statements, without inner attributes.
    pub(crate) statements: TokenStream,
    /// The user's braces.
    pub(crate) braces: Span,
}

impl Function {
    /// Reads the item. An item that is no function, or one that `syn` does not know, is the error.
    pub(crate) fn parse(item: TokenStream) -> syn::Result<Self> {
        let parser = |input: ParseStream<'_>| {
            let mut attrs = input.call(Attribute::parse_outer)?;
            let vis: Visibility = input.parse()?;
            if !starts_a_fn(input) {
                let head: TokenStream = input.parse::<TokenStream>()?.into_iter().take(2).collect();
                return Err(syn::Error::new_spanned(
                    head,
                    "`#[singleton]` goes on an `async fn`: move it to each function that must run in one process at a time",
                ));
            }
            // Specialization is unstable and nothing to us.
            input.parse::<Option<Token![default]>>()?;
            let sig: Signature = input.parse()?;
            let body = body(input.parse()?, &mut attrs);
            let boxed = boxed::recognize(&sig);
            Ok(Self { attrs, vis, sig, body, boxed })
        };
        parser.parse2(item)
    }

    /// The names that the arguments bind, patterns included. An argument under `#[cfg]` may not be there.
    pub(crate) fn arguments(&self) -> Vec<Ident> {
        self.sig.inputs.iter().flat_map(bindings).collect()
    }

    /// The names that are bound whatever is configured.
    pub(crate) fn certain_arguments(&self) -> Vec<Ident> {
        self.sig.inputs.iter().filter(|input| conditions(input).is_empty()).flat_map(bindings).collect()
    }

    /// The `#[cfg(..)]` of every argument that binds this name, unless it is bound whatever is configured.
    pub(crate) fn conditions(&self, name: &Ident) -> Vec<Vec<TokenStream>> {
        let binds = |input: &&FnArg| bindings(input).contains(name);
        let all: Vec<_> = self.sig.inputs.iter().filter(binds).map(conditions).collect();
        if all.iter().any(Vec::is_empty) { Vec::new() } else { all }
    }

    /// The `self` of the function, where it has one.
    pub(crate) fn receiver(&self) -> Option<Token![self]> {
        self.sig.receiver().map(|receiver| receiver.self_token)
    }

    /// Whether it is a test or `main`, whose return type is not for us to rewrite.
    pub(crate) fn is_entry_point(&self) -> bool {
        self.attribute("test").is_some()
            || self.attribute("main").is_some()
            || self.sig.ident == "main" && !self.is_future()
    }

    /// Whether a call gives a future.
    pub(crate) fn is_future(&self) -> bool {
        self.sig.asyncness.is_some() || self.boxed.is_some()
    }

    /// Whether one of the attributes ends in this name, as `tokio::test` ends in `test`.
    pub(crate) fn attribute(&self, name: &str) -> Option<&Attribute> {
        self.attrs.iter().find(|attr| attr.path().segments.last().is_some_and(|last| last.ident == name))
    }
}

/// Whether the keywords that can stand before `fn` lead to one.
fn starts_a_fn(input: ParseStream<'_>) -> bool {
    let fork = input.fork();
    loop {
        if fork.peek(Token![fn]) {
            return true;
        }
        let is_keyword = fork.peek(Token![async])
            || fork.peek(Token![unsafe])
            || fork.peek(Token![const])
            || fork.peek(Token![extern])
            || fork.peek(Token![default])
            || fork.peek(syn::LitStr);
        if !is_keyword || fork.parse::<TokenTree>().is_err() {
            return false;
        }
    }
}

/// Takes the braces apart; inner attributes become attributes of the function, since the body will stand in a block
/// where they are not allowed. A function without a body has none.
fn body(rest: TokenStream, attrs: &mut Vec<Attribute>) -> Option<Body> {
    let group = braces(rest)?;
    let parser = |input: ParseStream<'_>| Ok((Attribute::parse_inner(input)?, input.parse::<TokenStream>()?));
    let (inner, statements) = parser.parse2(group.stream()).unwrap_or_else(|_| (Vec::new(), group.stream()));
    attrs.extend(inner.into_iter().map(|attr| Attribute { style: AttrStyle::Outer, ..attr }));
    Some(Body { statements, braces: group.span() })
}

/// The braces, seen through the invisible groups that `macro_rules!` puts around `$body:block`.
fn braces(rest: TokenStream) -> Option<Group> {
    match rest.into_iter().next()? {
        TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => Some(group),
        TokenTree::Group(group) if group.delimiter() == Delimiter::None => braces(group.stream()),
        _ => None,
    }
}

/// What stands in each `#[cfg(..)]` of an argument.
fn conditions(input: &FnArg) -> Vec<TokenStream> {
    let attrs = match input {
        FnArg::Typed(argument) => &argument.attrs,
        FnArg::Receiver(receiver) => &receiver.attrs,
    };
    let condition = |attr: &Attribute| match &attr.meta {
        Meta::List(list) if list.path.is_ident("cfg") => Some(list.tokens.clone()),
        _ => None,
    };
    attrs.iter().filter_map(condition).collect()
}

fn bindings(input: &FnArg) -> Vec<Ident> {
    let mut bindings = Bindings(Vec::new());
    if let FnArg::Typed(argument) = input {
        bindings.visit_pat_mut(&mut Pat::clone(&argument.pat));
    }
    bindings.0
}

struct Bindings(Vec<Ident>);

impl VisitMut for Bindings {
    fn visit_pat_ident_mut(&mut self, pat: &mut PatIdent) {
        self.0.push(pat.ident.clone());
        visit_mut::visit_pat_ident_mut(self, pat);
    }
}
