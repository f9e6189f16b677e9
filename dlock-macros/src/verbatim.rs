//! Refuses expressions for a key that look like templates and are none.

use proc_macro2::{TokenStream, TokenTree};
use syn::{Expr, ExprCall, Lit, LitStr, Stmt};

use crate::errors::Errors;
use crate::options::bare;

/// A text in an expression is no template: its holes would be part of the key, the same one for every call. `format!` and
/// the macros that nobody but their author knows are left alone.
pub(crate) fn check(key: &Expr, errors: &Errors) {
    let mut texts = Vec::new();
    gather(key, &mut texts);
    for text in texts.iter().filter(|text| text.value().contains('{')) {
        errors.on(text, "a hole in an expression for `key` stays as it is: write the template as one literal, `key = \"..{argument}..\"`, or use `format!(..)`");
    }
}

/// The texts that become the key as they are.
fn gather(expr: &Expr, texts: &mut Vec<LitStr>) {
    match bare(expr) {
        Expr::Lit(lit) => texts.extend(text(&lit.lit)),
        Expr::Reference(reference) => gather(&reference.expr, texts),
        Expr::Macro(call) => match call.mac.path.segments.last() {
            Some(name) if name.ident == "concat" => gather_tokens(call.mac.tokens.clone(), texts),
            Some(name) if name.ident == "stringify" => {
                texts.push(LitStr::new(&call.mac.tokens.to_string(), name.ident.span()));
            }
            _ => {}
        },
        Expr::MethodCall(call) if call.args.is_empty() && is_conversion(&call.method.to_string()) => {
            gather(&call.receiver, texts);
        }
        Expr::Call(ExprCall { func, args, .. }) if args.len() == 1 => match bare(func) {
            Expr::Path(path)
                if path.path.segments.last().is_some_and(|last| is_conversion(&last.ident.to_string())) =>
            {
                gather(&args[0], texts);
            }
            _ => {}
        },
        Expr::Block(block) => gather_last(&block.block.stmts, texts),
        Expr::If(choice) => {
            gather_last(&choice.then_branch.stmts, texts);
            if let Some((_, otherwise)) = &choice.else_branch {
                gather(otherwise, texts);
            }
        }
        Expr::Match(choice) => choice.arms.iter().for_each(|arm| gather(&arm.body, texts)),
        _ => {}
    }
}

fn gather_last(statements: &[Stmt], texts: &mut Vec<LitStr>) {
    if let Some(Stmt::Expr(last, None)) = statements.last() {
        gather(last, texts);
    }
}

/// The texts among the arguments of `concat!`, those of a `concat!` inside of it included.
fn gather_tokens(tokens: TokenStream, texts: &mut Vec<LitStr>) {
    for token in tokens {
        match token {
            TokenTree::Group(group) => gather_tokens(group.stream(), texts),
            TokenTree::Literal(literal) => texts.extend(text(&Lit::new(literal))),
            _ => {}
        }
    }
}

fn text(literal: &Lit) -> Option<LitStr> {
    if let Lit::Str(text) = literal { Some(text.clone()) } else { None }
}

/// Methods and functions that make a key of a text without a change.
fn is_conversion(name: &str) -> bool {
    matches!(name, "from" | "into" | "new" | "to_owned" | "to_string")
}
