//! JSON values → YAML text that YAML 1.1 and 1.2 readers understand alike.
//!
//! One fixed style: maps in the value's order, lists at their key's indent, `|` blocks for several lines, double quotes where
//! a plain word could be read as anything but a string. Lines are never folded and never end in a space.

use serde_json::Value;

/// The text of one document, a map.
pub(super) fn document(value: &Value) -> String {
    let mut out = String::new();
    block(value, 0, &mut out);
    out
}

/// A value that starts on a line of its own.
fn block(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(map) if !map.is_empty() => {
            for (at, (key, value)) in map.iter().enumerate() {
                if at > 0 || out.ends_with('\n') || out.is_empty() {
                    pad(indent, out);
                }
                self::key(key, indent, out);
                after_key(value, indent, out);
            }
        }
        Value::Array(items) if !items.is_empty() => {
            for (at, item) in items.iter().enumerate() {
                if at > 0 || out.ends_with('\n') || out.is_empty() {
                    pad(indent, out);
                }
                out.push_str("- ");
                if is_block(item) {
                    block(item, indent + 2, out);
                } else {
                    scalar(item, indent, out);
                    out.push('\n');
                }
            }
        }
        _ => {
            scalar(value, indent, out);
            out.push('\n');
        }
    }
}

/// A reader looks no further than 1024 characters for the colon after a key; a longer one is marked.
fn key(key: &str, indent: usize, out: &mut String) {
    let start = out.len();
    string(key, out);
    if out.len() - start > 1000 {
        out.insert_str(start, "? ");
        out.push('\n');
        pad(indent, out);
    }
    out.push(':');
}

fn after_key(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Object(_) if is_block(value) => {
            out.push('\n');
            block(value, indent + 2, out);
        }
        Value::Array(_) if is_block(value) => {
            out.push('\n');
            block(value, indent, out);
        }
        _ => {
            out.push(' ');
            scalar(value, indent, out);
            out.push('\n');
        }
    }
}

fn is_block(value: &Value) -> bool {
    match value {
        Value::Object(map) => !map.is_empty(),
        Value::Array(items) => !items.is_empty(),
        _ => false,
    }
}

fn pad(indent: usize, out: &mut String) {
    out.extend(std::iter::repeat_n(' ', indent));
}

fn scalar(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Value::Number(number) => out.push_str(&number.to_string()),
        Value::String(text) if is_literal(text) => literal(text, indent + 2, out),
        Value::String(text) => string(text, out),
        Value::Array(_) => out.push_str("[]"),
        Value::Object(_) => out.push_str("{}"),
    }
}

/// True for several lines that a `|` block holds unchanged.
fn is_literal(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let plain = |c: char| c == '\n' || (!c.is_control() && c != '\u{feff}' && !is_break(c));
    text.contains('\n')
        && !body.is_empty()
        && !body.ends_with('\n')
        && !text.starts_with([' ', '\n'])
        && text.chars().all(plain)
        && body.lines().all(|line| !line.ends_with(' '))
}

/// Line breaks of YAML 1.1 beyond the line feed.
fn is_break(c: char) -> bool {
    matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn literal(text: &str, indent: usize, out: &mut String) {
    let body = text.strip_suffix('\n');
    out.push_str(if body.is_some() { "|" } else { "|-" });
    for line in body.unwrap_or(text).split('\n') {
        out.push('\n');
        if !line.is_empty() {
            pad(indent, out);
            out.push_str(line);
        }
    }
}

/// A string on one line: plain where no reader can mistake it, quoted otherwise.
fn string(text: &str, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
    } else {
        quoted(text, out);
    }
}

fn is_plain(text: &str) -> bool {
    let Some(first) = text.chars().next() else {
        return false;
    };
    let starts_well =
        first.is_ascii_alphabetic() || matches!(first, '/' | '_' | '.' | '^' | '$' | '(');
    starts_well
        && !text.ends_with([' ', ':'])
        && (is_printable_ascii(text) || text.chars().all(is_safe))
        && !text.contains(": ")
        && !text.contains(" #")
        && !is_ambiguous(text)
}

/// Nearly every text is; bytes are looked at faster than characters.
fn is_printable_ascii(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

fn is_safe(c: char) -> bool {
    c == ' ' || (!c.is_control() && !is_break(c) && c != '\u{feff}' && !c.is_whitespace())
}

/// True for words that some reader takes for a boolean, a null or a number.
fn is_ambiguous(text: &str) -> bool {
    const WORDS: [&str; 11] = [
        "y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf",
    ];
    let word = text.strip_prefix('.').unwrap_or(text);
    // `.5`, `._1` and the like are numbers to some readers.
    let dotted_number = text.starts_with(['.', '_'])
        && text[1..].starts_with(|c: char| c.is_ascii_digit() || c == '_');
    WORDS.iter().any(|known| word.eq_ignore_ascii_case(known)) || dotted_number
}

fn quoted(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c.is_control() || is_break(c) || c == '\u{feff}' => {
                out.push_str(&escaped(c));
            }
            c => out.push(c),
        }
    }
    out.push('"');
}

fn escaped(c: char) -> String {
    let code = u32::from(c);
    if code <= 0xff {
        format!("\\x{code:02x}")
    } else {
        format!("\\u{code:04x}")
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::document;

    /// Strings that some reader takes for something else, or that a careless writer breaks.
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

    fn check(value: &Value) {
        let text = document(value);
        let read: Value = serde_saphyr::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}\nof {value}\nin:\n{text}"));
        assert_eq!(read, *value, "in:\n{text}");
        // By libyaml, of which Go's readers are a port.
        let read: Value = yaml_serde::from_str(&text)
            .unwrap_or_else(|error| panic!("{error}\nof {value}\nin:\n{text}"));
        assert_eq!(read, *value, "in:\n{text}");
        let spaced = text.lines().find(|line| line.ends_with([' ', '\t']));
        assert_eq!(spaced, None, "in:\n{text}");
        assert!(text.ends_with('\n') && !text.contains('\r'), "in:\n{text}");
    }

    #[test]
    fn strings_are_read_back_wherever_they_stand() {
        for text in STRINGS {
            check(
                &json!({ "a": text, "b": { "c": text }, "d": [text, [text], { "e": text, "f": 1 }] }),
            );
            check(&json!({ *text: { *text: 1 }, "list": [{ *text: [text] }] }));
        }
    }

    #[test]
    fn other_values_are_read_back() {
        check(&json!({
            "null": null, "true": true, "number": -1, "float": 0.5, "large": u64::MAX, "small": 1e-7, "exact": 1e21,
            "empty": [{}, [], [[]], [{}], "", null], "nested": [[[1, 2], [3]], { "a": [{ "b": { "c": [] } }] }],
        }));
    }

    /// Words that a reader of YAML 1.1 takes for a boolean, a number, a date or a null are quoted.
    #[test]
    fn words_with_another_meaning_are_quoted() {
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
            assert_eq!(document(&json!({ "a": text })), format!("a: \"{text}\"\n"));
        }
        for text in [
            "a",
            "a b",
            "self.a == 'b'",
            "^[a-z]+$",
            "https://example.com",
            "date-time",
        ] {
            assert_eq!(document(&json!({ "a": text })), format!("a: {text}\n"));
        }
    }

    #[test]
    fn long_keys_are_read_back() {
        for length in [999, 1001, 1024, 1025, 5000] {
            let key = "k".repeat(length);
            check(
                &json!({ key.as_str(): { "a": 1 }, "b": [{ key.as_str(): "text" }, { key: [1] }] }),
            );
        }
    }

    /// Random texts of the characters that matter, from a fixed seed.
    #[test]
    fn random_texts_are_read_back() {
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
            check(&json!({ "a": text, "b": [text, { "c": text }], "d": { text.as_str(): text } }));
        }
    }
}
