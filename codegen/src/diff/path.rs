//! Spelling of a path to a field: `.spec.ports[*].name`, `.spec.labels{*}`, `.spec["a.b"]`.

/// Follows the items of a list.
pub(super) const ITEMS: &str = "[*]";

/// Follows the values of a map.
pub(super) const VALUES: &str = "{*}";

/// Follows the object at `path` to its member `name`, in quotes where that could be mistaken.
pub(super) fn member(path: &str, name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
    if !name.is_empty() && name.chars().all(simple) {
        format!("{path}.{name}")
    } else {
        format!("{path}[{name:?}]")
    }
}
