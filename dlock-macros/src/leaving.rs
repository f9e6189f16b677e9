//! Refuses option values that could leave the function.

use syn::visit_mut::{self, VisitMut};
use syn::{Expr, Item};

use crate::args::{Args, Key, Time};
use crate::errors::Errors;

/// An expression that can leave the function would make it return `None` with no reason that anybody sees.
pub(crate) fn check(args: &Args, errors: &Errors) {
    if let Some(Key::Expr(expr)) = args.key.value() {
        Leaving { option: "key", errors }.visit_expr_mut(&mut expr.clone());
    }
    for (option, slot) in [("ttl", &args.ttl), ("min_hold", &args.min_hold)] {
        if let Some(Time::Expr(expr)) = slot.value() {
            Leaving { option, errors }.visit_expr_mut(&mut expr.clone());
        }
    }
}

struct Leaving<'e> {
    option: &'static str,
    errors: &'e Errors,
}

impl VisitMut for Leaving<'_> {
    fn visit_expr_mut(&mut self, expr: &mut Expr) {
        let (span, what) = match expr {
            Expr::Try(attempt) => (attempt.question_token.span, "?"),
            Expr::Return(leave) => (leave.return_token.span, "return"),
            // These have a way out of their own.
            Expr::Closure(_) | Expr::Async(_) => return,
            _ => return visit_mut::visit_expr_mut(self, expr),
        };
        let option = self.option;
        self.errors.at(span, format!("`{what}` in `{option}` would leave the function as if another process had the lock: handle the error before, or take the value as an argument"));
    }

    fn visit_item_mut(&mut self, _: &mut Item) {}
}
