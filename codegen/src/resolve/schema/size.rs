//! Size limit for the schema of one type.
//!
//! Structural schemas have no references, so a type is expanded at each use. A chain of types, each
//! with two fields of the next type, doubles the schema with each link and would exhaust memory.

use super::{Resolver, Slot};
use crate::model::Schema;
use crate::resolve::paths;

/// Number of schemas at which a type is refused. JSON of a schema takes at least 20 bytes, so a
/// definition with that many schemas would exceed the 1.5 MB that etcd stores.
const LIMIT: usize = 75_000;

impl Resolver<'_, '_> {
    /// Reports a schema that is too large, and replaces it by a schema that admits any value.
    pub(super) fn check_schema_size(&mut self, slot: Slot, path: &syn::Path) -> Slot {
        if parts(&slot.schema, LIMIT) < LIMIT {
            return slot;
        }
        let message = format!(
            "the schema of `{}` has more than {LIMIT} parts, more than etcd can store",
            paths::display(path)
        );
        self.report(
            path,
            message,
            "write `#[crd(schemaless, preserve_unknown_fields)]` on a field with this type, or on a large field in the type",
        );
        Slot::default()
    }
}

/// Counts the schemas in a schema, itself included, up to `limit`.
fn parts(schema: &Schema, limit: usize) -> usize {
    let mut count = 0;
    let mut rest = vec![schema];
    while let Some(schema) = rest.pop() {
        count += 1;
        if count >= limit {
            break;
        }
        rest.extend(schema.properties.values().map(|property| &**property));
        rest.extend(schema.items.as_deref());
        rest.extend(schema.additional_properties.as_deref());
        rest.extend(schema.not.as_deref());
        rest.extend(
            schema
                .all_of
                .iter()
                .chain(&schema.any_of)
                .chain(&schema.one_of),
        );
    }
    count
}
