//! What works, and not as people think.

use genclient_syntax::{SchemaAttrs, Shape};
use proc_macro2::TokenTree;
use quote::ToTokens;
use syn::Field;

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::model::{JsonType, Schema};
use crate::sources::ModuleId;

impl Resolver<'_, '_> {
    /// Warns of floats, and of metadata that the API server empties.
    pub(super) fn warn_of_pitfalls(
        &mut self,
        field: &Field,
        shape: &Shape,
        attrs: &SchemaAttrs,
        schema: &Schema,
        module: ModuleId,
    ) {
        let (message, help) = if *innermost(shape) == Shape::Number && attrs.json_type.is_none() {
            (
                "a float is not the same to every client, and Kubernetes' APIs have none",
                "use an integer of a smaller unit or a `Quantity`, or keep it: `#[crd(type = \"number\")]`",
            )
        } else if self.open.len() > 1 && is_emptied_metadata(field, schema) {
            (
                "the API server keeps nothing of this metadata",
                "write `#[crd(embedded_metadata)]`, which keeps name, namespace, labels, annotations and finalizers",
            )
        } else {
            return;
        };
        let at = self.sources[module].locate(&field.ty);
        self.sink
            .push(Diagnostic::warning(message).at(at).help(help));
    }
}

/// An `ObjectMeta` whose schema has no fields.
pub(super) fn is_emptied_metadata(field: &Field, schema: &Schema) -> bool {
    let bare = schema.type_ == Some(JsonType::Object)
        && schema.properties.is_empty()
        && schema.additional_properties.is_none()
        && !schema.preserve_unknown_fields;
    let words = || field.ty.to_token_stream().into_iter();
    bare && words().any(|word| matches!(word, TokenTree::Ident(word) if word == "ObjectMeta"))
}

/// What lists and maps hold at last.
fn innermost(shape: &Shape) -> &Shape {
    match shape {
        Shape::List(inner) | Shape::Map(inner) => innermost(inner),
        shape => shape,
    }
}
