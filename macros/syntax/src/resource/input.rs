//! Input of a served type's reader, from `#[genclient]` or from `#[kube]`.

use proc_macro2::{Ident, Span};

use crate::keys::Keys;

/// The keys of a served type, of `#[genclient]` or of `#[kube]`.
pub(crate) struct ResourceInput<'a> {
    /// What the type is called.
    pub(crate) ident: &'a Ident,
    /// The attributes that the keys were found in.
    pub(crate) attrs: &'a [syn::Attribute],
    /// The attribute that makes it a served type.
    pub(crate) span: Span,
    pub(crate) genclient: &'a Keys,
    pub(crate) crd: &'a Keys,
    pub(crate) has_spec: bool,
    pub(crate) has_status: bool,
}
