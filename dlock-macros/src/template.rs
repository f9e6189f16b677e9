//! The grammar of key templates: text, `{{`, `}}` and `{argument.field:format}`. Pure: text in, pieces out.

use proc_macro2::Span;
use syn::Ident;
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;

/// A piece of a template.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// Text as it will stand in the key.
    Text(String),
    /// A value that is put in at the call.
    Hole(Hole),
}

/// `{argument.field:format}`
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Hole {
    /// The argument, without `r#`.
    pub(crate) argument: String,
    /// The fields after it, without `r#`; a number is a field of a tuple.
    pub(crate) fields: Vec<String>,
    /// What stands after the colon, empty where there is none.
    pub(crate) format: String,
}

/// Splits a template into its pieces, and says everything that is wrong with it.
pub(crate) fn parse(text: &str) -> (Vec<Piece>, Vec<String>) {
    let (mut pieces, mut mistakes) = (Vec::new(), Vec::new());
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '}']) {
        plain.push_str(&rest[..at]);
        let (brace, after) = (&rest[at..=at], &rest[at + 1..]);
        if let Some(after) = after.strip_prefix(brace) {
            plain.push_str(brace);
            rest = after;
        } else if brace == "}" {
            mistakes.push("`}` in `key` closes no hole: write `}}` for a brace in the key".to_owned());
            rest = after;
        } else {
            rest = match after.find(['{', '}']).map(|end| after.split_at(end)) {
                Some((inside, tail)) if tail.starts_with('}') => {
                    flush(&mut plain, &mut pieces);
                    match hole(inside) {
                        Ok(hole) => pieces.push(Piece::Hole(hole)),
                        Err(mistake) => mistakes.push(mistake),
                    }
                    &tail[1..]
                }
                // What comes after it cannot be told apart.
                _ => {
                    mistakes.push("`{` in `key` is not closed: write `{argument}` for a hole, or `{{` for a brace in the key".to_owned());
                    ""
                }
            };
        }
    }
    plain.push_str(rest);
    flush(&mut plain, &mut pieces);
    (pieces, mistakes)
}

fn flush(plain: &mut String, pieces: &mut Vec<Piece>) {
    if !plain.is_empty() {
        pieces.push(Piece::Text(std::mem::take(plain)));
    }
}

/// Reads what stands between the braces.
fn hole(inside: &str) -> Result<Hole, String> {
    let (path, format) = inside.split_once(':').unwrap_or((inside, ""));
    let mut parts = path.trim().split('.');
    let argument = parts.next().unwrap_or_default();
    if argument.is_empty() {
        return Err(format!(
            "the hole `{{{inside}}}` in `key` names no argument: write `{{argument}}`, or `{{{{` for a brace in the key"
        ));
    }
    let beyond = || {
        format!(
            "the hole `{{{inside}}}` in `key` is more than an argument and its fields: for anything else give `key` an expression, such as `key = format!(\"..\")`"
        )
    };
    let argument = identifier(argument).ok_or_else(beyond)?;
    let fields = parts.map(|part| field(part).ok_or_else(beyond)).collect::<Result<_, _>>()?;
    let format = format.trim_end();
    if !is_format(format) {
        return Err(format!(
            "unknown format `{format}` in the hole `{{{inside}}}` of `key`: write `{{id:08}}`, `{{kind:?}}` or another format of `format!`, with numbers for width and precision"
        ));
    }
    Ok(Hole { argument, fields, format: format.to_owned() })
}

/// A name without `r#`, or a tuple's number.
fn field(text: &str) -> Option<String> {
    let is_number = !text.is_empty() && text.len() < 5 && text.bytes().all(|b| b.is_ascii_digit());
    let is_canonical = text == "0" || !text.starts_with('0');
    if is_number { is_canonical.then(|| text.to_owned()) } else { identifier(text) }
}

/// The name as the compiler knows it (normalized), without `r#`; `None` for anything that is not one identifier. The
/// compiler's lexer is only shown what it cannot stumble over: it would report a mistake of its own.
fn identifier(text: &str) -> Option<String> {
    let name = text.strip_prefix("r#").unwrap_or(text);
    let starts = name.starts_with(|c: char| c == '_' || unicode_ident::is_xid_start(c));
    let is_word = starts && name != "_" && name.chars().all(unicode_ident::is_xid_continue);
    if !is_word || name != text && is_path_keyword(name) {
        return None;
    }
    Some(Ident::parse_any.parse_str(name).ok()?.to_string())
}

/// The identifier for a name that came out of [`identifier`], raw where it has to be.
pub(crate) fn ident(name: &str, span: Span) -> Option<Ident> {
    if is_path_keyword(name) {
        return None;
    }
    let mut ident: Ident = syn::parse_str(name).or_else(|_| syn::parse_str(&format!("r#{name}"))).ok()?;
    ident.set_span(span);
    Some(ident)
}

/// Keywords that cannot be raw identifiers.
fn is_path_keyword(name: &str) -> bool {
    matches!(name, "self" | "Self" | "super" | "crate")
}

/// `[[fill]align][sign]['#']['0'][width]['.' precision][type]` of `std::fmt`, with numbers only: a width that is
/// taken from an argument would make the key depend on more than its holes. `p` is no format of a key: an address says
/// nothing to another process.
fn is_format(format: &str) -> bool {
    let is_align = |c: Option<char>| matches!(c, Some('<' | '^' | '>'));
    let mut chars = format.chars();
    let (first, second) = (chars.clone().next(), chars.clone().nth(1));
    if is_align(second) {
        chars.nth(1);
    } else if is_align(first) {
        chars.next();
    }
    let rest = chars.as_str();
    let rest = rest.strip_prefix(['+', '-']).unwrap_or(rest);
    let rest = rest.strip_prefix('#').unwrap_or(rest);
    let (width, rest) = digits(rest);
    let (precision, kind) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => ("0", rest),
    };
    width.len() <= 4
        && (1..=4).contains(&precision.len())
        && matches!(kind, "" | "?" | "x?" | "X?" | "x" | "X" | "o" | "b" | "e" | "E")
}

fn digits(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()))
}
