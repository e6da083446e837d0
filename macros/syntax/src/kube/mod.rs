//! kube's custom resources: `#[derive(CustomResource)]` with `#[kube(…)]` on the spec.
//!
//! kube's derive generates the root type. This module checks the keys in `#[kube(…)]` and
//! translates them into keys of `#[genclient]` and `#[crd(…)]`.

mod key;
mod keys;
mod lists;

use proc_macro2::Ident;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Fields, Path, Token};

use crate::foreign::{ForeignAttr, parts, unconditional};
use crate::keys::Keys;
use crate::resource::{ResourceInput, check_once};
use crate::table::{Key, Within};
use crate::{Flag, Place, Problems, ResourceAttrs, SchemaAttrs, SchemaMode, Spanned, TypeRef};

/// A kind whose root type kube generates from the spec.
#[derive(Clone, Debug)]
pub struct KubeAttrs {
    /// The kind. Its `ident` is the name of the root type, with the span of the spec's name.
    pub resource: ResourceAttrs,
    /// Description of the root type.
    pub doc: Option<Spanned<String>>,
    /// Type of the status.
    pub status: Option<Spanned<TypeRef>>,
    /// The spec's fields are at the root of the object, not below `spec`.
    pub no_spec: Flag,
    /// Source of the schema.
    pub schema: SchemaMode,
    /// `storage`, if stated. Without it, kube makes the version the storage version.
    pub storage: Option<Spanned<bool>>,
    /// Set at a `scale` that kube omits because there is no status.
    pub dropped_scale: Flag,
}

/// Returns whether the item has `#[kube(…)]`, directly or inside `cfg_attr`.
pub fn is_kube(attrs: &[Attribute]) -> bool {
    let may_be =
        |attr: &Attribute| ForeignAttr::KUBE.names(attr) || ForeignAttr::CFG_ATTR.names(attr);
    attrs.iter().any(may_be)
        && unconditional(attrs)
            .iter()
            .any(|attr| ForeignAttr::KUBE.names(attr))
}

/// Returns whether the item derives `name`, in any path form, directly or inside `cfg_attr`.
pub fn derives(attrs: &[Attribute], name: &str) -> bool {
    let parser = Punctuated::<Path, Token![,]>::parse_terminated;
    unconditional(attrs)
        .iter()
        .filter(|attr| attr.path().is_ident("derive"))
        .filter_map(|attr| attr.parse_args_with(parser).ok())
        .flatten()
        .any(|path| path.segments.last().is_some_and(|last| last.ident == name))
}

/// Returns whether `#[serde(crate = "…")]`, directly or inside `cfg_attr`, names another crate than
/// `serde` for the code of serde's derives.
pub fn has_serde_crate(attrs: &[Attribute]) -> bool {
    parts(&unconditional(attrs), ForeignAttr::SERDE)
        .iter()
        .any(|part| part.path().is_ident("crate"))
}

impl KubeAttrs {
    /// Reads and checks a spec. `fields` is `None` if the spec is not a struct.
    ///
    /// Every error goes to `problems`. Returns `None` without `#[kube(…)]`, after a syntax error in
    /// it, or if group, version or kind is missing or not a string.
    pub fn parse(
        attrs: &[Attribute],
        ident: &Ident,
        fields: Option<&Fields>,
        problems: &mut Problems,
    ) -> Option<Self> {
        let attrs = unconditional(attrs);
        let span = attrs
            .iter()
            .find(|attr| ForeignAttr::KUBE.names(attr))?
            .path()
            .span();
        let read = keys::read(&attrs, span, problems)?;
        if *ident == read.root {
            let message = format!("kube's derive defines another struct `{ident}`");
            let help = match ident.to_string().strip_suffix("Spec") {
                Some(kind) if !kind.is_empty() => format!("write `kind = \"{kind}\"`"),
                _ => format!("rename this struct, for example to `{ident}Spec`"),
            };
            problems.report(ident.span(), message, help);
            return None;
        }
        check_no_spec(read.no_spec, ident, fields, problems);
        let genclient = genclient(&attrs, &read, problems);
        // An invalid name has been reported. The name of the spec replaces it.
        let mut root = syn::parse_str(&read.root).unwrap_or_else(|_| ident.clone());
        root.set_span(ident.span());
        let input = ResourceInput {
            ident: &root,
            attrs: &attrs,
            span,
            genclient: &genclient,
            crd: &read.crd,
            has_spec: !read.no_spec.is_set(),
            has_status: read.status.is_some(),
        };
        let resource = input.read(problems)?;
        let schema = SchemaAttrs {
            validations: read.validations,
            ..SchemaAttrs::default()
        };
        Some(Self {
            resource: ResourceAttrs { schema, ..resource },
            doc: read.doc,
            status: read.status,
            no_spec: read.no_spec,
            schema: read.schema,
            storage: read.storage,
            dropped_scale: read.dropped_scale,
        })
    }
}

/// Returns the options of a `#[genclient(…)]` on the same item, with group, version and kind of
/// `#[kube(…)]`.
fn genclient(attrs: &[Attribute], read: &keys::KubeKeys, problems: &mut Problems) -> Keys {
    let mut genclient = Keys::read(attrs, Within::Genclient, &Place::resource(), problems);
    let separate = Key::GVK.map(|key| {
        let mut attrs = attrs.iter().filter(|attr| attr.path().is_ident(&key));
        attrs.next().map(|attr| (key, attr.path().span()))
    });
    let listed = [Key::GROUP, Key::VERSION, Key::KIND, Key::NON_NAMESPACED]
        .map(|key| genclient.get(key).map(|found| (key, found.span)));
    for (key, span) in separate.into_iter().chain(listed).flatten() {
        problems.report(
            span,
            format!("`{key}` is already set by `#[kube(..)]`"),
            "remove it",
        );
    }
    check_once(attrs, problems);
    for name in read.names.iter() {
        genclient.push(name.clone());
    }
    genclient
}

/// Reports a `no_spec` type without named fields, and fields that conflict with those of the root
/// type.
fn check_no_spec(no_spec: Flag, ident: &Ident, fields: Option<&Fields>, problems: &mut Problems) {
    if !no_spec.is_set() {
        return;
    }
    let Some(Fields::Named(fields)) = fields else {
        let help = "give it named fields, or remove `no_spec`";
        problems.report(
            ident.span(),
            "`no_spec` needs a struct with named fields",
            help,
        );
        return;
    };
    for ident in fields.named.iter().filter_map(|field| field.ident.as_ref()) {
        let taken = ["api_version", "kind", "metadata", "status"];
        if taken.iter().any(|name| ident == name) {
            problems.report(
                ident.span(),
                format!("`{ident}` conflicts with a field of the root object"),
                "rename the field, or remove `no_spec`",
            );
        }
    }
}

/// Returns the name of every key that `#[kube(…)]` accepts.
pub fn kube_keys() -> impl Iterator<Item = &'static str> {
    key::KubeKey::ALL.iter().map(|key| key.as_str())
}
