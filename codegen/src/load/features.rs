//! Conditional compilation: removes items, fields and variants that the enabled features exclude.
//!
//! In other crates, items, fields and variants are removed according to the crate's enabled
//! features. In the package's own crate, only fields and variants of types with a derived
//! `JsonSchema` are removed, according to the package's default features. Conditions on anything
//! but features and `test` are kept, such as `unix`.

use std::collections::BTreeSet;
use std::mem;

use genclient_syntax::{derives, is_resource};
use proc_macro2::Span;
use syn::punctuated::Punctuated;
use syn::spanned::Spanned as _;
use syn::{Attribute, Expr, ExprLit, Field, Fields, Item, Lit, Meta, Token, Variant};

use crate::project::CUSTOM_RESOURCE;

/// Removes items, fields and variants that are not compiled, and expands `cfg_attr`.
pub(super) fn resolve_features(items: Vec<Item>, features: &BTreeSet<String>) -> Vec<Item> {
    let mut compiled = Vec::with_capacity(items.len());
    for mut item in items {
        if !item_attributes(&mut item).is_none_or(|attrs| is_compiled(attrs, features)) {
            continue;
        }
        settle_item_members(&mut item, features);
        compiled.push(item);
    }
    compiled
}

/// Removes the fields and variants of an item that are not compiled.
fn settle_item_members(item: &mut Item, features: &BTreeSet<String>) {
    match item {
        Item::Struct(item) => settle_fields(&mut item.fields, features),
        Item::Enum(item) => {
            let variants = mem::take(&mut item.variants).into_iter();
            item.variants = variants
                .filter_map(|variant| settle_variant(variant, features))
                .collect();
        }
        _ => {}
    }
}

/// Items from which [`settle_members`] has removed fields and variants.
pub(super) struct SettledItems {
    pub(super) items: Vec<Item>,
    /// The locations of the `cfg`s on fields and variants that the features decide.
    pub(super) conditions: Vec<Span>,
}

/// In types with a derived `JsonSchema`, removes the fields and variants that are not compiled. A
/// feature that the type's `cfg`s require counts as enabled. Types with `CrdSchema` or
/// `#[genclient]` keep all fields and variants: their schemas do not depend on features.
pub(super) fn settle_members(mut items: Vec<Item>, features: &BTreeSet<String>) -> SettledItems {
    let mut conditions = Vec::new();
    for item in &mut items {
        let Some(attrs) = item_attributes(item).filter(|attrs| is_of_schemars(attrs)) else {
            continue;
        };
        let needed = required_features(attrs);
        let features = features.union(&needed).cloned().collect();
        let decided: Vec<_> = attributes_of_members(item)
            .flat_map(|attrs| decided_conditions(attrs, &features))
            .collect();
        if !decided.is_empty() {
            conditions.extend(decided);
            settle_item_members(item, &features);
        }
    }
    SettledItems { items, conditions }
}

/// Returns whether schemars derives the schema of a type, directly or through a derive of kube, and
/// no macro of this project does.
fn is_of_schemars(attrs: &[Attribute]) -> bool {
    let by_schemars = ["JsonSchema", "KubeSchema", "CELSchema", CUSTOM_RESOURCE];
    by_schemars.iter().any(|name| derives(attrs, name))
        && !derives(attrs, "CrdSchema")
        && !is_resource(attrs)
}

/// Returns the features that the `cfg`s of an item require.
pub(super) fn required_features(attrs: &[Attribute]) -> BTreeSet<String> {
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let mut found = BTreeSet::new();
    let mut open: Vec<_> = cfgs.flat_map(|attr| condition_parts(&attr.meta)).collect();
    while let Some(condition) = open.pop() {
        match &condition {
            Meta::NameValue(pair) if pair.path.is_ident("feature") => {
                found.extend(string_literal(&pair.value));
            }
            Meta::List(list) if list.path.is_ident("all") => {
                open.extend(condition_parts(&condition))
            }
            _ => {}
        }
    }
    found
}

fn string_literal(value: &Expr) -> Option<String> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text.value()),
        _ => None,
    }
}

/// Returns the attributes of each field and variant.
fn attributes_of_members(item: &Item) -> Box<dyn Iterator<Item = &Vec<Attribute>> + '_> {
    match item {
        Item::Struct(item) => Box::new(item.fields.iter().map(|field| &field.attrs)),
        Item::Enum(item) => Box::new(item.variants.iter().flat_map(|variant| {
            let fields = variant.fields.iter().map(|field| &field.attrs);
            fields.chain([&variant.attrs])
        })),
        _ => Box::new(std::iter::empty()),
    }
}

/// Returns the locations of the `cfg`s that the features decide.
fn decided_conditions(attrs: &[Attribute], features: &BTreeSet<String>) -> Vec<Span> {
    let cfgs = attrs.iter().filter(|attr| attr.path().is_ident("cfg"));
    let decided = cfgs.filter(|attr| {
        let condition = condition_parts(&attr.meta).into_iter().next();
        condition.is_some_and(|condition| evaluate_condition(&condition, features).is_some())
    });
    decided.map(|attr| attr.path().span()).collect()
}

fn item_attributes(item: &mut Item) -> Option<&mut Vec<Attribute>> {
    Some(match item {
        Item::Const(item) => &mut item.attrs,
        Item::Enum(item) => &mut item.attrs,
        Item::ExternCrate(item) => &mut item.attrs,
        Item::Fn(item) => &mut item.attrs,
        Item::Impl(item) => &mut item.attrs,
        Item::Macro(item) => &mut item.attrs,
        Item::Mod(item) => &mut item.attrs,
        Item::Struct(item) => &mut item.attrs,
        Item::Type(item) => &mut item.attrs,
        Item::Use(item) => &mut item.attrs,
        _ => return None,
    })
}

fn settle_variant(mut variant: Variant, features: &BTreeSet<String>) -> Option<Variant> {
    settle_fields(&mut variant.fields, features);
    is_compiled(&mut variant.attrs, features).then_some(variant)
}

fn settle_fields(all: &mut Fields, features: &BTreeSet<String>) {
    let list: &mut Punctuated<Field, Token![,]> = match all {
        Fields::Named(fields) => &mut fields.named,
        Fields::Unnamed(fields) => &mut fields.unnamed,
        Fields::Unit => return,
    };
    *list = mem::take(list)
        .into_iter()
        .filter_map(|mut field| is_compiled(&mut field.attrs, features).then_some(field))
        .collect();
}

/// Returns whether the item with these attributes is compiled. Removes conditions that the features
/// decide.
fn is_compiled(attrs: &mut Vec<Attribute>, features: &BTreeSet<String>) -> bool {
    let mut settled = Vec::with_capacity(attrs.len());
    let mut all = mem::take(attrs).into_iter();
    let compiled = all.all(|attr| settle_attribute(attr, features, &mut settled));
    *attrs = settled;
    compiled
}

/// Expands one attribute and adds it to `settled`. Returns false for a `cfg` that does not hold.
fn settle_attribute(
    attr: Attribute,
    features: &BTreeSet<String>,
    settled: &mut Vec<Attribute>,
) -> bool {
    let mut parts = condition_parts(&attr.meta).into_iter();
    let holds = parts
        .next()
        .and_then(|condition| evaluate_condition(&condition, features));
    match holds {
        Some(holds) if attr.path().is_ident("cfg") => holds,
        Some(false) if attr.path().is_ident("cfg_attr") => true,
        Some(true) if attr.path().is_ident("cfg_attr") => parts.all(|meta| {
            let attr = Attribute {
                meta,
                ..attr.clone()
            };
            settle_attribute(attr, features, settled)
        }),
        _ => {
            settled.push(attr);
            true
        }
    }
}

/// Returns the arguments of `cfg`, `cfg_attr`, `all`, `any` or `not`.
fn condition_parts(meta: &Meta) -> Vec<Meta> {
    let list = match meta {
        Meta::List(list) => list,
        _ => return Vec::new(),
    };
    let known = ["cfg", "cfg_attr", "all", "any", "not"];
    if !known.iter().any(|name| list.path.is_ident(name)) {
        return Vec::new();
    }
    list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated)
        .map(|metas| metas.into_iter().collect())
        .unwrap_or_default()
}

/// Returns whether a condition holds; `None` if the features do not decide it.
fn evaluate_condition(condition: &Meta, features: &BTreeSet<String>) -> Option<bool> {
    match condition {
        Meta::Path(path) => path.is_ident("test").then_some(false),
        Meta::NameValue(pair) if pair.path.is_ident("feature") => {
            string_literal(&pair.value).map(|name| features.contains(&name))
        }
        Meta::NameValue(_) => None,
        Meta::List(list) => {
            let parts: Vec<_> = condition_parts(condition)
                .iter()
                .map(|part| evaluate_condition(part, features))
                .collect();
            let (name, all) = (&list.path, |is: bool| {
                parts.iter().all(|part| *part == Some(is))
            });
            // One part that is false decides `all`, and one that is true decides `any`, even if
            // other parts are not decided.
            if name.is_ident("not") {
                parts.first().copied().flatten().map(|holds| !holds)
            } else if name.is_ident("all") {
                (all(true) || parts.contains(&Some(false))).then(|| all(true))
            } else if name.is_ident("any") {
                (all(false) || parts.contains(&Some(true))).then(|| !all(false))
            } else {
                None
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use quote::ToTokens;

    use super::resolve_features;

    #[test]
    fn cfg_attributes_are_resolved_by_features() {
        let cases = [
            ("#[cfg(feature = \"on\")] struct A;", "struct A ;"),
            ("#[cfg(feature = \"off\")] struct A;", ""),
            ("#[cfg(not(feature = \"off\"))] struct A;", "struct A ;"),
            ("#[cfg(test)] struct A;", ""),
            ("#[cfg(unix)] struct A;", "# [cfg (unix)] struct A ;"),
            ("#[cfg(all(unix, feature = \"off\"))] struct A;", ""),
            (
                "#[cfg(all(unix, feature = \"on\"))] struct A;",
                "# [cfg (all (unix , feature = \"on\"))] struct A ;",
            ),
            (
                "#[cfg(any(unix, feature = \"on\"))] struct A;",
                "struct A ;",
            ),
            ("#[cfg(any(feature = \"off\", test))] struct A;", ""),
            (
                "#[cfg_attr(feature = \"on\", b, c(d))] struct A;",
                "# [b] # [c (d)] struct A ;",
            ),
            ("#[cfg_attr(feature = \"off\", b)] struct A;", "struct A ;"),
            (
                "#[cfg_attr(unix, b)] struct A;",
                "# [cfg_attr (unix , b)] struct A ;",
            ),
            (
                "#[cfg_attr(feature = \"on\", cfg_attr(feature = \"on\", b))] struct A;",
                "# [b] struct A ;",
            ),
            (
                "struct A(#[cfg(feature = \"off\")] u8, u16);",
                "struct A (u16) ;",
            ),
            (
                "enum A { #[cfg(feature = \"off\")] B, C { #[cfg_attr(feature = \"on\", e)] d: u8 } }",
                "enum A { C { # [e] d : u8 } }",
            ),
            (
                "#[cfg(feature = \"off\")] use b; #[cfg(feature = \"on\")] mod c {}",
                "mod c { }",
            ),
        ];
        for (source, expected) in cases {
            let items = syn::parse_file(source).unwrap().items;
            let settled = resolve_features(items, &["on".to_owned()].into());
            let text: Vec<_> = settled
                .iter()
                .map(|item| item.to_token_stream().to_string())
                .collect();
            assert_eq!(text.join(" "), expected, "{source}");
        }
    }
}
