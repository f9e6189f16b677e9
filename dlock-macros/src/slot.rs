//! The place of one option: set once, and it remembers where it was named.

use proc_macro2::Span;
use syn::Ident;

use crate::errors::Errors;

/// One option of the attribute.
///
/// `name` is present as soon as the option is written, `value` only when what was written can be used. So a
/// wrong value is one mistake and not also a missing option.
pub(crate) struct Slot<T> {
    name: Option<Ident>,
    value: Option<T>,
}

impl<T> Default for Slot<T> {
    fn default() -> Self {
        Self { name: None, value: None }
    }
}

impl<T> Slot<T> {
    /// Takes the value, or reports that the option was given before.
    pub(crate) fn set(&mut self, name: &Ident, value: Option<T>, errors: &Errors) {
        if self.name.is_some() {
            errors.at(name.span(), format!("`{name}` is given twice: keep one of them"));
            return;
        }
        self.name = Some(name.clone());
        self.value = value;
    }

    /// Where the option was named, whether or not its value can be used.
    pub(crate) fn name(&self) -> Option<&Ident> {
        self.name.as_ref()
    }

    /// Where the option was named, when its value can be used.
    pub(crate) fn usable(&self) -> Option<&Ident> {
        self.name.as_ref().filter(|_| self.value.is_some())
    }

    /// Where the option was named.
    pub(crate) fn span(&self) -> Option<Span> {
        self.name.as_ref().map(Ident::span)
    }

    pub(crate) fn value(&self) -> Option<&T> {
        self.value.as_ref()
    }

    pub(crate) fn into_value(self) -> Option<T> {
        self.value
    }
}
