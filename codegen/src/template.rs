//! Templates of generated and scaffolded text, which look like their results.

use std::borrow::Cow;

/// Text from a template, which may be indented like the code around it:
/// `rust!(name => "struct $name;")`.
///
/// `$name` is replaced by the variable. A line that consists of `$name` alone is replaced by all
/// lines of the variable, at the same indentation. If the variable is empty, the line is removed.
/// The compiler rejects a name that is not among the variables.
#[doc(hidden)]
#[macro_export]
macro_rules! rust {
    ($template:literal) => {{
        const { $crate::template::check_template($template, &[]) };
        $crate::template::fill_template($template, &[])
    }};
    ($($name:ident),+ => $template:expr) => {{
        const { $crate::template::check_template($template, &[$(stringify!($name)),+]) };
        $crate::template::fill_template(
            $template,
            &[$((stringify!($name), AsRef::<str>::as_ref(&$name))),+],
        )
    }};
}

pub use rust;

/// Panics at compile time if the template uses a name that is not in `names`.
pub const fn check_template(template: &str, names: &[&str]) {
    let text = template.as_bytes();
    let mut at = 0;
    while at < text.len() {
        at += 1;
        if text[at - 1] == b'$' {
            let mut number = 0;
            while number < names.len() && !is_word(text, at, names[number].as_bytes()) {
                number += 1;
            }
            assert!(number < names.len(), "unknown variable in the template");
        }
    }
}

/// True if `word` is the whole name at a position.
const fn is_word(text: &[u8], start: usize, word: &[u8]) -> bool {
    let mut at = 0;
    while at < word.len() {
        if start + at == text.len() || text[start + at] != word[at] {
            return false;
        }
        at += 1;
    }
    start + at == text.len() || !is_name(text[start + at])
}

const fn is_name(byte: u8) -> bool {
    matches!(byte, b'a'..=b'z' | b'_')
}

pub fn fill_template(template: &str, values: &[(&str, &str)]) -> String {
    let template = template.trim_start_matches('\n').trim_end();
    let depth = template.len() - template.trim_start().len();
    let mut out = String::with_capacity(2 * template.len());
    for line in template.lines() {
        let line = line.get(depth..).unwrap_or_default();
        let text = line.trim_start();
        let pad = &line[..line.len() - text.len()];
        match text.strip_prefix('$') {
            Some(name) if name.bytes().all(is_name) => {
                for line in find_value(name, values).lines() {
                    push_line(pad, line, &mut out);
                }
            }
            _ => push_line(pad, &replace_variables(text, values), &mut out),
        }
    }
    if out.ends_with("\n\n") {
        out.pop();
    }
    out
}

/// Adds a line. If empty variables leave several blank lines, only one stays, and none after `{` or
/// before `}`.
fn push_line(pad: &str, text: &str, out: &mut String) {
    if text.is_empty() {
        let first = out.is_empty() || out.ends_with("\n\n") || out.ends_with("{\n");
        out.push_str(if first { "" } else { "\n" });
        return;
    }
    if text.starts_with('}') && out.ends_with("\n\n") {
        out.pop();
    }
    if text.starts_with('}') && out.ends_with("{\n") {
        out.pop();
        out.extend([text, "\n"]);
    } else {
        out.extend([pad, text, "\n"]);
    }
}

fn replace_variables<'a>(text: &'a str, values: &[(&str, &str)]) -> Cow<'a, str> {
    let mut parts = text.split('$');
    let first = parts.next().unwrap_or_default();
    if first.len() == text.len() {
        return Cow::Borrowed(text);
    }
    let mut out = first.to_owned();
    for part in parts {
        let end = part.bytes().position(|byte| !is_name(byte));
        let (name, rest) = part.split_at(end.unwrap_or(part.len()));
        out.push_str(find_value(name, values));
        out.push_str(rest);
    }
    Cow::Owned(out)
}

/// The value of a name, which `check_template` guarantees to exist.
fn find_value<'a>(name: &str, values: &[(&str, &'a str)]) -> &'a str {
    let known = values.iter().find(|(known, _)| *known == name);
    known.map_or("", |(_, value)| value)
}

/// Joins texts that end with a newline, with a blank line between them.
pub fn join_with_blank_lines(texts: impl IntoIterator<Item = String>) -> String {
    let texts: Vec<_> = texts.into_iter().collect();
    texts.join("\n")
}

#[cfg(test)]
mod tests {
    use super::is_word;

    #[test]
    fn templates_expand_to_the_expected_code() {
        let (name, kind, none) = ("A", "a::B", "");
        let docs = "/// Costs $name.\n///\n/// More.";
        let methods = "fn a() {\n    b\n}\n\nfn c() {}\n";
        let text = rust!(docs, name, kind, none, methods => "
            $docs
            struct $name {
                $none
            }

            $none

            impl $name<$kind> {
                $none

                fn new(a: &$name) -> $kind;

                $methods

                $none
            }

            $none
        ");
        let expected = "\
/// Costs $name.
///
/// More.
struct A {}

impl A<a::B> {
    fn new(a: &A) -> a::B;

    fn a() {
        b
    }

    fn c() {}
}
";
        assert_eq!(text, expected);
    }

    #[test]
    fn template_variables_match_whole_words() {
        for (text, word, found) in [
            ("$name", "name", true),
            ("$name::new", "name", true),
            ("$names", "name", false),
            ("$name", "names", false),
            ("$name_of", "name", false),
        ] {
            assert_eq!(
                is_word(text.as_bytes(), 1, word.as_bytes()),
                found,
                "{text}"
            );
        }
    }
}
