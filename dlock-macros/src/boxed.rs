//! Functions that `#[async_trait]` rewrote before the attribute saw them: `Pin<Box<dyn Future<Output = T> + 'async_trait>>`.

use proc_macro2::TokenStream;
use quote::ToTokens as _;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AngleBracketedGenericArguments, AssocType, GenericArgument, GenericParam, PathArguments, ReturnType,
    Signature, Type,
};

use crate::returned::peeled;

/// The parts of such a function that the expansion needs.
pub(crate) struct Boxed {
    /// What the future resolves to.
    pub(crate) output: Type,
    /// The path of `Box` as the signature spells it.
    pub(crate) boxing: TokenStream,
}

/// Recognizes the signature by the lifetime that only `#[async_trait]` introduces.
pub(crate) fn recognize(sig: &Signature) -> Option<Boxed> {
    let is_rewritten = sig.asyncness.is_none()
        && sig.generics.params.iter().any(
            |param| matches!(param, GenericParam::Lifetime(param) if param.lifetime.ident == "async_trait"),
        );
    if !is_rewritten {
        return None;
    }
    let ReturnType::Type(_, pinned) = &sig.output else {
        return None;
    };
    let boxed = only_argument(pinned, "Pin")?;
    let Type::Path(mut boxing) = peeled(boxed).clone() else {
        return None;
    };
    boxing.path.segments.last_mut()?.arguments = PathArguments::None;
    let mut found = FindOutput(None);
    found.visit_type_mut(&mut only_argument(boxed, "Box")?.clone());
    Some(Boxed { output: found.0?, boxing: boxing.to_token_stream() })
}

/// The same signature, for a future that resolves to `output`.
pub(crate) fn resolving_to(mut sig: Signature, output: TokenStream) -> Signature {
    ReplaceOutput(Some(Type::Verbatim(output))).visit_return_type_mut(&mut sig.output);
    sig
}

/// The `T` of `name<T>`.
fn only_argument<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    let Type::Path(path) = peeled(ty) else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == name)?;
    match &last.arguments {
        PathArguments::AngleBracketed(AngleBracketedGenericArguments { args, .. }) if args.len() == 1 => {
            match args.first()? {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            }
        }
        _ => None,
    }
}

struct FindOutput(Option<Type>);

impl VisitMut for FindOutput {
    fn visit_assoc_type_mut(&mut self, assoc: &mut AssocType) {
        if self.0.is_none() && assoc.ident == "Output" {
            self.0 = Some(assoc.ty.clone());
        }
    }
}

/// Replaces the first `Output = ..`; the ones inside of it are the user's.
struct ReplaceOutput(Option<Type>);

impl VisitMut for ReplaceOutput {
    fn visit_assoc_type_mut(&mut self, assoc: &mut AssocType) {
        if assoc.ident != "Output" {
            visit_mut::visit_assoc_type_mut(self, assoc);
        } else if let Some(ty) = self.0.take() {
            assoc.ty = ty;
        }
    }
}
