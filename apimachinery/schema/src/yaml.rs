//! YAML documents, and limits of the parser. Aliases expand as far as Go's decoder admits.

use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::DeserializeOwned;
use serde_saphyr::Error;
use serde_saphyr::budget::BudgetBreach;
use serde_saphyr::granit_parser::{self, Event, Parser, ScalarStyle};

/// An error of a YAML text from a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// What is wrong, with the place.
    pub message: String,
    /// A suggested fix.
    pub help: String,
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ReadError {}

/// Reads the documents of a text from a user. `place` names the text in messages.
///
/// # Errors
///
/// The text is not YAML, or a document is not a `T`.
pub fn documents<T: DeserializeOwned>(text: &str, place: &str) -> Result<Vec<T>, ReadError> {
    serde_saphyr::from_multiple_with_options(text, options(text))
        .map_err(|error| unreadable(place, &error))
}

fn unreadable(place: &str, error: &serde_saphyr::Error) -> ReadError {
    let place = match error.location() {
        Some(at) => format!("{place}:{}:{}", at.line(), at.column()),
        None => place.to_owned(),
    };
    if is_excessive_aliasing(error) {
        return ReadError {
            message: format!("{place}: the aliases expand to too many values"),
            help: "write the values themselves instead of nested aliases".to_owned(),
        };
    }
    ReadError {
        message: format!("{place} is not valid YAML: {}", error.without_snippet()),
        help: "fix the syntax error, or name only the files with CRDs".to_owned(),
    }
}

/// Returns the parser options for a request body or for a file. They admit a file with all
/// definitions and objects of a large cluster.
pub fn options(text: &str) -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: Some(budget(count_admitted_aliases(text))),
        alias_limits: serde_saphyr::alias_limits! {
            // The number of aliases limits what they expand to.
            max_total_replayed_events: usize::MAX,
        },
        with_snippet: false,
    }
}

/// Returns whether the parser has stopped at an alias because the aliases expand too far.
pub fn is_excessive_aliasing(error: &serde_saphyr::Error) -> bool {
    match error {
        Error::AliasError { error, .. } => is_excessive_aliasing(error),
        Error::Budget { breach, .. } => matches!(breach, BudgetBreach::Aliases { .. }),
        _ => false,
    }
}

fn budget(max_aliases: usize) -> serde_saphyr::Budget {
    let budget = serde_saphyr::budget! {
        max_depth: 200,
        max_nodes: 20_000_000,
        max_events: 60_000_000,
        max_total_scalar_bytes: 1 << 30,
        max_documents: 100_000,
        max_aliases: max_aliases,
        // Go has no limits of these.
        max_anchors: usize::MAX,
        max_merge_keys: usize::MAX,
        enforce_alias_anchor_ratio: false,
    };
    budget.unwrap_or_default()
}

/// Returns the number of aliases in the text before the first one that Go's decoder refuses.
///
/// The parser can limit the number of aliases in a text. Go limits the share of nodes that aliases
/// add, which depends on the size of a document up to each alias. So this function reads the text
/// with the same parser, and counts the nodes as Go does.
fn count_admitted_aliases(text: &str) -> usize {
    if !has_aliases(text) {
        return usize::MAX;
    }
    let budget = budget(usize::MAX);
    let options = granit_parser::options! {
        simple_key_max_lookahead: budget.simple_key_max_lookahead,
        flow_nesting_limit: budget.flow_nesting_limit,
        block_nesting_limit: budget.max_depth + 1,
    };
    let mut document = ReadDocument::default();
    let (mut before_document, mut before) = (0, 0);
    for event in Parser::new_from_str_with_options(text, options) {
        // The parser of the options will stop at the same syntax error.
        let Ok((event, _)) = event else {
            break;
        };
        if let Event::DocumentStart(..) = event {
            document = ReadDocument::default();
            before_document = before;
        }
        document.add_event(&event);
        let is_alias = matches!(event, Event::Alias(_));
        if document.count.is_excessive() {
            // In a large document, Go admits a smaller share. Other nodes can thus exceed the limit
            // as well; then the first alias of the document is refused.
            return if is_alias { before } else { before_document };
        }
        before += usize::from(is_alias);
    }
    usize::MAX
}

/// Returns false if no alias can have an anchor. Most texts have none, and need not be read twice.
fn has_aliases(text: &str) -> bool {
    let is_end = |c: char| c.is_whitespace() || matches!(c, ',' | '[' | ']' | '{' | '}');
    let names = |mark: char| {
        text.split(mark)
            .skip(1)
            .filter_map(move |rest| rest.split(is_end).next())
            .map(|name| name.trim_end_matches(':'))
            .filter(|name| !name.is_empty())
    };
    let anchors: HashSet<&str> = names('&').collect();
    !anchors.is_empty() && names('*').any(|name| anchors.contains(name))
}

/// Counts of Go's decoder.
///
/// Source: `decoder.unmarshal` and `allowedAliasRatio` of `decode.go` in `go.yaml.in/yaml/v2`,
/// which `sigs.k8s.io/yaml` calls.
#[derive(Default)]
struct DecodeCount {
    /// Decoded nodes, including those of aliases.
    decoded: u32,
    /// Decoded nodes of aliases.
    aliased: u32,
}

impl DecodeCount {
    fn is_excessive(&self) -> bool {
        let ratio = f64::from(self.aliased) / f64::from(self.decoded);
        self.aliased > 100 && self.decoded > 1000 && ratio > self.allowed_ratio()
    }

    fn allowed_ratio(&self) -> f64 {
        const LOW: u32 = 400_000;
        const HIGH: u32 = 4_000_000;
        match self.decoded {
            ..=LOW => 0.99,
            HIGH.. => 0.10,
            decoded => 0.99 - 0.89 * (f64::from(decoded - LOW) / f64::from(HIGH - LOW)),
        }
    }
}

/// A list or map that the reader is in.
enum OpenCollection {
    List,
    Map {
        is_at_key: bool,
        /// True after the key `<<`.
        merges: bool,
    },
}

/// The part of a document that has been read.
#[derive(Default)]
struct ReadDocument {
    count: DecodeCount,
    /// Decoded nodes of each anchor, by the numbers of the anchors.
    anchors: HashMap<usize, u32>,
    /// The open lists and maps, each with its anchor, or 0, and the number of decoded nodes before
    /// it.
    open: Vec<(OpenCollection, usize, u32)>,
}

impl ReadDocument {
    fn add_event(&mut self, event: &Event<'_>) {
        let before = self.count.decoded;
        match event {
            // Go counts the document as a node.
            Event::DocumentStart(..) => self.count.decoded += 1,
            Event::Scalar(value, style, anchor, tag) => {
                let is_plain = *style == ScalarStyle::Plain && tag.is_none();
                let is_merge_key = self.is_at_key() && is_plain && value == "<<";
                // Go does not decode the key of a merge.
                self.add_nodes(u32::from(!is_merge_key));
                self.move_to_next_node(is_merge_key);
                self.close_node(*anchor, before);
            }
            Event::SequenceStart(_, anchor, _) => {
                // Go decodes the items of a merge, but not their list.
                self.add_nodes(u32::from(!self.is_merged()));
                self.move_to_next_node(false);
                self.open.push((OpenCollection::List, *anchor, before));
            }
            Event::MappingStart(_, anchor, _) => {
                self.add_nodes(1);
                self.move_to_next_node(false);
                let map = OpenCollection::Map {
                    is_at_key: true,
                    merges: false,
                };
                self.open.push((map, *anchor, before));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some((_, anchor, before)) = self.open.pop() {
                    self.close_node(anchor, before);
                }
            }
            Event::Alias(anchor) => {
                let target = self.anchors.get(anchor).copied().unwrap_or_default();
                // The alias is a node of its own.
                self.add_nodes(target.saturating_add(1));
                self.count.aliased = self.count.aliased.saturating_add(target);
                self.move_to_next_node(false);
            }
            _ => {}
        }
    }

    fn add_nodes(&mut self, nodes: u32) {
        self.count.decoded = self.count.decoded.saturating_add(nodes);
    }

    /// Stores the size of a complete node that has an anchor. `before` is the number of decoded
    /// nodes before it.
    fn close_node(&mut self, anchor: usize, before: u32) {
        if anchor != 0 {
            self.anchors.insert(anchor, self.count.decoded - before);
        }
    }

    fn is_at_key(&self) -> bool {
        let last = self.open.last();
        matches!(last, Some((OpenCollection::Map { is_at_key, .. }, ..)) if *is_at_key)
    }

    /// Returns whether the next node is the value of the key `<<`.
    fn is_merged(&self) -> bool {
        let last = self.open.last();
        matches!(last, Some((OpenCollection::Map { merges, .. }, ..)) if *merges)
    }

    /// Moves from a key to its value, or from a value to the next key.
    fn move_to_next_node(&mut self, after_merge_key: bool) {
        if let Some((OpenCollection::Map { is_at_key, merges }, ..)) = self.open.last_mut() {
            *is_at_key = !*is_at_key;
            *merges = after_merge_key;
        }
    }
}

#[cfg(test)]
mod tests {
    use serde::de::IgnoredAny;

    use super::{DecodeCount, count_admitted_aliases, is_excessive_aliasing, options};

    /// `before` and `after` plain nodes, and `aliases` aliases of a list of `size` items.
    struct Case {
        before: usize,
        size: usize,
        aliases: usize,
        after: usize,
    }

    impl Case {
        fn text(&self) -> String {
            let list = |item: &str, count| vec![item; count].join(",");
            let Self {
                before,
                size,
                aliases,
                after,
            } = *self;
            let (before, after) = (list("x", before), list("x", after));
            let (size, aliases) = (list("x", size), list("*a", aliases));
            format!("before: [{before}]\na: &a [{size}]\nall: [{aliases}]\nafter: [{after}]\n")
        }

        fn is_refused(&self) -> bool {
            count_admitted_aliases(&self.text()) < self.aliases
        }
    }

    /// Recorded from `Unmarshal` of `go.yaml.in/yaml/v2` 2.4.3: the largest number of aliases.
    #[test]
    fn aliases_expand_as_far_as_in_go() {
        for (before, size, after, aliases) in [
            (0, 100, 0, 3923),
            (10, 100, 0, 3924),
            (1000, 9, 0, 66_487),
            (100_000, 1000, 0, 743),
        ] {
            let mut case = Case {
                before,
                size,
                aliases,
                after,
            };
            assert!(!case.is_refused(), "{before} {size} {after}");
            case.aliases += 1;
            assert!(case.is_refused(), "{before} {size} {after}");
        }
    }

    #[test]
    fn the_share_of_aliases_falls_with_the_number_of_nodes() {
        for (decoded, aliased, is_excessive) in [
            (1000, 1000, false),
            (1001, 100, false),
            (1001, 1000, true),
            (400_000, 396_000, false),
            (400_001, 396_001, true),
            (2_200_000, 1_198_999, false),
            (2_200_000, 1_199_001, true),
            (9_000_000, 900_000, false),
            (9_000_000, 900_001, true),
        ] {
            let count = DecodeCount { decoded, aliased };
            assert_eq!(count.is_excessive(), is_excessive, "{decoded} {aliased}");
        }
    }

    #[test]
    fn the_first_excessive_alias_is_refused() {
        let case = |size, aliases| Case {
            before: 0,
            size,
            aliases,
            after: 0,
        };
        // Fewer aliases of the larger list, which expand to more nodes.
        let [small, large] = [200, 300].map(|size| {
            let most = count_admitted_aliases(&case(size, 1000).text());
            assert!((140..=210).contains(&most), "{most}");
            case(size, most)
        });
        let refused = case(200, small.aliases + 1);
        // The aliases are in the third of the four lines of a document.
        for (documents, line) in [
            (&[&small, &large, &small][..], None),
            (&[&refused], Some(3)),
            (&[&refused, &small], Some(3)),
            (&[&small, &refused], Some(8)),
            (&[&large, &small, &refused], Some(13)),
        ] {
            let texts: Vec<_> = documents.iter().map(|case| case.text()).collect();
            let text = texts.join("---\n");
            let read =
                serde_saphyr::from_multiple_with_options::<IgnoredAny>(&text, options(&text));
            let error = read.err();
            assert!(
                error.as_ref().is_none_or(is_excessive_aliasing),
                "{error:?}"
            );
            let location = error.and_then(|error| error.location());
            assert_eq!(location.map(|location| location.line()), line);
        }
    }

    #[test]
    fn keys_of_merges_are_not_decoded() {
        for (merge, nodes) in [
            ("<<: *a", 4),
            ("<<: [*a]", 4),
            ("\"<<\": *a", 5),
            ("b: *a", 5),
        ] {
            let text = format!(
                "a: &a {{c: d}}\nall:\n{}",
                format!("- {{{merge}}}\n").repeat(9)
            );
            let mut document = super::ReadDocument::default();
            for event in super::Parser::new_from_str(&text) {
                document.add_event(&event.unwrap().0);
            }
            // The document, its map, the keys and values, and nine items.
            let decoded = 1 + 1 + 2 + 3 + 1 + 9 * (1 + nodes);
            assert_eq!(document.count.decoded, decoded, "{merge}");
            assert_eq!(document.count.aliased, 9 * 3, "{merge}");
        }
    }

    #[test]
    fn texts_without_anchored_aliases_are_read_once() {
        for (text, has_aliases) in [
            ("a: &a 1\nb: *a\n", true),
            ("{a: &a 1, *a: 2}", true),
            ("a: this & *that*\n", false),
            ("a: &a 1\nb: '*'\n", false),
        ] {
            assert_eq!(super::has_aliases(text), has_aliases, "{text}");
        }
    }
}
