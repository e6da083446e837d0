//! Selectable fields of several versions.

use std::collections::BTreeSet;

use super::definition::CrdOfKinds;
use crate::diagnostic::{Diagnostic, Sink};
use crate::sources::Sources;

/// Checks that versions share both their schema and their selectable fields, or neither.
///
/// The API server moves what all versions share to the definition as a whole, and takes selectable
/// fields only beside the schema of the same place (kubernetes/kubernetes#140689; apiextensions
/// `Convert_v1_CustomResourceDefinitionSpec_To_apiextensions_CustomResourceDefinitionSpec`).
/// Subresources and columns may be in the other place.
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

/// The selectable fields of any version, as they are written.
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
