use serde_json::{Value, json};

use super::node::YamlNode;
use super::writer;

fn render(value: &Value) -> String {
    writer::write_document(&YamlNode::from(value))
}

/// Strings that some parser misreads, or that a naive writer breaks.
const STRINGS: &[&str] = &[
    "",
    " ",
    "a",
    " a",
    "a ",
    "a b",
    "yes",
    "No",
    "on",
    "OFF",
    "y",
    "N",
    "true",
    "False",
    "null",
    "Null",
    "~",
    "nan",
    ".NaN",
    ".inf",
    "-.Inf",
    "1",
    "-1",
    "+1",
    "1.5",
    "1e3",
    "1_000",
    "0x1F",
    "0o17",
    "017",
    "0b1",
    "1:30",
    "190:20:30",
    ".5",
    "._1",
    "2020-01-01",
    "2020-01-01T00:00:00Z",
    "-",
    "- a",
    "-a",
    "?",
    "? a",
    ":",
    ": a",
    "a:",
    "a: b",
    "a:b",
    "#",
    "a #b",
    "a#b",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "%a",
    "@a",
    "`a`",
    "'a'",
    "\"a\"",
    "[a]",
    "{a}",
    "a, b",
    "a]",
    "=",
    "<<",
    "---",
    "...",
    "--- a",
    "\\",
    "a\\b",
    "\t",
    "a\tb",
    "\ta",
    "\n",
    "a\n",
    "a\n\n",
    "\na",
    "a\nb",
    "a\nb\n",
    "a\n\nb",
    "a\n  b\n c",
    " a\nb",
    "a \nb",
    "a\nb ",
    "a\n \nb",
    "a\n\tb",
    "\ta\nb",
    "a\r\nb",
    "a\rb",
    "---\na",
    "# a\nb",
    "a: |\n  b",
    "\u{0}",
    "\u{7f}",
    "\u{85}",
    "\u{a0}",
    "a\u{2028}b",
    "\u{feff}a",
    "a\u{feff}\nb",
    "äöü",
    "日本\n語",
    "😀",
    "e\u{301}",
    "\u{200b}",
    "a\u{1b}b\nc",
];

fn check_round_trip(value: &Value) {
    let text = render(value);
    let read: Value = serde_saphyr::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}\nof {value}\nin:\n{text}"));
    assert_eq!(read, *value, "in:\n{text}");
    // Reads with libyaml, which Go's YAML parsers are ported from.
    let read: Value = yaml_serde::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}\nof {value}\nin:\n{text}"));
    assert_eq!(read, *value, "in:\n{text}");
    let spaced = text.lines().find(|line| line.ends_with([' ', '\t']));
    assert_eq!(spaced, None, "in:\n{text}");
    assert!(text.ends_with('\n') && !text.contains('\r'), "in:\n{text}");
}

#[test]
fn strings_round_trip_in_every_position() {
    for text in STRINGS {
        check_round_trip(
            &json!({ "a": text, "b": { "c": text }, "d": [text, [text], { "e": text, "f": 1 }] }),
        );
        check_round_trip(&json!({ *text: { *text: 1 }, "list": [{ *text: [text] }] }));
    }
}

#[test]
fn other_values_round_trip() {
    check_round_trip(&json!({
        "null": null, "true": true, "number": -1, "float": 0.5, "large": u64::MAX, "small": 1e-7, "exact": 1e21,
        "empty": [{}, [], [[]], [{}], "", null], "nested": [[[1, 2], [3]], { "a": [{ "b": { "c": [] } }] }],
    }));
}

/// YAML 1.1 booleans, numbers, dates and nulls are quoted.
#[test]
fn ambiguous_scalars_are_quoted() {
    for text in [
        "yes",
        "No",
        "on",
        "Off",
        "y",
        "n",
        "true",
        "NULL",
        "~",
        "1_000",
        "0x1F",
        "017",
        "1:30",
        "2020-01-01",
        ".5",
        "-1",
        "=",
        "<<",
        "",
    ] {
        assert_eq!(render(&json!({ "a": text })), format!("a: \"{text}\"\n"));
    }
    for text in [
        "a",
        "a b",
        "self.a == 'b'",
        "^[a-z]+$",
        "https://example.com",
        "date-time",
    ] {
        assert_eq!(render(&json!({ "a": text })), format!("a: {text}\n"));
    }
}

#[test]
fn long_keys_round_trip() {
    for length in [999, 1001, 1024, 1025, 5000] {
        let key = "k".repeat(length);
        check_round_trip(
            &json!({ key.as_str(): { "a": 1 }, "b": [{ key.as_str(): "text" }, { key: [1] }] }),
        );
    }
}

/// Random strings of special characters, from a fixed seed.
#[test]
fn random_strings_round_trip() {
    let pieces = [
        "a", "b", "1", "0", " ", "  ", "\n", "\n\n", "\t", ":", "#", "-", "_", ".", "'", "\"",
        "\\", "|", ">", "&", "*", "!", "%", "[", "]", "{", "}", ",", "?", "ä", "\u{2029}", "e",
        "x",
    ];
    let mut seed: u64 = 42;
    let mut next = |below: usize| {
        // Knuth's linear congruential generator.
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % below
    };
    for _ in 0..5_000 {
        let length = next(8);
        let text: String = (0..length).map(|_| pieces[next(pieces.len())]).collect();
        check_round_trip(
            &json!({ "a": text, "b": [text, { "c": text }], "d": { text.as_str(): text } }),
        );
    }
}
