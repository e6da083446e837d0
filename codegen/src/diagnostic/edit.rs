//! Edits: changes of a file that follow the help of a finding.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use genclient_syntax::Replaced;
use proc_macro2::{TokenStream, TokenTree};

use super::{Diagnostic, Location, SourceText};

/// A change of a file that follows the help of a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text that is replaced.
    pub location: Location,
    /// The text in its place.
    pub text: String,
}

/// Finder of edits. Consecutive findings in one file cost one parse of the file.
#[derive(Debug, Default)]
pub struct EditFinder {
    last: Option<(Arc<SourceText>, Elements)>,
}

impl Diagnostic {
    /// Returns the edit that follows the help. `None` if the help is not to replace a text, or if
    /// the text at the location is another one.
    pub fn edit(&self) -> Option<Edit> {
        EditFinder::default().edit(self)
    }
}

impl EditFinder {
    /// Returns the edit of a finding, as [`Diagnostic::edit`] does.
    pub fn edit(&mut self, finding: &Diagnostic) -> Option<Edit> {
        let replacement = finding.help.as_ref()?.replacement.as_ref()?;
        let location = finding.location.as_ref()?;
        let source = &location.source.text;
        let elements = self.elements(&location.source);
        let (span, is_in_string) = match &replacement.old {
            Replaced::Text(old) => {
                let (span, is_quoted) = find_text(source, &location.span, old)?;
                let is_token = elements.contains_key(&span.start);
                (span, is_quoted || !is_token)
            }
            Replaced::Element => match elements.get(&location.span.start) {
                Some(element) if replacement.new.is_empty() => {
                    (element.removal(source, elements)?, false)
                }
                Some(element) => (element.span.clone(), false),
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

    fn elements(&mut self, source: &Arc<SourceText>) -> &Elements {
        let last = self.last.take();
        let (_, elements) = self.last.insert(match last {
            Some(last) if Arc::ptr_eq(&last.0, source) => last,
            _ => (Arc::clone(source), parse_elements(&source.text)),
        });
        elements
    }
}

/// Returns the range of `old` at `span`, which is the whole or the text of a string literal, and
/// whether it is such a text.
fn find_text(source: &str, span: &Range<usize>, old: &str) -> Option<(Range<usize>, bool)> {
    let found = source.get(span.clone())?;
    if found == old {
        return Some((span.clone(), false));
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

/// The elements of a file, by the bytes where their tokens start.
type Elements = BTreeMap<usize, ListElement>;

/// The tokens between commas: a key with its value, an item of a list, or the content of an
/// attribute.
#[derive(Clone, Debug)]
struct ListElement {
    span: Range<usize>,
    /// The byte of the comma before it.
    comma_before: Option<usize>,
    /// The byte of the comma after it.
    comma_after: Option<usize>,
}

/// Returns the elements of a file. There are none if it is not Rust.
fn parse_elements(source: &str) -> Elements {
    let mut elements = Elements::new();
    if let Ok(tokens) = source.parse() {
        add_elements(tokens, &mut elements);
    }
    elements
}

fn add_elements(tokens: TokenStream, elements: &mut Elements) {
    let trees: Vec<TokenTree> = tokens.into_iter().collect();
    let is_comma = |tree: &TokenTree| matches!(tree, TokenTree::Punct(p) if p.as_char() == ',');
    let start = |tree: &TokenTree| tree.span().byte_range().start;
    let mut comma_before = None;
    for piece in trees.split_inclusive(is_comma) {
        let comma = piece.last().filter(|last| is_comma(last));
        let comma_after = comma.map(start);
        let tokens = &piece[..piece.len() - usize::from(comma.is_some())];
        if let (Some(first), Some(last)) = (tokens.first(), tokens.last()) {
            let element = ListElement {
                span: start(first)..last.span().byte_range().end,
                comma_before,
                comma_after,
            };
            elements.extend(tokens.iter().map(|tree| (start(tree), element.clone())));
        }
        comma_before = comma_after;
    }
    for tree in trees {
        if let TokenTree::Group(group) = tree {
            add_elements(group.stream(), elements);
        }
    }
}

impl ListElement {
    /// Returns the range to remove: the element with the comma after or before it. The only key of
    /// a list is removed with the parentheses, and the only content of an attribute with the
    /// brackets, unless the list or attribute means something without keys.
    fn removal(&self, source: &str, elements: &Elements) -> Option<Range<usize>> {
        let Range { start, end } = self.span;
        if let Some(comma) = self.comma_after {
            let next = source[comma + 1..].trim_start();
            return Some(start..source.len() - next.len());
        }
        if let Some(comma) = self.comma_before {
            // A comment after the comma is about the element before it. The comma may stay.
            let is_adjacent = source[comma + 1..start].trim().is_empty();
            return Some(if is_adjacent { comma } else { start }..end);
        }
        let before = source[..start].trim_end();
        // A comment there may be about the list or attribute.
        if !before.ends_with(['(', '[', '{']) {
            return None;
        }
        let after = source[end..].trim_start();
        if let Some(rest) = before.strip_suffix("#[") {
            let next = after.strip_prefix(']')?.trim_start();
            return Some(rest.len()..source.len() - next.len());
        }
        let (Some(key), Some(rest)) = (before.strip_suffix('('), after.strip_prefix(')')) else {
            return Some(start..end);
        };
        if key.ends_with("genclient") || key.ends_with("webhook") {
            return Some(key.len()..source.len() - rest.len());
        }
        let name = key.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
        elements.get(&name.len())?.removal(source, elements)
    }
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
            (
                "#[crd(a = 1, // note,\n b)]",
                "b",
                "#[crd(a = 1, // note,\n )]",
            ),
            ("#[crd(a = 1 /* , */, b)]", "b", "#[crd(a = 1 /* , */)]"),
            ("#[crd(a /* c */, b = 1)]", "a /", "#[crd(b = 1)]"),
            ("#[crd(a // c,\n, b = 1)]", "a /", "#[crd(b = 1)]"),
            ("#[crd(a, /* c, */ b)]", "a,", "#[crd(/* c, */ b)]"),
            ("#[crd(a /* c */)]", "a /", "#[crd( /* c */)]"),
        ] {
            let found = apply(text, blamed, Help::remove("remove it"));
            assert_eq!(found.as_deref(), Some(edited), "{text}");
        }
    }

    #[test]
    fn attributes_with_comments_are_not_removed() {
        for text in ["#[/* c */ cfg(a)] f: A", "#[cfg(a) /* c */] f: A", "cfg"] {
            let edited = apply(text, "cfg", Help::remove("remove it"));
            assert_eq!(edited, None, "{text}");
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
