//! Notation for the path of a field: `.spec.ports[*].name`, `.spec.labels{*}`, `.spec["a.b"]`.

/// Suffix for the items of a list.
pub(super) const ITEMS: &str = "[*]";

/// Suffix for the values of a map.
pub(super) const VALUES: &str = "{*}";

/// Appends the property `name` to the path of an object, in quotes where it would be ambiguous.
pub(super) fn member(path: &str, name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
    if !name.is_empty() && name.chars().all(simple) {
        format!("{path}.{name}")
    } else {
        format!("{path}[{name:?}]")
    }
}
