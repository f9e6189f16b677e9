//! Prints the annotated function: one call into the runtime with the body as its argument.

use proc_macro2::{Delimiter, Group, Span, TokenStream, TokenTree};
use quote::{ToTokens as _, TokenStreamExt as _, quote, quote_spanned};
use syn::ReturnType;

use crate::args::{self, OnError};
use crate::boxed;
use crate::captures;
use crate::check::{self, Plan};
use crate::doc;
use crate::errors::Errors;
use crate::function::{Body, Function};
use crate::refused;
use crate::returned::Returned;
use crate::spec;
use crate::stub;

/// The whole attribute: reads it, checks it, prints the result. On a mistake the item is still printed.
pub(crate) fn expand(attribute: TokenStream, item: TokenStream) -> TokenStream {
    let errors = Errors::default();
    let args = args::parse(attribute, &errors);
    let mut function = match Function::parse(item.clone()) {
        Ok(function) => function,
        Err(error) => {
            if !refused::is_refused_anyway(item.clone()) {
                errors.add(error);
            }
            return stub::unchanged(errors, item);
        }
    };
    let plan = check::check(args, &function, &errors);
    if function.is_entry_point() {
        // A test or `main` cannot return an `Option`: rewriting it would only add the compiler's word to ours.
        return stub::unchanged(errors, item);
    }
    match (plan, function.body.take()) {
        (Some(plan), Some(body)) if errors.is_empty() => print(&plan, function, &body),
        (_, body) => stub::print(errors, Function { body, ..function }),
    }
}

/// Spans of generated tokens: their names are nobody else's, and they are located where an error about them belongs.
pub(crate) fn located(at: Span) -> Span {
    Span::mixed_site().located_at(at)
}

fn print(plan: &Plan, mut function: Function, body: &Body) -> TokenStream {
    let runtime = &plan.runtime;
    let private = quote_spanned!(Span::mixed_site()=> #runtime::__private);
    let returned = function.returned();
    let wrapped = wrapped(&returned);
    let guarded = guarded(plan, &private, &returned, &mut function, body);
    let mut attrs = doc::described(&function, plan);
    if (plan.on_error == OnError::Return || function.spells_result())
        && function.attribute("must_use").is_none()
    {
        attrs.append_all(quote_spanned!(Span::mixed_site()=> #[must_use]));
    }
    if function.never_returns() {
        // In a function that never returns an endless loop is the point; inside of a future clippy cannot see that. The
        // compiler by itself is not told, as it refuses to allow what a crate forbids.
        attrs.append_all(
            quote_spanned!(Span::mixed_site()=> #[cfg_attr(clippy, allow(clippy::infinite_loop))]),
        );
    }
    item(&function, attrs, wrapped, guarded, body.braces)
}

/// The item with its rewritten return type and another body. It ends with the user's own brace: the compiler judges by
/// it whether the function is theirs, and reports dead code only then.
pub(crate) fn item(
    function: &Function,
    attrs: TokenStream,
    output: TokenStream,
    body: TokenStream,
    braces: Span,
) -> TokenStream {
    let vis = &function.vis;
    let mut sig = function.sig.clone();
    match &function.boxed {
        None => {
            let arrow = match &sig.output {
                ReturnType::Type(arrow, _) => arrow.to_token_stream(),
                ReturnType::Default => quote_spanned!(Span::mixed_site()=> ->),
            };
            sig.output = ReturnType::Default;
            let where_clause = sig.generics.where_clause.take();
            let body = braced(body, braces);
            quote!(#attrs #vis #sig #arrow #output #where_clause #body)
        }
        Some(boxed) => {
            sig = boxed::resolving_to(sig, output);
            let boxing = &boxed.boxing;
            let body =
                braced(quote_spanned!(Span::mixed_site()=> #boxing::pin(async move { #body })), braces);
            quote!(#attrs #vis #sig #body)
        }
    }
}

fn braced(inside: TokenStream, at: Span) -> Group {
    let mut group = Group::new(Delimiter::Brace, inside);
    group.set_span(at);
    group
}

/// `Option<R>`, located at `R`. What comes from `core` is taken from there, as a wrong path to the runtime would be
/// reported at each of its uses.
pub(crate) fn wrapped(returned: &Returned) -> TokenStream {
    let inner = &returned.in_signature;
    let (from, to) = (located(returned.from), located(returned.to));
    let open = quote_spanned!(from=> ::core::option::Option<);
    let close = quote_spanned!(to=> >);
    quote!(#open #inner #close)
}

/// `run::<Exit, R, _>`, located at `R`: what `on_error` demands of `R` is reported there.
fn runner(plan: &Plan, private: &TokenStream, returned: &Returned) -> TokenStream {
    let inner = &returned.in_body;
    let (from, to) = (located(returned.from), located(returned.to));
    let private = moved_to(private, returned.from);
    let exit = match plan.on_error {
        OnError::Return => quote_spanned!(to=> Return),
        OnError::Skip => quote_spanned!(to=> Skip),
        OnError::Run => quote_spanned!(to=> Unlocked),
    };
    let open = quote_spanned!(from=> #private::run::<#private::#exit,);
    let close = quote_spanned!(to=> , _>);
    quote!(#open #inner #close)
}

/// The same path, located elsewhere.
fn moved_to(path: &TokenStream, at: Span) -> TokenStream {
    let moved = |mut token: TokenTree| {
        token.set_span(token.span().located_at(at));
        token
    };
    path.clone().into_iter().map(moved).collect()
}

/// The call into the runtime.
fn guarded(
    plan: &Plan,
    private: &TokenStream,
    returned: &Returned,
    function: &mut Function,
    body: &Body,
) -> TokenStream {
    let spec = spec::spec(plan, private);
    let inner = &returned.in_body;
    let runner = runner(plan, private, returned);
    let (bindings, future) = if function.boxed.is_some() {
        (TokenStream::new(), block(body))
    } else {
        let rebound = captures::rebound(plan, function, body);
        let mention = &rebound.mention;
        let edge =
            quote_spanned!(Span::mixed_site()=> #mention if false { return #private::edge::<#inner>(); });
        (rebound.bindings, future(edge, body))
    };
    // No binding of ours: a user's static of the same name would be in its way. The block ends the life of what the key
    // borrows from the arguments, before the body takes them and before the first await.
    let run = quote_spanned!(Span::mixed_site()=> #runner({ #spec }, #future));
    if bindings.is_empty() {
        return quote_spanned!(Span::mixed_site()=> return #run.await;);
    }
    quote_spanned!(Span::mixed_site()=> return { #bindings #run }.await;)
}

/// The body as a future of its own. `edge` tells the compiler its type before the body does, so that a wrong type
/// is reported at the user's expression. It stands where the user's braces stand: the compiler names the variables of a
/// future only when it is not a macro's, and clippy judges it as it would judge the plain function.
pub(crate) fn future(edge: TokenStream, body: &Body) -> TokenStream {
    let block = block(body);
    let group = braced(quote!(#edge #block), body.braces);
    quote_spanned!(body.braces=> async move #group)
}

/// The user's block, braces included: their edition decides when temporaries of the last expression are dropped. The
/// empty statement keeps `unused_braces` from proposing to remove them.
pub(crate) fn block(body: &Body) -> TokenStream {
    let statements = &body.statements;
    let empty = quote_spanned!(Span::mixed_site()=> ;);
    braced(quote!(#empty #statements), body.braces).into_token_stream()
}
