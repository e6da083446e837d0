//! Warnings about code that works, but not as expected: floats, metadata that is pruned, and maps
//! whose key type does not admit every string.

use genclient_syntax::{SchemaAttrs, Shape};
use proc_macro2::TokenTree;
use quote::ToTokens;
use serde_json::Number;
use syn::{Field, Type};

use super::{Resolver, constraints};
use crate::model::{JsonType, Schema};

impl Resolver<'_, '_> {
    pub(super) fn warn_of_pitfalls(
        &mut self,
        field: &Field,
        shape: &Shape,
        attrs: &SchemaAttrs,
        schema: &Schema,
    ) {
        let (message, help) = if let Some(kept) = intended_float_key(shape, Some(attrs)) {
            (
                "floating-point values do not round-trip reliably, and Kubernetes' API conventions advise against them",
                format!(
                    "use an integer in a smaller unit or a `Quantity`, or keep it: `#[crd({kept})]`"
                ),
            )
        } else if self.open.len() > 1 && is_emptied_metadata(field, schema) {
            (
                "the API server prunes all fields of this metadata",
                "write `#[crd(embedded_metadata)]`, which keeps name, namespace, labels, annotations \
                 and finalizers"
                    .to_owned(),
            )
        } else {
            return;
        };
        self.warn(&field.ty, message, help);
    }
}

/// True for an `ObjectMeta` whose schema has no fields.
pub(super) fn is_emptied_metadata(field: &Field, schema: &Schema) -> bool {
    let bare = schema.type_ == Some(JsonType::Object)
        && schema.properties.is_empty()
        && schema.additional_properties.is_none()
        && !schema.preserve_unknown_fields;
    let words = || field.ty.to_token_stream().into_iter();
    bare && words().any(|word| matches!(word, TokenTree::Ident(word) if word == "ObjectMeta"))
}

/// Returns the key that marks a float as intended. `None` if there is no float, or if the
/// attributes already mark it.
fn intended_float_key(shape: &Shape, attrs: Option<&SchemaAttrs>) -> Option<String> {
    if attrs.is_some_and(|attrs| attrs.replaces_type() || attrs.json_type.is_some()) {
        return None;
    }
    let (key, inner, attrs) = match shape {
        Shape::Number => return Some("type = \"number\"".to_owned()),
        Shape::List(inner) => (
            "items",
            inner,
            attrs.and_then(|attrs| attrs.items.as_deref()),
        ),
        Shape::Map(inner) => (
            "values",
            inner,
            attrs.and_then(|attrs| attrs.values.as_deref()),
        ),
        _ => return None,
    };
    Some(format!("{key}({})", intended_float_key(inner, attrs)?))
}

/// Position of a map's entries.
#[derive(Clone, Copy)]
pub(super) enum EntryPosition {
    /// In an object of their own, which can have a rule for its keys.
    Own,
    /// In an object with other fields: those beside a flattened map, or those of other variants. A
    /// rule for the map's keys would also apply to these fields.
    Shared,
}

impl Resolver<'_, '_> {
    /// Warns about each map in `ty` whose keys need a rule and have none, unless the kind is
    /// declared with kube's derive.
    pub(super) fn warn_of_keys(&mut self, ty: &Type, schema: &Schema, position: EntryPosition) {
        if self.from_kube {
            return;
        }
        for rule in open_keys(schema) {
            let wide = rule.as_ref().is_some_and(|rule| rule.contains(ANY_INTEGER));
            let help = match (rule, position) {
                (None, _) => "use `BTreeMap<String, …>`".to_owned(),
                (Some(rule), EntryPosition::Own) => format!("add `#[crd({rule})]`"),
                (Some(rule), EntryPosition::Shared) => {
                    format!(
                        "give the map a field of its own, and add `#[crd({rule})]` to that field"
                    )
                }
            };
            let rest = if wide {
                "; integers out of range of the type still pass"
            } else {
                ""
            };
            self.warn(
                ty,
                "the API server accepts any string as a key of this map, but the key type does not",
                help + rest,
            );
        }
    }
}

/// Pattern of the digits of any integer other than 0.
const ANY_INTEGER: &str = "[1-9][0-9]*";

/// Returns an element for each map whose keys need a rule: the attribute to add, or `None` for a
/// map with arbitrary values, which cannot have a rule. Maps in fields are not searched, because
/// they are checked at their fields.
fn open_keys(schema: &Schema) -> Vec<Option<String>> {
    let mut found = Vec::new();
    if let Some(keys) = &schema.keys
        && let Some(rule) = key_rule(keys, schema.max_properties.is_some())
    {
        let values = schema.additional_properties.as_ref();
        found.push(Some(rule).filter(|_| values.is_none_or(|values| !values.is_any())));
    }
    let parts = [
        ("items", "max_items", schema.max_items, &schema.items),
        (
            "values",
            "max_properties",
            schema.max_properties,
            &schema.additional_properties,
        ),
    ];
    for (step, bound, stated, part) in parts {
        let bound = match stated {
            Some(_) => String::new(),
            None => format!("{bound} = 16, "),
        };
        let inside = part.iter().flat_map(|part| open_keys(part));
        found.extend(inside.map(|rule| Some(format!("{bound}{step}({})", rule?))));
    }
    found
}

/// Returns the attribute that constrains keys as their type does; `None` if the type admits every
/// string.
///
/// The rule loops over all keys, so it stays within the API server's cost limit only if their
/// number is bounded. Unless `bounded`, the attribute therefore sets `max_properties` as well.
fn key_rule(keys: &Schema, bounded: bool) -> Option<String> {
    let text = |key: &str, value: String| format!("{key} = {value}");
    let mut constraints_of_keys = Vec::new();
    let mut values: Vec<_> = keys.enum_.iter().map(ToString::to_string).collect();
    match keys.type_ {
        Some(JsonType::Integer) => {
            let bound = |bound: &Option<Number>| bound.as_ref().and_then(Number::as_i64);
            let numbers = match (bound(&keys.minimum), bound(&keys.maximum)) {
                (Some(0), Some(255)) => "[1-9][0-9]?|1[0-9]{2}|2[0-4][0-9]|25[0-5]".to_owned(),
                (Some(-128), Some(127)) => "-?([1-9][0-9]?|1[01][0-9]|12[0-7])|-128".to_owned(),
                (Some(0), _) => ANY_INTEGER.to_owned(),
                _ => format!("-?{ANY_INTEGER}"),
            };
            constraints_of_keys.push(text("pattern", format!("\"^(0|{numbers})$\"")));
        }
        Some(JsonType::Boolean) => values.extend(["\"true\"".to_owned(), "\"false\"".to_owned()]),
        _ => {}
    }
    if !values.is_empty() {
        constraints_of_keys.push(text("enum", format!("[{}]", values.join(", "))));
    }
    let lengths = [
        ("min_length", keys.min_length),
        ("max_length", keys.max_length),
    ];
    constraints_of_keys.extend(
        lengths
            .iter()
            .filter_map(|(key, length)| Some(text(key, (*length)?.to_string()))),
    );
    if let Some(pattern) = &keys.pattern {
        constraints_of_keys.push(text("pattern", format!("{pattern:?}")));
    }
    let known = |format: &&String| constraints::names_of_key_formats().any(|name| name == **format);
    if let Some(format) = keys
        .format
        .as_ref()
        .filter(|_| keys.type_ == Some(JsonType::String))
        .filter(known)
    {
        constraints_of_keys.push(text("format", format!("{format:?}")));
    }
    if constraints_of_keys.is_empty() {
        return None;
    }
    let keys = format!("keys({})", constraints_of_keys.join(", "));
    let most = if values.is_empty() { 16 } else { values.len() };
    Some(if bounded {
        keys
    } else {
        format!("{keys}, max_properties = {most}")
    })
}
