//! YAML texts that contain definitions, and the notation of schema paths:
//! `.spec.ports[*].name`, `.spec.labels{*}`, `.spec["a.b"]`.

/// A YAML text: a file, stdin, or generated output.
#[derive(Debug, PartialEq)]
pub struct Text {
    /// The package that the text belongs to.
    pub package: Option<String>,
    /// The place as shown in messages: a path, `REV:path`, `stdin`.
    pub place: String,
    /// The text itself.
    pub text: String,
}

/// Suffix for the items of a list.
pub(super) const ITEMS: &str = "[*]";

/// Suffix for the values of a map.
pub(super) const VALUES: &str = "{*}";

/// Appends the property `name` to the path of an object. A name with characters other than ASCII
/// letters, digits, `_`, `-` and `$` is quoted: `.spec["a.b"]`.
pub(super) fn member(path: &str, name: &str) -> String {
    let simple = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '$');
    if !name.is_empty() && name.chars().all(simple) {
        format!("{path}.{name}")
    } else {
        format!("{path}[{name:?}]")
    }
}
