//! Tests of rule checks: verdicts recorded from the real API server, and arbitrary text.

mod absent;
mod findings;
mod helps;

use serde_json::{Value, json};

use super::dialect::SchemaDialect;
use super::finding::Finding;
use super::report::check_all_rules;
use crate::diagnostic::Severity;
use crate::model::Schema;

const TABLE: &str = include_str!("../../../../../tests/e2e/cel.txt");

/// A line of `cel.txt`.
struct Row {
    line: usize,
    verdict: String,
    root: Value,
}

fn rows() -> Vec<Row> {
    let mut rows = Vec::new();
    let mut schema = Value::Null;
    let mut lines = TABLE.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if line.starts_with("schema ") {
            let text: String = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| *line != "rules")
                .collect();
            schema = serde_json::from_str(&text).unwrap();
        } else if !line.is_empty() && !line.starts_with('#') {
            rows.push(row(number + 1, line, &schema));
        }
    }
    rows
}

fn row(line: usize, text: &str, schema: &Value) -> Row {
    let (verdict, mut rest) = text.split_once(' ').unwrap_or((text, ""));
    if verdict == "??" {
        rest = rest.split_once(" | ").unwrap().1;
    }
    let mut at = "/properties/spec".to_owned();
    if let Some((place, after)) = rest
        .strip_prefix('@')
        .map(|rest| rest.split_once(' ').unwrap())
    {
        at = if place == "root" {
            String::new()
        } else {
            at + place
        };
        rest = after;
    }
    let mut rule = json!({});
    if rest.starts_with("{\"") {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        rule = values.next().unwrap().unwrap();
        rest = rest[values.byte_offset()..].trim_start();
    }
    if rule.get("rule").is_none() {
        rule["rule"] = rest.into();
    }
    let mut root = json!({ "type": "object", "properties": { "spec": schema } });
    root.pointer_mut(&at).unwrap()["x-kubernetes-validations"] = json!([rule]);
    Row {
        line,
        verdict: verdict.to_owned(),
        root,
    }
}

fn findings(root: &Value) -> Vec<Finding> {
    let schema: Schema = serde_json::from_value(root.clone()).unwrap();
    let mut findings = Vec::new();
    check_all_rules(&schema, SchemaDialect::Crd, &mut |_, finding| {
        findings.push(finding)
    });
    findings
}

#[test]
fn rule_verdicts_match_the_api_server() {
    let rows = rows();
    assert!(rows.len() > 150);
    let mut wrong = Vec::new();
    for row in rows {
        let findings = findings(&row.root);
        let refused = findings
            .iter()
            .any(|finding| finding.severity == Severity::Error);
        if refused != (row.verdict == "no") {
            wrong.push(format!("line {}: {findings:?}", row.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

const PARTS: &[&str] = &[
    "self",
    ".",
    "?",
    "a",
    "(",
    ")",
    "[",
    "]",
    "{",
    "}",
    ",",
    ":",
    "'x'",
    "r'",
    "\"\"\"",
    "1",
    "0x",
    "1e",
    "-",
    "!",
    "&&",
    "||",
    "==",
    "in",
    "all",
    "map",
    "optMap",
    "has",
    "\\",
    "`",
    "é",
    "\n",
    "//",
    "b'\\377'",
    "9223372036854775808",
    " ",
    "oldSelf",
    "x",
];
/// Opening and closing parts of nested expressions.
const NESTING: &[(&str, &str)] = &[
    ("(", ")"),
    ("[", "]"),
    ("!(", ")"),
    ("-", ""),
    ("!", ""),
    ("{1:", "}"),
    ("[1].map(x, ", ")"),
    ("true ? true : ", ""),
];
const CHAINS: &[&str] = &[
    ".a",
    "[0]",
    ".a()",
    " + 1",
    " && true",
    " == 1",
    ".?a",
    ".optMap(x, x)",
];

/// Checks shuffled tokens and deep nesting: the checks do not panic, and all ranges are within the
/// text.
#[test]
fn arbitrary_text_is_parsed_without_panics() {
    let mut state = 1_u64;
    let mut next = |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut texts: Vec<String> = Vec::new();
    for _ in 0..3000 {
        let length = 1 + next(12);
        texts.push((0..length).map(|_| PARTS[next(PARTS.len())]).collect());
    }
    for (part, end) in NESTING {
        for count in [10, 200, 260, 5000] {
            texts.push(format!("{}true{}", part.repeat(count), end.repeat(count)));
        }
    }
    for part in CHAINS {
        for count in [10, 200, 260, 5000] {
            texts.push(format!("self{}", part.repeat(count)));
        }
    }
    for text in texts {
        let root = json!({ "type": "object", "x-kubernetes-validations": [{ "rule": text }] });
        let found = findings(&root);
        for range in found.iter().filter_map(|finding| finding.range.clone()) {
            assert!(text.get(range.clone()).is_some(), "{range:?} of {text}");
        }
    }
}

/// Findings for `rules` of [`SCHEMA`].
fn findings_of(rules: &[&str]) -> Vec<Finding> {
    let mut spec: Value = serde_json::from_str(SCHEMA).unwrap();
    spec["x-kubernetes-validations"] = rules.iter().map(|rule| json!({ "rule": rule })).collect();
    findings(&json!({ "type": "object", "properties": { "spec": spec } }))
}

/// Messages and help of the findings for `rules`.
fn found(rules: &[&str]) -> Vec<(String, String)> {
    findings_of(rules)
        .into_iter()
        .map(|finding| (finding.message, finding.help.to_string()))
        .collect()
}

#[track_caller]
fn check((rule, message, help): &(&str, &str, &str)) {
    let found = found(&[rule]);
    if message.is_empty() {
        assert_eq!(found, [], "{rule}");
    } else {
        let said = found
            .iter()
            .any(|(said, typed)| said.contains(message) && typed.contains(help));
        assert!(said, "{rule}: {found:?}");
    }
}

const SCHEMA: &str = r#"{
    "type": "object",
    "required": ["replicas", "name", "phase", "zones", "nodes", "byName"],
    "properties": {
        "replicas": { "type": "integer" },
        "name": { "type": "string" },
        "max": { "type": "integer" },
        "min": { "type": "integer" },
        "given": { "type": "integer", "default": 3 },
        "gpu-amount": { "type": "string" },
        "tags": { "type": "array", "items": { "type": "string" } },
        "few": { "type": "array", "maxItems": 5, "items": { "type": "string", "maxLength": 5 } },
        "phase": { "type": "string", "enum": ["Pending", "Running"] },
        "maybe": { "type": "string", "nullable": true, "enum": ["A", null] },
        "either": { "x-kubernetes-int-or-string": true, "enum": [1, "A"] },
        "zones": { "type": "array", "maxItems": 5, "items": { "type": "string", "enum": ["A", "BB"] } },
        "byName": {
            "type": "object", "maxProperties": 5,
            "additionalProperties": { "type": "string", "enum": ["A", "BB"] }
        },
        "limits": { "type": "object", "properties": { "low": { "type": "integer" } } },
        "branch": {
            "type": "object",
            "properties": { "left": { "type": "integer" } },
            "anyOf": [{ "required": ["left"] }]
        },
        "nodes": {
            "type": "array", "maxItems": 5,
            "items": {
                "type": "object", "required": ["zone", "name"],
                "properties": {
                    "zone": { "type": "string", "enum": ["A", "BB"] },
                    "name": { "type": "string" },
                    "weight": { "type": "integer" }
                }
            }
        }
    }
}"#;
