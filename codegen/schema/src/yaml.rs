//! Limits of the YAML parser. Aliases expand as far as Go's decoder admits.

use std::collections::{HashMap, HashSet};

use serde_saphyr::granit_parser::{self, Event, Parser, ScalarStyle};

/// Returns the parser options for a request body or for a file. They admit a file with all
/// definitions and objects of a large cluster.
pub fn options(text: &str) -> serde_saphyr::Options {
    serde_saphyr::options! {
        budget: budget(),
        alias_limits: serde_saphyr::alias_limits! {
            max_total_replayed_events: max_replayed_events(text),
        },
        with_snippet: false,
    }
}

fn budget() -> Option<serde_saphyr::Budget> {
    serde_saphyr::budget! {
        max_depth: 200,
        max_nodes: 20_000_000,
        max_events: 60_000_000,
        max_total_scalar_bytes: 1 << 30,
        max_documents: 100_000,
        // Go has no limits of these. `max_replayed_events` limits what aliases expand to.
        max_aliases: usize::MAX,
        max_anchors: usize::MAX,
        max_merge_keys: usize::MAX,
        enforce_alias_anchor_ratio: false,
    }
}

/// Returns the number of events that aliases of one document may add.
///
/// The parser's limit is a number, but that of Go depends on the size of the document up to each
/// alias. So this function reads the text with the same parser, and counts as Go does.
fn max_replayed_events(text: &str) -> usize {
    if !has_aliases(text) {
        return 0;
    }
    let budget = budget().unwrap_or_default();
    let options = granit_parser::options! {
        simple_key_max_lookahead: budget.simple_key_max_lookahead,
        flow_nesting_limit: budget.flow_nesting_limit,
        block_nesting_limit: budget.max_depth + 1,
    };
    let mut max = 0;
    let mut document = ReadDocument::default();
    for event in Parser::new_from_str_with_options(text, options) {
        // The parser of the options will stop at the same syntax error.
        let Ok((event, _)) = event else {
            break;
        };
        if let Event::DocumentStart(..) = event {
            document = ReadDocument::default();
        }
        let before = document.replayed;
        document.enter(&event);
        if document.count.is_excessive() {
            // If no alias is to blame, but a document that is too large for those before, the first
            // alias is refused.
            return if document.replayed > before {
                before
            } else {
                0
            };
        }
        max = max.max(document.replayed);
    }
    max
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

/// ExpandedSize of a node with all of its aliases expanded.
#[derive(Clone, Copy, Default)]
struct ExpandedSize {
    /// Nodes that Go decodes.
    nodes: u32,
    /// Events of the parser.
    events: usize,
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
    size: ExpandedSize,
    /// Events that aliases have added.
    replayed: usize,
    /// Sizes by the numbers of the anchors.
    anchors: HashMap<usize, ExpandedSize>,
    /// The open lists and maps, each with its anchor, or 0, and the size before it.
    open: Vec<(OpenCollection, usize, ExpandedSize)>,
}

impl ReadDocument {
    fn enter(&mut self, event: &Event<'_>) {
        match event {
            // Go counts the document as a node.
            Event::DocumentStart(..) => self.count.decoded += 1,
            Event::Scalar(value, style, anchor, tag) => {
                let before = self.size;
                let is_plain = *style == ScalarStyle::Plain && tag.is_none();
                let is_merge_key = self.is_at_key() && is_plain && value == "<<";
                // Go does not decode the key of a merge.
                self.add(!is_merge_key);
                self.next(is_merge_key);
                self.close(*anchor, before);
            }
            Event::SequenceStart(_, anchor, _) => {
                let before = self.size;
                // Go decodes the items of a merge, but not their list.
                self.add(!self.is_merged());
                self.next(false);
                self.open.push((OpenCollection::List, *anchor, before));
            }
            Event::MappingStart(_, anchor, _) => {
                let before = self.size;
                self.add(true);
                self.next(false);
                let map = OpenCollection::Map {
                    is_at_key: true,
                    merges: false,
                };
                self.open.push((map, *anchor, before));
            }
            Event::SequenceEnd | Event::MappingEnd => {
                self.size.events += 1;
                if let Some((_, anchor, before)) = self.open.pop() {
                    self.close(anchor, before);
                }
            }
            Event::Alias(anchor) => {
                let target = self.anchors.get(anchor).copied().unwrap_or_default();
                self.replayed = self.replayed.saturating_add(target.events);
                self.size.events = self.size.events.saturating_add(target.events);
                // The alias is a node of its own.
                let nodes = target.nodes.saturating_add(1);
                self.size.nodes = self.size.nodes.saturating_add(nodes);
                self.count.decoded = self.count.decoded.saturating_add(nodes);
                self.count.aliased = self.count.aliased.saturating_add(target.nodes);
                self.next(false);
            }
            _ => {}
        }
    }

    /// Adds a node that is no alias.
    fn add(&mut self, is_decoded: bool) {
        let nodes = u32::from(is_decoded);
        self.size.nodes = self.size.nodes.saturating_add(nodes);
        self.count.decoded = self.count.decoded.saturating_add(nodes);
        self.size.events = self.size.events.saturating_add(1);
    }

    /// Stores the size of a complete node that has an anchor.
    fn close(&mut self, anchor: usize, before: ExpandedSize) {
        if anchor != 0 {
            let size = ExpandedSize {
                nodes: self.size.nodes - before.nodes,
                events: self.size.events - before.events,
            };
            self.anchors.insert(anchor, size);
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
    fn next(&mut self, after_merge_key: bool) {
        if let Some((OpenCollection::Map { is_at_key, merges }, ..)) = self.open.last_mut() {
            *is_at_key = !*is_at_key;
            *merges = after_merge_key;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{DecodeCount, max_replayed_events};

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
            max_replayed_events(&self.text()) < self.aliases * (self.size + 2)
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
    fn every_document_has_limits_of_its_own() {
        let refused = Case {
            before: 0,
            size: 100,
            aliases: 3924,
            after: 0,
        };
        let text = refused.text();
        let admitted = format!("{}---\n{0}", text.replacen("*a,", "", 1));
        assert_eq!(max_replayed_events(&admitted), 3923 * 102);
        assert_eq!(
            max_replayed_events(&format!("{admitted}---\n{text}")),
            3923 * 102
        );
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
                document.enter(&event.unwrap().0);
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
