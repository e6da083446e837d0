//! Names of a kind, from `#[genclient]`, `#[group]`, `#[version]`, `#[kind]` and `#[crd(…)]`, and
//! checks of the struct that declares it.

use heck::ToUpperCamelCase;
use proc_macro2::{Ident, Span};
use syn::spanned::Spanned as _;
use syn::{Fields, Type};

use crate::foreign::ForeignAttr;
use crate::keys::{self, Keys};
use crate::names::{is_kind, pluralize};
use crate::serde::{self, SerdeKey};
use crate::table::Key;
use crate::{Help, Problems, Scope, Spanned, dns, item};

pub(super) struct Identity {
    pub(super) group: Spanned<String>,
    pub(super) version: Option<Spanned<String>>,
    pub(super) kind: Spanned<String>,
    pub(super) scope: Scope,
    pub(super) plural: Spanned<String>,
    pub(super) singular: Spanned<String>,
    pub(super) short_names: Vec<Spanned<String>>,
    pub(super) categories: Vec<Spanned<String>>,
}

/// Adds `#[group]`, `#[version]` and `#[kind]` to the keys of `#[genclient(…)]`.
pub(super) fn read_gvk_attributes(
    attrs: &[syn::Attribute],
    genclient: &mut Keys,
    problems: &mut Problems,
) {
    for attr in attrs {
        if let Some((meant, problem)) = keys::misspelt_kind_attribute(attr) {
            genclient.fail(meant);
            problems.push(problem);
        }
        for key in Key::GVK.into_iter().filter(|key| attr.path().is_ident(key)) {
            match keys::read_item(attr, key) {
                Ok(found) => match genclient.get(key).map(|first| first.span) {
                    None => genclient.push(found),
                    first => {
                        problems.push(keys::duplicate_problem(key, found.span).with_earlier(first))
                    }
                },
                Err(problem) => problems.push(problem),
            }
        }
    }
}

/// Reads and checks the whole identity. Returns `None` without a group.
pub(super) fn read_identity(
    input: &ResourceInput<'_>,
    problems: &mut Problems,
) -> Option<Identity> {
    let (genclient, crd) = (input.genclient, input.crd);
    let kind = read_kind(input.ident, genclient, problems);
    let lower = kind.clone().map(|kind| kind.to_lowercase());
    let plural = read_label(Key::PLURAL, crd, problems)
        .unwrap_or_else(|| lower.clone().map(|kind| pluralize(&kind)));
    let singular = read_label(Key::SINGULAR, crd, problems).unwrap_or(lower);
    let version = read_version(genclient, problems);
    let scope = read_scope(genclient, crd, problems);
    let short_names = read_labels(Key::SHORT_NAMES, crd, problems);
    let categories = read_labels(Key::CATEGORIES, crd, problems);
    let group = read_group(input, problems)?;
    Some(Identity {
        group,
        version,
        kind,
        scope,
        plural,
        singular,
        short_names,
        categories,
    })
}

fn read_group(input: &ResourceInput<'_>, problems: &mut Problems) -> Option<Spanned<String>> {
    let genclient = input.genclient;
    let Some(group) = genclient.text(Key::GROUP) else {
        let mentioned = genclient.mentions(Key::GROUP)
            || input
                .attrs
                .iter()
                .any(|attr| attr.path().is_ident(&Key::GROUP));
        if !mentioned {
            let help = "add `#[group = \"example.com\"]` below `#[genclient]`";
            problems.report(input.span, "a kind needs an API group", help);
        }
        return None;
    };
    let name = &group.value;
    if !name.is_empty() && !dns::is_subdomain(name) {
        let sample = "write a domain in lower case, for example `\"example.com\"`";
        let help = dns::suggest_lower_case(name, dns::is_subdomain, sample);
        problems.report(group.span, format!("invalid API group `{name}`"), help);
    } else if !name.contains('.') && !genclient.mentions(Key::SKIP_CRD) {
        let example = if name.is_empty() {
            "example.com".to_owned()
        } else {
            format!("{name}.example.com")
        };
        let help = format!(
            "write `\"{example}\"`, or add `#[genclient(skip_crd)]` if another project owns the CRD"
        );
        problems.report(group.span, "the group of a CRD must contain a dot", help);
    }
    Some(group)
}

fn read_version(genclient: &Keys, problems: &mut Problems) -> Option<Spanned<String>> {
    let version = genclient.text(Key::VERSION)?;
    if !dns::is_label(&version.value) {
        let sample = "write lower-case letters and digits, for example `\"v1beta1\"`";
        let help = dns::suggest_lower_case(&version.value, dns::is_label, sample);
        problems.report(
            version.span,
            format!("invalid API version `{}`", version.value),
            help,
        );
    }
    Some(version)
}

fn read_kind(ident: &Ident, genclient: &Keys, problems: &mut Problems) -> Spanned<String> {
    let stated = genclient.text(Key::KIND);
    let quote = if stated.is_some() { "\"" } else { "" };
    let name = || ident.to_string().trim_start_matches("r#").to_owned();
    let kind = stated.unwrap_or_else(|| Spanned::new(name(), ident.span()));
    if !is_kind(&kind.value) {
        let meant = kind.value.to_upper_camel_case();
        let meant = if is_kind(&meant) { &meant } else { "GPUTask" };
        let help = format!(
            "write letters and digits, starting with a capital letter: `{quote}{meant}{quote}`"
        );
        problems.report(kind.span, format!("invalid kind `{}`", kind.value), help);
    }
    kind
}

fn read_scope(genclient: &Keys, crd: &Keys, problems: &mut Problems) -> Scope {
    let written = crd.value(Key::SCOPE, Scope::from_name);
    if genclient.get(Key::NON_NAMESPACED).is_none() {
        return written.map_or(Scope::Namespaced, |scope| scope.value);
    }
    if let Some(scope) = written.filter(|scope| scope.value == Scope::Namespaced) {
        let message = "`scope = \"Namespaced\"` cannot be combined with `non_namespaced`";
        problems.report(scope.span, message, "keep one of them");
    }
    Scope::Cluster
}

fn read_label(key: Key, crd: &Keys, problems: &mut Problems) -> Option<Spanned<String>> {
    let label = crd.text(key)?;
    check_label(key, &label, &[], problems);
    Some(label)
}

fn read_labels(key: Key, crd: &Keys, problems: &mut Problems) -> Vec<Spanned<String>> {
    let labels = crd.texts(key);
    for label in &labels {
        check_label(key, label, &labels, problems);
    }
    labels
}

fn check_label(
    key: Key,
    label: &Spanned<String>,
    all: &[Spanned<String>],
    problems: &mut Problems,
) {
    if dns::is_label(&label.value) {
        return;
    }
    let lower = label.value.to_lowercase();
    let is_there = all.iter().any(|label| label.value == lower);
    let help = if is_there && lower != label.value {
        Help::remove("remove it")
    } else {
        let rule = "use lower-case letters, digits and `-`, starting with a letter";
        dns::suggest_lower_case(&label.value, dns::is_label, rule)
    };
    problems.report(
        label.span,
        format!("invalid name `{}` in `{key}`", label.value),
        help,
    );
}

/// The keys of a kind, from its own attributes or from `#[kube(…)]`.
pub(crate) struct ResourceInput<'a> {
    /// Name of the type.
    pub(crate) ident: &'a Ident,
    /// The attributes that contain the keys.
    pub(crate) attrs: &'a [syn::Attribute],
    /// Span of the attribute that makes the type a kind.
    pub(crate) span: Span,
    pub(crate) genclient: &'a Keys,
    pub(crate) crd: &'a Keys,
    pub(crate) has_spec: bool,
    pub(crate) has_status: bool,
}

/// Reports errors in the struct, such as a missing field `metadata`.
pub(super) fn check_struct(item: &syn::ItemStruct, problems: &mut Problems) {
    item::check_conditional(&item.attrs, problems);
    check_container(&item.attrs, problems);
    if let Some(generic) = item.generics.params.first() {
        problems.report(
            generic.span(),
            "a kind must not have generic parameters",
            "write one struct for each kind",
        );
    }
    match &item.fields {
        Fields::Named(_) => check_metadata(item, problems),
        _ => {
            let name = &item.ident;
            let help =
                format!("write `struct {name} {{ pub metadata: ObjectMeta, pub spec: .. }}`");
            problems.report(
                item.ident.span(),
                "a kind must be a struct with named fields",
                help,
            );
        }
    }
    for field in &item.fields {
        check_reserved(field, problems);
    }
}

fn check_metadata(item: &syn::ItemStruct, problems: &mut Problems) {
    let metadata = item.fields.iter().find(|field| {
        field
            .ident
            .as_ref()
            .is_some_and(|ident| ident == "metadata")
    });
    let Some(metadata) = metadata else {
        let help = "add `pub metadata: ObjectMeta,`";
        problems.report(item.ident.span(), "a kind needs a field `metadata`", help);
        return;
    };
    if !is_object_meta(&metadata.ty) {
        problems.report(
            metadata.ty.span(),
            "`metadata` must have the type `ObjectMeta`",
            "write `pub metadata: ObjectMeta,`",
        );
    }
    let changing = [
        SerdeKey::RENAME,
        SerdeKey::FLATTEN,
        SerdeKey::SKIP,
        SerdeKey::SKIP_SERIALIZING,
        SerdeKey::SKIP_DESERIALIZING,
    ];
    for piece in serde::attribute_pieces(&metadata.attrs, ForeignAttr::SERDE)
        .filter(|piece| piece.is_one_of(&changing))
    {
        let message = format!("`{}` is not allowed on `metadata`", piece.key);
        problems.report(piece.span(), message, Help::remove("remove it"));
    }
}

fn is_object_meta(ty: &Type) -> bool {
    match ty {
        Type::Path(path) => path
            .path
            .segments
            .last()
            .is_some_and(|last| last.ident == "ObjectMeta"),
        Type::Group(inner) => is_object_meta(&inner.elem),
        Type::Paren(inner) => is_object_meta(&inner.elem),
        _ => false,
    }
}

/// Reports a field named `apiVersion` or `kind`. The macro adds both.
fn check_reserved(field: &syn::Field, problems: &mut Problems) {
    let Some(ident) = &field.ident else { return };
    let mut renames = serde::attribute_pieces(&field.attrs, ForeignAttr::SERDE)
        .filter(|piece| piece.key == SerdeKey::RENAME);
    let renamed = renames.find_map(|piece| Some((piece.text()?, piece.span())));
    let written = || {
        (
            ident.to_string().trim_start_matches("r#").to_owned(),
            ident.span(),
        )
    };
    let (name, span) = renamed.unwrap_or_else(written);
    if ["apiVersion", "api_version", "kind"].contains(&name.as_str()) {
        let help = "remove the field: `kube::Resource` returns the value";
        problems.report(
            span,
            format!("`{name}` conflicts with a field that `#[genclient]` adds"),
            help,
        );
    }
}

/// Reports serde attributes that conflict with the serialization that the macro generates.
fn check_container(attrs: &[syn::Attribute], problems: &mut Problems) {
    const IMPOSSIBLE: &[SerdeKey] = &[
        SerdeKey::FROM,
        SerdeKey::TRY_FROM,
        SerdeKey::INTO,
        SerdeKey::TRANSPARENT,
        SerdeKey::TAG,
        SerdeKey::UNTAGGED,
        SerdeKey::REMOTE,
    ];
    for piece in serde::attribute_pieces(attrs, ForeignAttr::SERDE)
        .filter(|piece| piece.is_one_of(IMPOSSIBLE))
    {
        let key = &piece.key;
        let message =
            format!("`{key}` is not allowed on a kind, which must serialize as an object");
        problems.report(piece.span(), message, "move it to the type of a field");
    }
}
