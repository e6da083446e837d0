//! Selectable fields of several versions.

use super::definition::CrdOfKinds;
use crate::diagnostic::{Diagnostic, Sink};
use crate::sources::Sources;

/// Checks that versions with the same selectable fields have the same schema.
///
/// The API server moves what all versions share to the definition as a whole, and takes selectable
/// fields there only beside a schema that all versions share (kubernetes/kubernetes#140689).
pub(super) fn check(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    let [first, others @ ..] = &definition.crd.versions[..] else {
        return;
    };
    let same_fields = others
        .iter()
        .all(|other| other.selectable_fields == first.selectable_fields);
    let Some(other) = others.iter().find(|other| other.schema != first.schema) else {
        return;
    };
    if first.selectable_fields.is_empty() || !same_fields {
        return;
    }
    let place = |name: &str| definition.locate_version(name, sources);
    sink.push(
        Diagnostic::error(format!(
            "the versions of `{}` have the same selectable fields and different schemas, which the API server refuses",
            definition.crd.kind
        ))
        .at(place(&other.name))
        .label(place(&first.name), "a version with another schema")
        .help("remove `selectable_field` from one version, or give the versions one type, docs included"),
    );
}
