//! Text that users type or paste into a shell.

/// Returns a path or name as shell input, in quotes if necessary.
pub(crate) fn quote(text: &str) -> String {
    let is_separator = |c| c == '/' || cfg!(windows) && c == '\\';
    let is_plain = |c: char| c.is_alphanumeric() || is_separator(c) || ":._-+@~".contains(c);
    let is_home = text.starts_with('~');
    if !text.is_empty() && !is_home && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}
