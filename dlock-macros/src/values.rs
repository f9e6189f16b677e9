//! Reads the value of one option, and says how to write it where it cannot be read.

use quote::ToTokens as _;
use syn::{Expr, Ident, LitStr, Path};

use crate::args::{Key, Time};
use crate::duration;
use crate::errors::Errors;
use crate::names;
use crate::options::{Given, Value};
use crate::verbatim;

pub(crate) fn key(given: &Given, errors: &Errors) -> Option<Key> {
    match given.expr(errors)? {
        Value::Text(text) => Some(Key::Template(text)),
        Value::Expr(expr) => {
            verbatim::check(&expr, errors);
            Some(Key::Expr(expr))
        }
        Value::OtherLiteral(literal) => {
            errors.on(&literal, "`key` must be a string such as \"jobs:invoice\", or an expression that converts into a `Key`");
            None
        }
    }
}

pub(crate) fn time(given: &Given, min_ms: u64, errors: &Errors) -> Option<Time> {
    time_of(given, given.expr(errors)?, min_ms, errors)
}

fn time_of(given: &Given, value: Value, min_ms: u64, errors: &Errors) -> Option<Time> {
    let name = given.name.to_string();
    match value {
        Value::Text(text) => match duration::parse(&name, &text.value(), min_ms) {
            Ok(ms) => Some(Time::Literal(ms, text)),
            Err(message) => {
                errors.on(&text, message);
                None
            }
        },
        Value::Expr(expr) => Some(Time::Expr(expr)),
        Value::OtherLiteral(literal) => {
            let written = literal.to_token_stream().to_string().replace(' ', "");
            errors.on(&literal, duration::unquoted(&name, &written));
            None
        }
    }
}

pub(crate) fn wait(given: &Given, errors: &Errors) -> Option<Option<Time>> {
    match given.expr(errors)? {
        Value::Text(text) if text.value() == "forever" => Some(None),
        value => time_of(given, value, duration::MIN_MS, errors).map(Some),
    }
}

pub(crate) fn once(given: &Given, errors: &Errors) -> Option<Option<Time>> {
    if given.is_flag() { Some(None) } else { time(given, duration::MIN_LEASE_MS, errors).map(Some) }
}

pub(crate) fn backend(given: &Given, errors: &Errors) -> Option<LitStr> {
    let text = text(given, errors)?;
    if text.value().is_empty() {
        errors.on(
            &text,
            "`backend` is empty: write the name that a backend was registered under, such as \"db\"",
        );
        return None;
    }
    Some(text)
}

/// A value that has to be a string.
fn text(given: &Given, errors: &Errors) -> Option<LitStr> {
    let expr = match given.expr(errors)? {
        Value::Text(text) => return Some(text),
        Value::Expr(expr) | Value::OtherLiteral(expr) => expr,
    };
    errors.on(&expr, format!("`{}` must be a string: write `{}`", given.name, names::example(&given.name)));
    None
}

/// One of a few words.
pub(crate) fn choice<T: Copy>(given: &Given, choices: &[(&str, T)], errors: &Errors) -> Option<T> {
    let text = text(given, errors)?;
    let found = choices.iter().find(|(word, _)| *word == text.value());
    if found.is_none() {
        let words: Vec<_> = choices.iter().map(|(word, _)| format!("\"{word}\"")).collect();
        errors.on(&text, format!("`{}` must be one of {}", given.name, words.join(", ")));
    }
    found.map(|(_, choice)| *choice)
}

pub(crate) fn within(given: &Given, errors: &Errors) -> Option<Ident> {
    match given.expr(errors)? {
        Value::Expr(Expr::Path(path)) if path.path.get_ident().is_some() => path.path.get_ident().cloned(),
        Value::Expr(expr) | Value::OtherLiteral(expr) => {
            errors.on(&expr, "`within` must be the name of an argument: write `within = tx`");
            None
        }
        Value::Text(text) => {
            errors.on(
                &text,
                format!(
                    "`within` must be the name of an argument, without quotes: write `within = {}`",
                    text.value()
                ),
            );
            None
        }
    }
}

pub(crate) fn runtime(given: &Given, errors: &Errors) -> Option<Path> {
    let (written, advice): (Expr, String) = match given.expr(errors)? {
        Value::Expr(Expr::Path(path)) if path.qself.is_none() => return Some(path.path),
        Value::Expr(expr) | Value::OtherLiteral(expr) => (expr, "::dlock_runtime".to_owned()),
        Value::Text(text) => {
            let advice = text.value();
            (syn::parse_quote!(#text), advice)
        }
    };
    errors.on(&written, format!("`crate` must be a path, without quotes: write `crate = {advice}`"));
    None
}
