//! Prints what the runtime has to know for one call.

use proc_macro2::{Literal, Span, TokenStream};
use quote::{ToTokens as _, TokenStreamExt as _, quote_spanned};
use syn::LitStr;

use crate::args::{OnLost, Time};
use crate::check::{Plan, PlannedKey};
use crate::expand::located;

/// What the runtime needs to know, built from the arguments before the body takes them.
pub(crate) fn spec(plan: &Plan, private: &TokenStream) -> TokenStream {
    let (template, key) = match &plan.key {
        PlannedKey::Template(template) => {
            let at = located(template.written.span());
            let written = LitStr::new(&template.written.value(), at);
            let format = LitStr::new(&template.format, at);
            let values = &template.values;
            let text = quote_spanned!(at=> (#format #(, #values)*));
            let text = quote_spanned!(Span::mixed_site()=> ::core::format_args! #text);
            let key = quote_spanned!(at=> #private::key(#text));
            (written, key)
        }
        PlannedKey::Expr(expr) => {
            let written = LitStr::new(&expr.to_token_stream().to_string(), Span::mixed_site());
            (written, quote_spanned!(Span::mixed_site()=> #private::into_key(#expr)))
        }
    };
    let ttl = duration(&plan.ttl);
    let mut spec = quote_spanned!(Span::mixed_site()=> #private::Spec::new(#template, #key, #ttl));
    if let Some(min_hold) = &plan.min_hold {
        let min_hold = duration(min_hold);
        spec.append_all(quote_spanned!(Span::mixed_site()=> .min_hold(#min_hold)));
    }
    if let Some(backend) = &plan.backend {
        spec.append_all(quote_spanned!(Span::mixed_site()=> .backend(#backend)));
    }
    if plan.on_lost == OnLost::Continue {
        spec.append_all(quote_spanned!(Span::mixed_site()=> .keep_when_lost()));
    }
    spec
}

fn duration(time: &Time) -> TokenStream {
    match time {
        Time::Literal(ms, _) => {
            let ms = Literal::u64_unsuffixed(*ms);
            quote_spanned!(Span::mixed_site()=> ::core::time::Duration::from_millis(#ms))
        }
        Time::Expr(expr) => expr.to_token_stream(),
    }
}
