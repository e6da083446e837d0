//! Edits: changes of a file that follow the help of a finding.

use std::ops::Range;

use genclient_syntax::Replaced;
use proc_macro2::{TokenStream, TokenTree};

use super::{Diagnostic, Location};

/// A change of a file that follows the help of a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text that is replaced.
    pub location: Location,
    /// The text in its place.
    pub text: String,
}

impl Diagnostic {
    /// Returns the edit that follows the help. `None` if the help is not to replace a text, or if
    /// the text at the location is another one.
    pub fn edit(&self) -> Option<Edit> {
        let replacement = self.help.as_ref()?.replacement.as_ref()?;
        let location = self.location.as_ref()?;
        let source = &location.source.text;
        let (span, is_in_string) = match &replacement.old {
            Replaced::Text(old) => find_text(source, &location.span, old)?,
            Replaced::Element => match find_element(source, location.span.start) {
                Some(element) if replacement.new.is_empty() => {
                    (with_separator(source, element)?, false)
                }
                Some(element) => (element, false),
                None => (location.span.clone(), true),
            },
        };
        if is_in_string && replacement.new.contains(['"', '\\']) {
            return None;
        }
        Some(Edit {
            location: Location {
                span,
                ..location.clone()
            },
            text: replacement.new.clone(),
        })
    }
}

/// Returns the range of `old` at `span`, which is the whole or the text of a string literal, and
/// whether it is in a string.
fn find_text(source: &str, span: &Range<usize>, old: &str) -> Option<(Range<usize>, bool)> {
    let found = source.get(span.clone())?;
    if found == old {
        return Some((span.clone(), find_element(source, span.start).is_none()));
    }
    let quoted = found
        .strip_prefix('r')
        .unwrap_or(found)
        .trim_matches('#')
        .strip_prefix('"')?
        .strip_suffix('"')?;
    if quoted != old || old.is_empty() {
        return None;
    }
    let start = span.start + found.find(old)?;
    Some((start..start + old.len(), true))
}

/// Returns the range between commas that has a token at `byte`: a key with its value, an item of a
/// list, or the content of an attribute. `None` if no token starts at `byte`.
fn find_element(source: &str, byte: usize) -> Option<Range<usize>> {
    let mut tokens: TokenStream = source.parse().ok()?;
    loop {
        let trees: Vec<TokenTree> = tokens.into_iter().collect();
        let around = trees.iter().find_map(|tree| match tree {
            TokenTree::Group(group) => {
                let span = group.span().byte_range();
                (span.start < byte && byte < span.end).then(|| group.stream())
            }
            _ => None,
        });
        let Some(inner) = around else {
            let is_comma =
                |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == ',');
            let mut elements = trees.split(is_comma);
            let starts_here = |tree: &TokenTree| tree.span().byte_range().start == byte;
            let element = elements.find(|element| element.iter().any(starts_here))?;
            let (first, last) = (element.first()?, element.last()?);
            return Some(first.span().byte_range().start..last.span().byte_range().end);
        };
        tokens = inner;
    }
}

/// Extends the range of an element to be removed by the comma after or before it. A list of keys
/// without another one is removed with its parentheses, and an attribute with its brackets, unless
/// it means something without keys.
fn with_separator(source: &str, element: Range<usize>) -> Option<Range<usize>> {
    let after = source[element.end..].trim_start();
    let before = source[..element.start].trim_end();
    if let Some(rest) = after.strip_prefix(',') {
        let next = rest.trim_start();
        return Some(element.start..source.len() - next.len());
    }
    if let Some(rest) = before.strip_suffix(',') {
        return Some(rest.len()..element.end);
    }
    if let Some(rest) = before.strip_suffix("#[") {
        let next = after.strip_prefix(']')?.trim_start();
        return Some(rest.len()..source.len() - next.len());
    }
    let (Some(key), Some(rest)) = (before.strip_suffix('('), after.strip_prefix(')')) else {
        return Some(element);
    };
    let end = source.len() - rest.len();
    if key.ends_with("genclient") || key.ends_with("webhook") {
        return Some(key.len()..end);
    }
    let name = key.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
    with_separator(source, name.len()..end)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use genclient_syntax::Help;

    use crate::diagnostic::{Diagnostic, Location, SourceText};

    /// Returns `text` with the edit for the help about `blamed`.
    fn apply(text: &str, blamed: &str, help: Help) -> Option<String> {
        let start = text.find(blamed).unwrap();
        let source = SourceText {
            text: text.to_owned(),
            ..SourceText::default()
        };
        let location = Location {
            source: Arc::new(source),
            span: start..start + blamed.len(),
        };
        let edit = Diagnostic::error("").at(location).help(help).edit()?;
        let mut edited = text.to_owned();
        edited.replace_range(edit.location.span, &edit.text);
        Some(edited)
    }

    #[test]
    fn keys_and_items_are_removed() {
        for (text, blamed, edited) in [
            ("#[crd(a = 1, b)] f: A", "a", "#[crd(b)] f: A"),
            ("#[crd(a = 1, b)] f: A", "1", "#[crd(b)] f: A"),
            ("#[crd(a = 1, b)] f: A", "b", "#[crd(a = 1)] f: A"),
            ("#[crd(a)] f: A", "a", "f: A"),
            ("#[crd(items(a))]\n    f: A", "a", "f: A"),
            ("#[a::rbac(a)] fn f() {}", "a)", "fn f() {}"),
            ("#[cfg(a)] f: A", "cfg", "f: A"),
            ("#[genclient(a)] struct A;", "a", "#[genclient] struct A;"),
            ("#[x(a = [\"b\"])]", "\"b\"", "#[x(a = [])]"),
            (
                "#[x(a = { \"b\": 1, \"c\": 2 })]",
                "2",
                "#[x(a = { \"b\": 1 })]",
            ),
            ("#[x(a = \"b;\")]", ";", "#[x(a = \"b\")]"),
        ] {
            let found = apply(text, blamed, Help::remove("remove it"));
            assert_eq!(found.as_deref(), Some(edited), "{text}");
        }
    }

    #[test]
    fn keys_are_replaced_with_their_values() {
        for (text, blamed, key, edited) in [
            (
                "#[crd(a = \"1\", b)]",
                "\"1\"",
                "a = 1",
                Some("#[crd(a = 1, b)]"),
            ),
            (
                "#[crd(b, a(1))]",
                "a",
                "c(d = 1)",
                Some("#[crd(b, c(d = 1))]"),
            ),
            ("#[crd(b, a)]", "a", "a = \"..\"", None),
            ("#[crd(a = \"b\")]", "b\"", "c\"", None),
        ] {
            let found = apply(text, blamed, Help::write_key(key));
            assert_eq!(found.as_deref(), edited, "{text}");
        }
    }
}
