//! Warnings about code that works, but not as expected: floats, and metadata that is pruned.

use genclient_syntax::{SchemaAttrs, Shape};
use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::Field;

use super::Resolver;
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
