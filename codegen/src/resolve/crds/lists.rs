//! Kinds with a top-level field `items`, which the API server treats as lists.

use super::definition::CrdOfKinds;
use crate::diagnostic::{Diagnostic, Sink};
use crate::sources::Sources;

/// Checks that no version has a field `items` beside `spec`: the API server treats such an object
/// as a list, so it cannot be created.
pub(super) fn check(definition: &CrdOfKinds<'_>, sources: &Sources, sink: &mut Sink) {
    for version in &definition.crd.versions {
        if version.schema.properties.contains_key("items") {
            sink.push(
                Diagnostic::error(format!(
                    "`{}` cannot be created: the API server takes an object with a field `items` for a list",
                    definition.crd.kind
                ))
                .at(definition.locate_version(&version.name, sources))
                .help("put `items` into `spec`, or give it another name: `#[serde(rename = \"…\")]`"),
            );
        }
    }
}
