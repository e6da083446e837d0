//! Notation of schema paths: `.spec.ports[*].name`, `.spec.labels{*}`, `.spec["a.b"]`.

/// Suffix for the items of a list.
pub(super) const ITEMS_SUFFIX: &str = "[*]";

/// Suffix for the values of a map.
pub(super) const VALUES_SUFFIX: &str = "{*}";

/// Appends the property `name` to the path of an object. A name with characters other than ASCII
/// letters, digits, `_`, `-` and `$` is quoted: `.spec["a.b"]`.
pub(super) fn append_property(path: &str, name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
    if !name.is_empty() && name.chars().all(simple) {
        format!("{path}.{name}")
    } else {
        format!("{path}[{name:?}]")
    }
}
