//! The item after a mistake: the signature that its callers expect and the body that was written, so that one mistake
//! in the attribute has no echo and editors go on working.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::{Token, Type};

use crate::boxed;
use crate::company;
use crate::errors::Errors;
use crate::expand;
use crate::function::{Body, Function};

/// The errors and the item as it was.
pub(crate) fn unchanged(errors: Errors, item: TokenStream) -> TokenStream {
    let errors = errors.into_tokens();
    quote!(#errors #item)
}

/// The errors and the item with its rewritten signature. It names nothing of the runtime: the path to it may be the mistake.
pub(crate) fn print(errors: Errors, mut function: Function) -> TokenStream {
    let errors = errors.into_tokens();
    function.attrs.retain(|attr| !company::is_in_the_way(attr));
    let attrs = function.attrs.iter().map(ToTokens::to_token_stream).collect::<TokenStream>();
    let returned = function.returned();
    let (output, inner) = (expand::wrapped(&returned), &returned.in_body);
    if function.boxed.is_none() {
        // A sync function will be async once its mistake is mended, which is how its callers will use it.
        function.sig.constness = None;
        function.sig.asyncness.get_or_insert(Token![async](Span::mixed_site()));
    }
    let Some(body) = function.body.take() else {
        let (vis, mut sig) = (&function.vis, function.sig.clone());
        if function.boxed.is_some() {
            sig = boxed::resolving_to(sig, output);
        } else {
            sig.output =
                syn::ReturnType::Type(Token![->](Span::mixed_site()), Box::new(Type::Verbatim(output)));
        }
        return quote!(#errors #attrs #vis #sig;);
    };
    let future = future(&function, inner, &body);
    let used = function.certain_arguments();
    let ran = quote_spanned! {Span::mixed_site()=>
        // What the key was meant to use is not unused.
        let _ = (#(&#used,)*);
        ::core::option::Option::Some(#future.await)
    };
    let item = expand::item(&function, attrs, output, ran, body.braces);
    quote!(#errors #item)
}

fn future(function: &Function, inner: &TokenStream, body: &Body) -> TokenStream {
    if function.boxed.is_some() {
        return expand::block(body);
    }
    let edge = quote_spanned! {Span::mixed_site()=>
        if false { return ::core::option::Option::None::<#inner>.unwrap(); }
    };
    expand::future(edge, body)
}
