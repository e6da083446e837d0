//! Validation of the struct of a kind.

use syn::spanned::Spanned as _;
use syn::{Fields, Type};

use crate::foreign::ForeignAttr;
use crate::serde::SerdeKey;
use crate::{Problems, item, serde};

/// Reports errors in the struct, such as a missing field `metadata`.
pub(super) fn check(item: &syn::ItemStruct, problems: &mut Problems) {
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
    for piece in
        serde::keys(&metadata.attrs, ForeignAttr::SERDE).filter(|piece| piece.is_one_of(&changing))
    {
        let message = format!("`{}` is not allowed on `metadata`", piece.key);
        problems.report(piece.span(), message, "remove it");
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
    let mut renames =
        serde::keys(&field.attrs, ForeignAttr::SERDE).filter(|piece| piece.key == SerdeKey::RENAME);
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
    for piece in serde::keys(attrs, ForeignAttr::SERDE).filter(|piece| piece.is_one_of(IMPOSSIBLE))
    {
        let key = &piece.key;
        let message =
            format!("`{key}` is not allowed on a kind, which must serialize as an object");
        problems.report(piece.span(), message, "move it to the type of a field");
    }
}
