//! Selectable fields of definitions with several versions.

use std::collections::BTreeSet;

use super::definition::CrdOfKinds;
use crate::diagnostic::{Diagnostic, Sink};
use crate::sources::Sources;

/// Checks that the versions have both equal schemas and equal selectable fields, or neither.
///
/// The API server moves whatever is equal in all versions to the definition's top level, and
/// accepts selectable fields only at the same level as the schema (kubernetes/kubernetes#140689;
/// apiextensions
/// `Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec`).
/// Subresources and columns may be at the other level.
pub(super) fn check(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    let [first, others @ ..] = &definition.crd.versions[..] else {
        return;
    };
    let other_schema = others.iter().find(|other| other.schema != first.schema);
    let other_fields = others
        .iter()
        .find(|other| other.selectable_fields != first.selectable_fields);
    let (same, different, label, help, other) = match (other_schema, other_fields) {
        (Some(other), None) if !first.selectable_fields.is_empty() => (
            "selectable fields",
            "schemas",
            "another schema",
            "remove `selectable_field` from one version, or give the versions one type, docs included"
                .to_owned(),
            other,
        ),
        (None, Some(other)) => (
            "schema",
            "selectable fields",
            "other selectable fields",
            format!("write `{}` on every version", all_fields(definition)),
            other,
        ),
        _ => return,
    };
    let place = |name: &str| definition.locate_version(name, sources);
    sink.push(
        Diagnostic::error(format!(
            "the versions of `{}` have the same {same} and different {different}, which the API server refuses",
            definition.crd.kind
        ))
        .at(place(&other.name))
        .label(place(&first.name), format!("a version with {label}"))
        .help(help),
    );
}

/// The selectable fields of all versions, as attribute keys.
fn all_fields(definition: &CrdOfKinds<'_>) -> String {
    let versions = definition.crd.versions.iter();
    let mut fields: Vec<_> = versions.flat_map(|one| &one.selectable_fields).collect();
    let mut seen = BTreeSet::new();
    fields.retain(|field| seen.insert(*field));
    let fields: Vec<_> = fields
        .iter()
        .map(|field| format!("selectable_field = \"{field}\""))
        .collect();
    fields.join(", ")
}
