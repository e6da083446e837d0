//! Texts of a pattern, a format or a length.

use proptest::prelude::*;
use proptest::string::{string_regex, string_regex_parsed};
use regex_syntax::hir::{Hir, HirKind};
use serde_json::Value;

use crate::json_schema;

/// Longer than they have to be.
const MORE: u64 = 12;

/// For each format a pattern whose texts are as serde would write them.
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

/// Texts that a schema admits; those of two patterns are to be looked through.
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

/// Texts that the pattern may match, and most often does.
fn matching(pattern: &str) -> BoxedStrategy<String> {
    let pattern = json_schema::unquoted(pattern);
    let parsed = regex_syntax::parse(&pattern).expect("the API server takes the pattern");
    string_regex_parsed(&unanchored(&parsed))
        .expect("a pattern without anchors")
        .boxed()
}

/// The pattern without what holds at a place and takes up none, of which proptest makes nothing.
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
