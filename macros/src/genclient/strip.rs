//! Removal of genclient's and serde's attributes from the emitted item, and addition of derives.

use genclient_syntax::is_genclient;
use proc_macro2::{TokenStream, TokenTree};
use quote::quote;
use syn::parse::ParseStream;
use syn::punctuated::Punctuated;
use syn::{Attribute, Data, DeriveInput, Field, ItemStruct, Meta, Path, Token};

/// Derives besides serde's own that read `#[serde(…)]`. If the struct has one, `#[serde(…)]` is
/// kept.
const DERIVES_THAT_READ_SERDE: &[&str] = &["JsonSchema", "ToSchema", "TS"];

/// Derives that the expansion of a kind replaces.
const OWN_DERIVES: &[&str] = &["Serialize", "Deserialize", "CrdSchema"];

/// Returns the struct with `Clone` and `Debug` derives, without genclient's attributes and the
/// derives in [`OWN_DERIVES`]. serde's attributes are removed unless a derive in
/// [`DERIVES_THAT_READ_SERDE`] reads them.
pub(super) fn strip_attributes(item: &ItemStruct) -> TokenStream {
    let derives = derived_paths(&item.attrs);
    let missing: Vec<_> = [
        ("Clone", quote!(::core::clone::Clone)),
        ("Debug", quote!(::core::fmt::Debug)),
    ]
    .into_iter()
    .filter(|(name, _)| !derives.iter().any(|derive| ends_with(derive, &[name])))
    .map(|(_, path)| path)
    .collect();
    let added = if missing.is_empty() {
        TokenStream::new()
    } else {
        quote!(#[derive(#(#missing),*)])
    };
    let keep_serde = derives
        .iter()
        .any(|derive| ends_with(derive, DERIVES_THAT_READ_SERDE));
    let is_kept = |attr: &Attribute| !is_consumed(attr) && (keep_serde || !is_serde(attr));
    let mut item = item.clone();
    item.attrs.retain(is_kept);
    item.attrs = item
        .attrs
        .into_iter()
        .filter_map(without_own_derives)
        .collect();
    for field in &mut item.fields {
        field.attrs.retain(is_kept);
    }
    quote! { #added #item }
}

/// Removes genclient's attributes from an item that is not a struct.
pub(super) fn strip_any_item(mut item: DeriveInput) -> DeriveInput {
    item.attrs.retain(|attr| !is_consumed(attr));
    let strip_fields = |fields: &mut dyn Iterator<Item = &mut Field>| {
        fields.for_each(|field| field.attrs.retain(|attr| !is_consumed(attr)));
    };
    match &mut item.data {
        Data::Struct(data) => strip_fields(&mut data.fields.iter_mut()),
        Data::Union(data) => strip_fields(&mut data.fields.named.iter_mut()),
        Data::Enum(data) => {
            for variant in &mut data.variants {
                variant.attrs.retain(|attr| !is_consumed(attr));
                strip_fields(&mut variant.fields.iter_mut());
            }
        }
    }
    item
}

/// Returns whether genclient consumes the attribute: `#[genclient]` by any path, or an attribute of
/// its grammar such as `#[crd]`, directly or inside `cfg_attr`.
fn is_consumed(attr: &Attribute) -> bool {
    let is_grammar = |path: &Path| path.get_ident().is_some_and(genclient_syntax::is_grammar);
    is_genclient(attr) || attribute_paths(attr).iter().any(is_grammar)
}

/// Returns whether the attribute controls serialization, directly or inside `cfg_attr`.
pub(super) fn is_serde(attr: &Attribute) -> bool {
    let names = &["serde", "serde_as", "skip_serializing_none"];
    attribute_paths(attr)
        .iter()
        .any(|path| ends_with(path, names))
}

/// Returns the path of the attribute or, for `cfg_attr`, the paths of the attributes inside.
fn attribute_paths(attr: &Attribute) -> Vec<Path> {
    if !attr.path().is_ident("cfg_attr") {
        return vec![attr.path().clone()];
    }
    let inside = attr
        .parse_args_with(|input: ParseStream<'_>| {
            while !input.is_empty() && !input.peek(Token![,]) {
                input.parse::<TokenTree>()?;
            }
            input.parse::<Token![,]>()?;
            Punctuated::<Meta, Token![,]>::parse_terminated(input)
        })
        .into_iter()
        .flatten();
    inside.map(|meta| meta.path().clone()).collect()
}

fn derived_paths(attrs: &[Attribute]) -> Vec<Path> {
    attrs
        .iter()
        .filter(|attr| attr.path().is_ident("derive"))
        .flat_map(derive_paths)
        .collect()
}

fn derive_paths(derive: &Attribute) -> Vec<Path> {
    let paths = derive.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated);
    paths
        .map(|paths| paths.into_iter().collect())
        .unwrap_or_default()
}

fn ends_with(path: &Path, names: &[&str]) -> bool {
    path.segments
        .last()
        .is_some_and(|last| names.iter().any(|name| last.ident == name))
}

/// Returns the attribute without the derives in [`OWN_DERIVES`], or `None` if no derive is left.
fn without_own_derives(mut attr: Attribute) -> Option<Attribute> {
    if !attr.path().is_ident("derive") {
        return Some(attr);
    }
    let kept: Vec<Path> = derive_paths(&attr)
        .into_iter()
        .filter(|path| !ends_with(path, OWN_DERIVES))
        .collect();
    if let Meta::List(list) = &mut attr.meta {
        list.tokens = quote!(#(#kept),*);
    }
    (!kept.is_empty()).then_some(attr)
}
