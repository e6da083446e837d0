//! Keywords that are not allowed at the root of a schema with a status subresource.

use genclient_syntax::is_grammar;
use proc_macro2::{Span, TokenStream, TokenTree};

use super::definition::CrdOfKinds;
use crate::diagnostic::{Diagnostic, Sink};
use crate::model::Schema;
use crate::resolve::kind::Kind;
use crate::sources::Sources;

/// Reports keywords at the root of a schema that the API server refuses beside a status subresource
/// (`allowedFieldsAtRootSchema`).
pub(super) fn check(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    for (version, kind) in definition.crd.versions.iter().zip(&definition.versions) {
        if !version.status {
            continue;
        }
        for key in refused(&version.schema) {
            let span = key_span(kind, key).or_else(|| key_span(kind, "schema"));
            let span = span.unwrap_or(kind.attrs.ident.span());
            let finding = Diagnostic::error(format!(
                "`{key}` cannot stand on a kind that has a status subresource"
            ));
            sink.push(finding.at(kind.locate(sources, span)).help(
                "write it on the type of `spec`, or a rule in its place: `validation(rule = \"..\")`",
            ));
        }
    }
}

/// Returns the keys of `#[crd(…)]` that set refused keywords. `int_or_string` sets `anyOf`
/// itself.
fn refused(schema: &Schema) -> impl Iterator<Item = &'static str> {
    let refused = [
        ("all_of", !schema.all_of.is_empty()),
        ("any_of", !schema.any_of.is_empty() && !schema.int_or_string),
        ("one_of", !schema.one_of.is_empty()),
        ("not", schema.not.is_some()),
        ("min_properties", schema.min_properties.is_some()),
        ("max_properties", schema.max_properties.is_some()),
        ("struct_type", schema.map_type.is_some()),
        ("default", schema.default.is_some()),
        ("nullable", schema.nullable),
        ("enum", !schema.enum_.is_empty()),
        ("int_or_string", schema.int_or_string),
        ("embedded_resource", schema.embedded_resource),
        ("list_type", schema.list_type.is_some()),
        ("list_map_keys", !schema.list_map_keys.is_empty()),
        (
            "additionalProperties",
            schema.additional_properties.is_some(),
        ),
    ];
    refused
        .into_iter()
        .filter_map(|(key, stands)| stands.then_some(key))
}

/// Location of a key in the attributes of a type.
fn key_span(kind: &Kind<'_>, key: &str) -> Option<Span> {
    let attributes = kind.attributes().iter();
    let attributes = attributes.filter(|attr| attr.path().get_ident().is_some_and(is_grammar));
    let lists = attributes.filter_map(|attr| attr.meta.require_list().ok());
    let mut keys = lists.flat_map(|list| keys(list.tokens.clone()));
    keys.find(|(name, _)| name == key).map(|(_, span)| span)
}

/// Names in a list of arguments, without those in nested brackets.
fn keys(arguments: TokenStream) -> impl Iterator<Item = (String, Span)> {
    arguments.into_iter().filter_map(|token| match token {
        TokenTree::Ident(name) => Some((name.to_string(), name.span())),
        _ => None,
    })
}
