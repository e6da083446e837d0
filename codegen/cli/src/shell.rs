//! Text that users type or paste into a shell.

/// A path or name as shell input, in quotes if necessary.
pub(crate) fn quote(text: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/\\:._-+@~".contains(c);
    if text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
