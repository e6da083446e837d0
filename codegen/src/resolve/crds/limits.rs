//! Size limits of custom resource definitions.

use std::io::{self, Write};

use super::definition::CrdOfKinds;
use crate::diagnostic::{Diagnostic, Sink};
use crate::model::Schema;
use crate::sources::Sources;

/// Limit of etcd for one request in bytes, less room for what the API server adds.
const STORED: usize = 1_500_000;

/// Limit for all annotations of an object in bytes; `kubectl apply` stores the whole object in one.
const ANNOTATED: usize = 262_144;

/// Checks the size of a definition's schemas, which are nearly all of it. `annotated` is false if
/// definitions are applied server-side.
pub(super) fn check(
    definition: &CrdOfKinds<'_>,
    annotated: bool,
    sources: &Sources,
    sink: &mut Sink,
) {
    let versions = definition.crd.versions.iter();
    let size: usize = versions
        .map(|version| written_length(&version.schema))
        .sum();
    let kind = &definition.crd.kind;
    let shown = size / 1024;
    let finding = if size > STORED {
        Diagnostic::error(format!(
            "the definition of `{kind}` has {shown} KiB, more than etcd stores"
        ))
    } else if size > ANNOTATED && annotated {
        Diagnostic::warning(format!(
            "the definition of `{kind}` has {shown} KiB, more than `kubectl apply` can note in an annotation"
        ))
    } else {
        return;
    };
    let help = if size > STORED {
        "write `max-desc-len = 0` in `[package.metadata.genclient]`, or hold part of it in a type without schema"
    } else {
        "install it by `kubectl apply --server-side` and write `server-side-apply = true` in `[package.metadata.genclient]`, or `max-desc-len = 0`"
    };
    sink.push(finding.at(definition.locate(sources)).help(help));
}

/// Length of a schema as JSON, in bytes.
fn written_length(schema: &Schema) -> usize {
    let mut length = Length(0);
    let written = serde_json::to_writer(&mut length, schema);
    written.map_or(0, |()| length.0)
}

/// A writer that counts bytes and discards them.
struct Length(usize);

impl Write for Length {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
