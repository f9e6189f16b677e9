//! Decides what the options mean together, and for this function.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::{Expr, LitStr, Path};

use crate::args::{Args, Key, OnError, OnLost, Returns, Time};
use crate::company;
use crate::errors::Errors;
use crate::function::Function;
use crate::hole::{self, Template};
use crate::leaving;

/// Everything that the expansion needs, without a mistake left in it.
pub(crate) struct Plan {
    pub(crate) runtime: TokenStream,
    pub(crate) key: PlannedKey,
    pub(crate) ttl: Time,
    pub(crate) min_hold: Option<Time>,
    pub(crate) backend: Option<LitStr>,
    pub(crate) on_error: OnError,
    pub(crate) on_lost: OnLost,
}

/// The key, ready to be printed.
pub(crate) enum PlannedKey {
    Template(Template),
    Expr(Expr),
}

/// Checks the options against each other and against the function. `None` goes with at least one error.
pub(crate) fn check(args: Args, function: &Function, errors: &Errors) -> Option<Plan> {
    function_is_async(function, errors);
    company::check(function, errors);
    contradictions(&args, errors);
    not_supported_yet(&args, errors);
    missing(&args, errors);
    arguments(&args, function, errors);
    let on_error = on_error(&args, function, errors);
    leaving::check(&args, errors);
    let key = match args.key.into_value() {
        Some(Key::Template(text)) => hole::resolve(&text, function, errors).map(PlannedKey::Template),
        Some(Key::Expr(expr)) => Some(PlannedKey::Expr(expr)),
        None => None,
    };
    Some(Plan {
        runtime: runtime(args.runtime.value()),
        key: key?,
        ttl: args.ttl.into_value()?,
        min_hold: args.min_hold.into_value(),
        backend: args.backend.into_value(),
        on_error,
        on_lost: args.on_lost.into_value().unwrap_or(OnLost::Stop),
    })
}

/// Where the runtime is.
fn runtime(given: Option<&Path>) -> TokenStream {
    given.map_or_else(|| quote_spanned!(Span::mixed_site()=> ::dlock_runtime), |path| path.to_token_stream())
}

fn function_is_async(function: &Function, errors: &Errors) {
    let sig = &function.sig;
    let (fn_token, name) = (&sig.fn_token, &sig.ident);
    let head = quote!(#fn_token #name);
    if let Some(attr) = function.attribute("test") {
        errors.on(attr, "a test cannot return the `Option` of `#[singleton]`: put the work into an `async fn` of its own and call that from the test");
    } else if let Some(attr) = function.attribute("main") {
        errors.on(attr, "`main` cannot return the `Option` of `#[singleton]`: put the work into an `async fn` of its own and call that from `main`");
    } else if !function.is_future() {
        if name == "main" {
            errors.on(&head, "`#[singleton]` cannot guard `main`: put the work into an `async fn` of its own and call that from `main`");
        } else {
            errors.on(&head, format!("`#[singleton]` waits for a store, which only an `async fn` can: make it `async fn {name}`"));
        }
    }
    if function.body.is_none() {
        errors.on(&head, format!("`{name}` has no body to run under the lock: put `#[singleton]` on the implementation, and let the trait declare the rewritten return type `Option<..>`"));
    }
}

/// Pairs of options that cannot both hold.
fn contradictions(args: &Args, errors: &Errors) {
    let clash = |at: Option<Span>, message: &str| {
        if let Some(at) = at {
            errors.at(at, message);
        }
    };
    if args.within.name().is_some() {
        let rules: [(&str, Option<Span>); 5] = [
            ("ttl", args.ttl.span()),
            ("min_hold", args.min_hold.span()),
            ("max_hold", args.max_hold.span()),
            ("on_lost", args.on_lost.span()),
            ("backend", args.backend.span()),
        ];
        for (option, at) in rules {
            clash(
                at,
                &format!(
                    "`{option}` contradicts `within`: the transaction's own end frees the lock, remove one of the two"
                ),
            );
        }
    }
    if let (Some(Time::Literal(min, _)), Some(Time::Literal(max, at))) =
        (args.min_hold.value(), args.max_hold.value())
        && min >= max
    {
        errors.on(at, "`max_hold` contradicts `min_hold`: it has to be the longer of the two");
    }
    if args.once.name().is_some() && args.on_error.value() == Some(&OnError::Run) {
        clash(
            args.on_error.span(),
            "`on_error = \"run\"` contradicts `once`: without the store nobody knows whether it ran before, remove one of the two",
        );
    }
    if args.returns.value() == Some(&Returns::Outcome)
        && matches!(args.on_error.value(), Some(OnError::Return | OnError::Skip))
    {
        clash(
            args.on_error.span(),
            "`on_error` contradicts `returns = \"outcome\"`: the outcome carries the error, remove one of the two",
        );
    }
}

/// Options whose other half comes with a later release: an error, never ignored. A value that cannot be used is reported
/// already.
fn not_supported_yet(args: &Args, errors: &Errors) {
    let later = [
        args.wait.usable(),
        args.max_hold.usable(),
        args.once.usable(),
        args.within.usable(),
        args.returns.usable(),
    ];
    for name in later.into_iter().flatten() {
        errors.at(name.span(), format!("`{name}` is not supported yet by this version of dlock: remove it"));
    }
}

fn missing(args: &Args, errors: &Errors) {
    let is_missing = |name: &str| !args.unreadable && !args.meant.contains(&name);
    if args.key.name().is_none() && is_missing("key") {
        errors.at(
            Span::call_site(),
            "`key` is missing: name what is protected, such as `key = \"jobs:invoice\"`",
        );
    }
    if args.ttl.name().is_none() && args.within.name().is_none() && is_missing("ttl") {
        errors.at(
            Span::call_site(),
            "`ttl` is missing: say how long the lease lives without renewal, such as `ttl = \"30s\"`",
        );
    }
}

/// `within` has to name an argument.
fn arguments(args: &Args, function: &Function, errors: &Errors) {
    let Some(within) = args.within.value() else { return };
    let arguments = function.arguments();
    if !arguments.contains(within) {
        let names: Vec<_> = arguments.iter().map(|name| format!("`{name}`")).collect();
        errors.on(within, format!("`within` names no argument: the arguments are {}", names.join(", ")));
    }
}

fn on_error(args: &Args, function: &Function, errors: &Errors) -> OnError {
    let default = if function.returns_result() { OnError::Return } else { OnError::Skip };
    let chosen = args.on_error.value().copied().unwrap_or(default);
    if chosen == OnError::Return && !function.may_return_result() {
        let message = "`on_error = \"return\"` needs a function that returns a `Result`: return one, or choose `on_error = \"skip\"`";
        match function.return_type() {
            Some(ty) => errors.on(ty, message),
            None => errors.at(args.on_error.span().unwrap_or_else(Span::call_site), message),
        }
    }
    chosen
}
