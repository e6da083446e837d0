//! The rules that the real API server was asked about, and texts that are no rules at all.

use serde_json::{Value, json};

use super::{Finding, check_all};
use crate::diagnostic::Severity;
use crate::model::Schema;

const TABLE: &str = include_str!("../../../../tests/e2e/cel.txt");

/// A line of the table.
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
    check_all(&schema, true, &mut |_, finding| findings.push(finding));
    findings
}

#[test]
fn verdicts_are_those_of_the_api_server() {
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

/// A rule, a part of what is said of it, and a part of the help; nothing is said of some.
const FINDINGS: &[(&str, &str, &str)] = &[
    (
        "self.replica > 1",
        "`self` has no field `replica`",
        "did you mean `replicas`?",
    ),
    (
        "self.replicas =< 3",
        "`=<` is no operator of CEL",
        "write `<=`",
    ),
    (
        "self.tags.all(t => t.size() > 1)",
        "`=>` is no operator of CEL",
        "write `>=`; or for each item of a list: `.all(item, …)`",
    ),
    (
        "self.replicas > 1 and self.name != ''",
        "`and` is not expected here",
        "write `&&`",
    ),
    (
        "self.replicas > 1 or self.name != ''",
        "`or` is not expected here",
        "write `||`",
    ),
    (
        "self.name.length() > 3",
        "there is no function `length`",
        "did you mean `size`?",
    ),
    (
        "self.name.toLowerCase() == 'a'",
        "there is no function `toLowerCase`",
        "did you mean `lowerAscii`?",
    ),
    (
        "self.tags.contains('a')",
        "`list of string.contains(string)` does not exist",
        "write `… in self.tags`",
    ),
    (
        "replicas > 1",
        "`replicas` is not known",
        "write `self.replicas`",
    ),
    (
        "self.replicas == '5'",
        "`==` compares int with string",
        "write 5 without quotes",
    ),
    (
        "self.name == 5",
        "`==` compares string with int",
        "write '5' in quotes",
    ),
    (
        "self.replicas",
        "a rule is a condition, and this is of the type int",
        "compare it",
    ),
    (
        "self.gpu-amount == '1'",
        "`self` has no field `gpu`",
        "`self.gpu__dash__amount`",
    ),
    (
        "self.name.startWith('a')",
        "there is no function `startWith`",
        "did you mean `startsWith`?",
    ),
    (
        "self.name.size > 3",
        "is of the type string, which has no fields",
        "fields are",
    ),
    (
        "self.?max > 0",
        "`>` compares optional int with int",
        ".orValue(…)",
    ),
    ("self.name = 'a'", "`=` is no operator", "write `==`"),
    ("self.name == 'a", "a string does not end", "end it with '"),
    (
        "self.max > 1",
        "`self.max` may be absent",
        "!has(self.max) || …",
    ),
    ("self.max > 1 || true", "", ""),
    ("!has(self.max) || self.max > 1", "", ""),
    ("has(self.max) ? self.max > 1 : true", "", ""),
    (
        "!has(self.tags) || self.tags.all(t, t != '')",
        "goes over `self.tags`, which has no `max_items`",
        "set `max_items`",
    ),
    (
        "self.name.matches('^a')",
        "`matches` reads `self.name`, which has no `max_length`",
        "set `max_length`",
    ),
    ("!has(self.few) || self.few.all(t, t.matches('^a'))", "", ""),
    (
        "!has(self.tags) || self.tags.all(a, self.tags.all(b, a != b))",
        "more than 100 times",
        "set `max_items` on `self.tags`",
    ),
    ("size(self.tags) == 1 && has(self.tags)", "", ""),
];

#[test]
fn findings_say_what_to_type() {
    let schema = json!({
        "type": "object",
        "required": ["replicas", "name"],
        "properties": {
            "replicas": { "type": "integer" },
            "name": { "type": "string" },
            "max": { "type": "integer" },
            "gpu-amount": { "type": "string" },
            "tags": { "type": "array", "items": { "type": "string" } },
            "few": { "type": "array", "maxItems": 5, "items": { "type": "string", "maxLength": 5 } },
        },
    });
    for (rule, message, help) in FINDINGS {
        let mut root = schema.clone();
        root["x-kubernetes-validations"] = json!([{ "rule": rule }]);
        let root = json!({ "type": "object", "properties": { "spec": root } });
        let found: Vec<_> = findings(&root)
            .into_iter()
            .map(|finding| (finding.message, finding.help))
            .collect();
        if message.is_empty() {
            assert_eq!(found, [], "{rule}");
        } else {
            let said = found
                .iter()
                .any(|(said, typed)| said.contains(message) && typed.contains(help));
            assert!(said, "{rule}: {found:?}");
        }
    }
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
/// What opens and what closes.
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

/// Texts that are no rules: parts of rules in any order, and brackets without end.
#[test]
fn any_text_is_read_to_its_end() {
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
