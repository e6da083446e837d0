//! Release of a client's Kubernetes types, which decides their fields and the form of quantities.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Fields with the minor version of Kubernetes that added each. A line has the definition, the
/// field and the minor version, separated by tabs.
const SINCE: &str = include_str!("../../data/kubernetes_since.tsv");

static FIELDS: LazyLock<BTreeMap<(&str, &str), u64>> = LazyLock::new(|| {
    let lines = SINCE.lines().filter(|line| !line.starts_with('#'));
    let field = |line: &'static str| {
        let mut columns = line.split('\t');
        let field = (columns.next()?, columns.next()?);
        Some((field, columns.next()?.parse().ok()?))
    };
    lines.filter_map(field).collect()
});

/// Release of a client's Kubernetes types. The default has all published fields.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Release {
    /// Minor version of the Kubernetes 1.x release; `None` for the latest.
    pub minor: Option<u64>,
    /// Whether the client rejects numbers as quantities. The API server accepts them.
    pub quantities_are_strings: bool,
}

impl Release {
    /// Returns whether the types have the field `field` of `definition`.
    pub(super) fn has(&self, definition: &str, field: &str) -> bool {
        let added = FIELDS.get(&(definition, field));
        added.is_none_or(|added| self.minor.is_none_or(|minor| minor >= *added))
    }
}

#[cfg(test)]
mod tests {
    use super::FIELDS;
    use crate::kubernetes::{Release, names, schema};

    #[test]
    fn newer_fields_exist_in_published_definitions() {
        for (definition, field) in FIELDS.keys() {
            let oldest = Release {
                minor: Some(0),
                ..Release::default()
            };
            assert!(names().any(|name| name == *definition), "{definition}");
            if let Some(Ok(schema)) = schema(definition, Release::default()) {
                assert!(
                    schema.properties.contains_key(*field),
                    "{definition} {field}"
                );
            }
            if let Some(Ok(schema)) = schema(definition, oldest) {
                assert!(
                    !schema.properties.contains_key(*field),
                    "{definition} {field}"
                );
                assert!(!schema.required.contains(*field), "{definition} {field}");
            }
        }
    }

    #[test]
    fn fields_exist_from_their_release_on() {
        let has_files = |minor| {
            let release = Release {
                minor: Some(minor),
                ..Release::default()
            };
            let source = schema("io.k8s.api.core.v1.EnvVarSource", release)
                .unwrap()
                .unwrap();
            source.properties.contains_key("fileKeyRef")
        };
        assert!(!has_files(33) && has_files(34));
    }
}
