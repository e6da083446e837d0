//! Names in CEL: reserved words, and escaping of property names.

/// Reserved words of CEL.
pub(crate) const RESERVED: [&str; 21] = [
    "as",
    "break",
    "const",
    "continue",
    "else",
    "false",
    "for",
    "function",
    "if",
    "import",
    "in",
    "let",
    "loop",
    "package",
    "namespace",
    "null",
    "return",
    "true",
    "var",
    "void",
    "while",
];

/// Returns the escaped name of a property, or `None` if CEL cannot express it.
pub fn escape(name: &str) -> Option<String> {
    let known = |c: char| c.is_ascii_alphanumeric() || "_.-/".contains(c);
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) || !name.chars().all(known)
    {
        return None;
    }
    if RESERVED.contains(&name) {
        return Some(format!("__{name}__"));
    }
    Some(
        name.replace("__", "\u{0}")
            .replace('.', "__dot__")
            .replace('-', "__dash__")
            .replace('/', "__slash__")
            .replace('\u{0}', "__underscores__"),
    )
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn names_are_escaped() {
        for (name, written) in [
            ("replicas", Some("replicas")),
            ("gpu-amount", Some("gpu__dash__amount")),
            ("a.b/c", Some("a__dot__b__slash__c")),
            ("a__b", Some("a__underscores__b")),
            ("a___b", Some("a__underscores___b")),
            ("namespace", Some("__namespace__")),
            ("int", Some("int")),
            ("9lives", None),
            ("$ref", None),
            ("", None),
        ] {
            assert_eq!(escape(name).as_deref(), written, "{name}");
        }
    }
}
