//! Strategies for strings with a pattern, a format or a length.

use proptest::prelude::*;
use proptest::string::{string_regex, string_regex_parsed};
use regex_syntax::hir::{Hir, HirKind};
use serde_json::Value;

use crate::json_schema;

/// Maximum length of a string above its lower bound.
const MORE: u64 = 12;

/// A pattern for each format, of strings as serde writes them.
const FORMATS: &[(&str, &str)] = &[
    ("byte", "([A-Za-z0-9+/]{4}){0,3}"),
    (
        "date-time",
        "20[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|1[0-9]|2[0-8])T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z",
    ),
    (
        "ipv4",
        r"(1?[0-9]{1,2}|25[0-5])(\.(1[0-9]{2}|[1-9]?[0-9])){3}",
    ),
    ("ipv6", "fe80(:[1-9a-f][0-9a-f]{0,3}){7}|::1"),
    (
        "uri",
        "https://[a-z]{1,9}\\.example\\.com(/[a-z]{1,9}){0,2}",
    ),
    ("email", "[a-z]{1,9}@[a-z]{1,9}\\.example\\.com"),
];

/// Returns strings for the pattern of a schema, or else its format, or else its length. The caller
/// filters the rest.
pub fn of(schema: &Value) -> BoxedStrategy<Value> {
    let texts = if let Some(pattern) = schema["pattern"].as_str() {
        matching(pattern)
    } else if let Some(format) = schema["format"].as_str() {
        let found = FORMATS.iter().find(|(name, _)| *name == format);
        let (_, pattern) = found.unwrap_or_else(|| panic!("no texts of the format {format}"));
        string_regex(pattern).expect("a pattern above").boxed()
    } else {
        let least = schema["minLength"].as_u64().unwrap_or(0);
        let most = schema["maxLength"].as_u64().unwrap_or(u64::MAX);
        let pattern = format!("[ -~äß€]{{{least},{}}}", most.min(least + MORE));
        string_regex(&pattern).expect("a class").boxed()
    };
    texts.prop_map(Value::from).boxed()
}

/// Returns strings for a pattern. Most of them match it.
fn matching(pattern: &str) -> BoxedStrategy<String> {
    let pattern = json_schema::unquoted(pattern);
    let parsed = regex_syntax::parse(&pattern).expect("the API server takes the pattern");
    string_regex_parsed(&unanchored(&parsed))
        .expect("a pattern without anchors")
        .boxed()
}

/// Returns the pattern without anchors and other zero-width assertions, which proptest cannot
/// generate from.
fn unanchored(pattern: &Hir) -> Hir {
    match pattern.kind() {
        HirKind::Look(_) => Hir::empty(),
        HirKind::Concat(parts) => Hir::concat(parts.iter().map(unanchored).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.iter().map(unanchored).collect()),
        HirKind::Capture(capture) => unanchored(&capture.sub),
        HirKind::Repetition(repetition) => {
            let mut repetition = repetition.clone();
            repetition.sub = Box::new(unanchored(&repetition.sub));
            Hir::repetition(repetition)
        }
        _ => pattern.clone(),
    }
}
