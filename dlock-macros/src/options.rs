//! Tells the `name = value` pairs of the attribute apart, so that one broken pair hides no other mistake.

use proc_macro2::{TokenStream, TokenTree};
use syn::ext::IdentExt as _;
use syn::parse::discouraged::Speculative as _;
use syn::parse::{ParseStream, Parser as _};
use syn::{Error, Expr, Ident, Lit, LitStr, Stmt, Token, UnOp};

use crate::errors::Errors;
use crate::names::{self, example, needs_value};

/// The attribute, split into its options.
pub(crate) struct List {
    pub(crate) given: Vec<Given>,
    pub(crate) unreadable: bool,
}

/// One option as it was written.
pub(crate) struct Given {
    pub(crate) name: Ident,
    value: Option<Expr>,
}

/// What kind of a value it is.
pub(crate) enum Value {
    Text(LitStr),
    /// A literal that is no string, with its sign.
    OtherLiteral(Expr),
    Expr(Expr),
}

impl Given {
    /// Written without a value.
    pub(crate) fn is_flag(&self) -> bool {
        self.value.is_none()
    }

    /// The value; an option without one is a mistake.
    pub(crate) fn expr(&self, errors: &Errors) -> Option<Value> {
        let Some(expr) = &self.value else {
            errors.at(self.name.span(), needs_value(&self.name));
            return None;
        };
        let expr = bare(expr);
        Some(match literal(expr) {
            Some(Lit::Str(text)) if !text.suffix().is_empty() => {
                errors.on(text, format!("a suffix on a string means nothing: remove `{}`", text.suffix()));
                return None;
            }
            Some(Lit::Str(text)) => Value::Text(text.clone()),
            Some(_) => Value::OtherLiteral(expr.clone()),
            None => Value::Expr(expr.clone()),
        })
    }
}

/// Splits the attribute's tokens into options. A pair that cannot be read is reported, and reading goes on after it.
pub(crate) fn split(tokens: TokenStream, errors: &Errors) -> List {
    let mut list = List { given: Vec::new(), unreadable: false };
    let parser = |input: ParseStream<'_>| {
        while !input.is_empty() {
            let fork = input.fork();
            match option(&fork) {
                Ok(given) => {
                    input.advance_to(&fork);
                    list.given.push(given);
                }
                Err(error) => {
                    list.unreadable = true;
                    errors.add(error);
                    skip_to_comma(input)?;
                }
            }
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
            } else if !input.is_empty() {
                errors.at(input.span(), "expected `,` between two options");
                if !input.peek(Ident::peek_any) {
                    list.unreadable = true;
                    skip_to_comma(input)?;
                    input.parse::<Option<Token![,]>>()?;
                }
            }
        }
        Ok(())
    };
    if let Err(error) = parser.parse2(tokens) {
        list.unreadable = true;
        if errors.is_empty() {
            errors.add(error);
        }
    }
    list
}

fn skip_to_comma(input: ParseStream<'_>) -> syn::Result<()> {
    while !input.is_empty() && !input.peek(Token![,]) {
        input.parse::<TokenTree>()?;
    }
    Ok(())
}

/// `name`, or `name = value`
fn option(input: ParseStream<'_>) -> syn::Result<Given> {
    if input.peek(Lit) {
        let lit: Lit = input.parse()?;
        return Err(Error::new(lit.span(), "a value without a name: write `key = \"..\", ttl = \"30s\"`"));
    }
    let name = Ident::parse_any(input)
        .map_err(|error| Error::new(error.span(), format!("expected an option: {}", names::all())))?;
    if input.is_empty() || input.peek(Token![,]) {
        return Ok(Given { name, value: None });
    }
    if !input.peek(Token![=]) || input.peek(Token![==]) || input.peek(Token![=>]) {
        return Err(input.error(format!("expected `=` after `{name}`: write `{}`", example(&name))));
    }
    input.parse::<Token![=]>()?;
    if input.is_empty() || input.peek(Token![,]) {
        return Err(Error::new(name.span(), needs_value(&name)));
    }
    let value = input.parse().map_err(|error: Error| {
        Error::new(
            error.span(),
            format!("the value of `{name}` cannot be read ({error}): write `{}`", example(&name)),
        )
    })?;
    Ok(Given { name, value: Some(value) })
}

/// A value without what means nothing around all of it: parentheses, a block that holds nothing else, and the invisible
/// groups that `macro_rules!` puts around `$x:expr`. So `key = ("jobs:{id}")` is the template that it looks like.
pub(crate) fn bare(expr: &Expr) -> &Expr {
    match expr {
        Expr::Group(group) => bare(&group.expr),
        Expr::Paren(paren) if paren.attrs.is_empty() => bare(&paren.expr),
        Expr::Block(block) if block.attrs.is_empty() && block.label.is_none() => {
            match block.block.stmts.as_slice() {
                [Stmt::Expr(only, None)] => bare(only),
                _ => expr,
            }
        }
        _ => expr,
    }
}

/// Whether an expression is a literal, with a sign or without.
fn literal(expr: &Expr) -> Option<&Lit> {
    match expr {
        Expr::Lit(lit) => Some(&lit.lit),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            literal(bare(&unary.expr)).filter(|lit| !matches!(lit, Lit::Str(_)))
        }
        _ => None,
    }
}
