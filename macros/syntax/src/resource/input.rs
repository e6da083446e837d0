//! Input for reading a served type, from `#[genclient]` or from `#[kube]`.

use proc_macro2::{Ident, Span};

use crate::keys::Keys;

/// The keys of a served type, from `#[genclient]` or from `#[kube]`.
pub(crate) struct ResourceInput<'a> {
    /// Name of the type.
    pub(crate) ident: &'a Ident,
    /// The attributes that contain the keys.
    pub(crate) attrs: &'a [syn::Attribute],
    /// Span of the attribute that makes it a served type.
    pub(crate) span: Span,
    pub(crate) genclient: &'a Keys,
    pub(crate) crd: &'a Keys,
    pub(crate) has_spec: bool,
    pub(crate) has_status: bool,
}
