//! What the body returns, in every way that the expansion has to name it.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens as _, quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::visit_mut::{self, VisitMut};
use syn::{ReturnType, Token, Type};

use crate::function::Function;

/// Types that everybody knows, and that are no `Result`.
const NO_RESULTS: [&str; 21] = [
    "bool",
    "char",
    "f32",
    "f64",
    "i8",
    "i16",
    "i32",
    "i64",
    "i128",
    "isize",
    "u8",
    "u16",
    "u32",
    "u64",
    "u128",
    "usize",
    "str",
    "String",
    "Vec",
    "Option",
    "Infallible",
];

/// The return type.
pub(crate) struct Returned {
    /// In the signature.
    pub(crate) in_signature: TokenStream,
    /// In expressions, where an `impl Trait` has to be left to inference.
    pub(crate) in_body: TokenStream,
    /// Where generated types that wrap it are located: from here
    pub(crate) from: Span,
    /// to here.
    pub(crate) to: Span,
}

impl Function {
    /// The type that the body returns; `None` where none is written.
    pub(crate) fn return_type(&self) -> Option<&Type> {
        match (&self.boxed, &self.sig.output) {
            (Some(boxed), _) => Some(&boxed.output),
            (None, ReturnType::Type(_, ty)) => Some(ty),
            (None, ReturnType::Default) => None,
        }
    }

    /// The return type, where `Infallible` stands in for `!`.
    pub(crate) fn returned(&self) -> Returned {
        let Some(ty) = self.return_type() else {
            let at = self.sig.paren_token.span.close();
            let unit = quote!(());
            return Returned { in_signature: unit.clone(), in_body: unit, from: at, to: at };
        };
        let spans: Vec<Span> = ty.to_token_stream().into_iter().map(|token| token.span()).collect();
        let first = spans.first().copied().unwrap_or_else(|| ty.span());
        let last = spans.last().copied().unwrap_or(first);
        if self.never_returns() {
            let infallible = quote_spanned!(Span::mixed_site()=> ::core::convert::Infallible);
            return Returned { in_signature: infallible.clone(), in_body: infallible, from: first, to: last };
        }
        let mut inferred = ty.clone();
        InferImplTrait.visit_type_mut(&mut inferred);
        Returned {
            in_signature: ty.to_token_stream(),
            in_body: inferred.to_token_stream(),
            from: first,
            to: last,
        }
    }

    /// Whether the return type is spelled `Result<..>`, whatever path stands before it.
    pub(crate) fn returns_result(&self) -> bool {
        let Some(Type::Path(path)) = self.return_type().map(peeled) else {
            return false;
        };
        path.path.segments.last().is_some_and(|last| last.ident == "Result" && !last.arguments.is_none())
    }

    /// Whether the return type is spelled `Result`, with arguments or without.
    pub(crate) fn spells_result(&self) -> bool {
        self.return_type_name().is_some_and(|name| name == "Result")
    }

    /// Whether the return type can be a `Result`, under this name or an alias.
    pub(crate) fn may_return_result(&self) -> bool {
        match self.return_type().map(peeled) {
            Some(Type::Path(_)) => {
                !self.return_type_name().is_some_and(|name| NO_RESULTS.contains(&name.as_str()))
            }
            Some(Type::Macro(_) | Type::Verbatim(_)) => true,
            _ => false,
        }
    }

    fn return_type_name(&self) -> Option<String> {
        let Some(Type::Path(path)) = self.return_type().map(peeled) else {
            return None;
        };
        path.path.segments.last().map(|last| last.ident.to_string())
    }

    /// Whether the return type is `!`.
    pub(crate) fn never_returns(&self) -> bool {
        matches!(self.return_type().map(peeled), Some(Type::Never(_)))
    }
}

/// A type without the parentheses and the invisible groups around it.
pub(crate) fn peeled(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => peeled(&group.elem),
        Type::Paren(paren) => peeled(&paren.elem),
        other => other,
    }
}

struct InferImplTrait;

impl VisitMut for InferImplTrait {
    fn visit_type_mut(&mut self, ty: &mut Type) {
        if let Type::ImplTrait(opaque) = ty {
            *ty =
                Type::Infer(syn::TypeInfer { attrs: Vec::new(), underscore_token: Token![_](opaque.span()) });
        } else {
            visit_mut::visit_type_mut(self, ty);
        }
    }
}
