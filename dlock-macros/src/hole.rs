//! Turns the holes of a key template into expressions over the function's arguments.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::ext::IdentExt as _;
use syn::{Ident, LitStr};

use crate::errors::Errors;
use crate::function::Function;
use crate::template::{self, Hole, Piece};

/// A template whose holes are all resolved.
pub(crate) struct Template {
    /// The template as it was written.
    pub(crate) written: LitStr,
    /// The same for `format_args!`, with a `{}` for every hole.
    pub(crate) format: String,
    /// The values, one for every hole.
    pub(crate) values: Vec<TokenStream>,
    /// The arguments that they borrow.
    pub(crate) arguments: Vec<Ident>,
}

/// The most bytes that a key may have; the runtime checks what the holes add.
const MAX_BYTES: usize = 4096;

/// Resolves a template; every mistake is reported at its literal.
pub(crate) fn resolve(written: &LitStr, function: &Function, errors: &Errors) -> Option<Template> {
    let text = written.value();
    let (pieces, mistakes) = template::parse(&text);
    mistakes.iter().for_each(|mistake| errors.on(written, mistake));
    if text.is_empty() {
        errors.on(written, "`key` is empty: name what is protected, such as \"jobs:invoice\"");
        return None;
    }
    if text.contains('\0') {
        errors.on(written, "`key` contains NUL (`\\0`), which not every store can hold: remove it");
        return None;
    }
    if text.len() > MAX_BYTES {
        errors.on(written, format!("`key` has {} bytes, the most is {MAX_BYTES}: shorten it", text.len()));
        return None;
    }
    let scope = Scope::of(function, written.span());
    let (mut format, mut values, mut complete) = (String::new(), Vec::new(), mistakes.is_empty());
    for piece in &pieces {
        match piece {
            Piece::Text(text) => format.push_str(&text.replace('{', "{{").replace('}', "}}")),
            Piece::Hole(hole) => {
                format.push_str(&placeholder(&hole.format));
                match scope.value(hole) {
                    Ok(value) => values.push(value),
                    Err(mistake) => {
                        complete = false;
                        errors.on(written, mistake);
                    }
                }
            }
        }
    }
    let named = |piece: &Piece| match piece {
        Piece::Hole(hole) => scope.named(&hole.argument).cloned(),
        Piece::Text(_) => None,
    };
    let arguments = pieces.iter().filter_map(named).collect();
    complete.then(|| Template { written: written.clone(), format, values, arguments })
}

fn placeholder(format: &str) -> String {
    if format.is_empty() { "{}".to_owned() } else { format!("{{:{format}}}") }
}

/// The names that a hole can use.
struct Scope<'f> {
    function: &'f Function,
    arguments: Vec<Ident>,
    receiver: Option<TokenStream>,
    /// `#[async_trait]` took the names of patterns away.
    hides_some: bool,
    /// Where the values are located: at the template, so that a type without `Display` is reported there.
    at: Span,
}

impl<'f> Scope<'f> {
    fn of(function: &'f Function, at: Span) -> Self {
        // `#[async_trait]` replaces patterns by names that nobody wrote.
        let mut arguments = function.arguments();
        let all = arguments.len();
        arguments.retain(|name| function.boxed.is_none() || !name.to_string().starts_with("__arg"));
        let hides_some = arguments.len() < all;
        let receiver = function.receiver().map(|mut receiver| {
            receiver.span = receiver.span.located_at(at);
            receiver.to_token_stream()
        });
        Self { function, arguments, receiver, hides_some, at }
    }

    /// The expression for a hole: `argument.field.0`.
    fn value(&self, hole: &Hole) -> Result<TokenStream, String> {
        let mut value = self.argument(&hole.argument)?;
        let at = Span::mixed_site().located_at(self.at);
        for field in &hole.fields {
            let field = if field.starts_with(|c: char| c.is_ascii_digit()) {
                field
                    .parse()
                    .map(|index| located(Literal::usize_unsuffixed(index), self.at))
                    .map_err(|_| unknown(hole, self))?
            } else {
                template::ident(field, Span::call_site().located_at(self.at))
                    .ok_or_else(|| unknown(hole, self))?
                    .into_token_stream()
            };
            let dot = quote_spanned!(at=> .);
            value = quote!(#value #dot #field);
        }
        Ok(self.configured(hole, value))
    }

    /// The value of an argument that may not be there: where it is not, the error says why.
    fn configured(&self, hole: &Hole, value: TokenStream) -> TokenStream {
        let conditions =
            self.named(&hole.argument).map(|argument| self.function.conditions(argument)).unwrap_or_default();
        if conditions.is_empty() {
            return value;
        }
        let listed: Vec<_> =
            conditions.iter().flatten().map(|condition| format!("`#[cfg({condition})]`")).collect();
        let message = format!(
            "the hole `{{{}}}` in `key` names an argument that {} takes away here: put the same `cfg` on two functions, each with its own key",
            hole.argument,
            listed.join(" and ")
        );
        let there = quote!(any(#(all(#(#conditions),*)),*));
        quote_spanned! {Span::mixed_site().located_at(self.at)=> {
            #[cfg(#there)]
            { &#value }
            #[cfg(not(#there))]
            { ::core::compile_error!(#message) }
        }}
    }

    /// The argument under its own hygiene, located at the template.
    fn argument(&self, name: &str) -> Result<TokenStream, String> {
        if name == "self" {
            let missing = || {
                format!("the hole `{{self}}` in `key` needs a method with a `self` argument{}", self.listed())
            };
            return self.receiver.clone().ok_or_else(missing);
        }
        let mut argument = self
            .named(name)
            .cloned()
            .ok_or_else(|| format!("the hole `{{{name}}}` in `key` names no argument{}", self.listed()))?;
        argument.set_span(argument.span().located_at(self.at));
        Ok(argument.into_token_stream())
    }

    /// The argument of this name. The last one wins, as a macro may give several arguments names that differ only in
    /// their hygiene.
    fn named(&self, name: &str) -> Option<&Ident> {
        self.arguments.iter().rev().find(|argument| argument.unraw() == name)
    }

    fn listed(&self) -> String {
        let mut names: Vec<_> = self.receiver.iter().map(|_| "`self`".to_owned()).collect();
        names.extend(self.arguments.iter().map(|argument| format!("`{}`", argument.unraw())));
        let listed = match names.as_slice() {
            [] => ": the function has no arguments".to_owned(),
            [only] => format!(": the only argument is {only}"),
            _ => format!(": the arguments are {}", names.join(", ")),
        };
        if self.hides_some {
            return listed
                + " (`#[async_trait]` hides the names in a pattern: take it apart in the body and write `{argument.field}`)";
        }
        listed
    }
}

fn unknown(hole: &Hole, scope: &Scope<'_>) -> String {
    format!("the hole `{{{}}}` in `key` names no field{}", hole.argument, scope.listed())
}

fn located(mut literal: Literal, at: Span) -> TokenStream {
    literal.set_span(at);
    literal.into_token_stream()
}
