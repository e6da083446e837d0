//! Findings for faulty rules, and sound rules that yield none.

use serde_json::{Value, json};

use super::findings;

/// A rule, part of the message, and part of the help; both empty for a sound rule.
const FINDINGS: &[(&str, &str, &str)] = &[
    (
        "self.replica > 1",
        "`self` has no field `replica`",
        "did you mean `replicas`?",
    ),
    (
        "self.replicas =< 3",
        "`=<` is not an operator of CEL",
        "write `<=`",
    ),
    (
        "self.tags.all(t => t.size() > 1)",
        "`=>` is not an operator of CEL",
        "write `>=`; or for each item of a list: `.all(item, …)`",
    ),
    (
        "self.replicas > 1 and self.name != ''",
        "`and` is not expected here",
        "write `&&`",
    ),
    (
        "self.replicas > . + 1",
        "`+` is not expected here",
        "expected a name",
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
        ".orValue(0)",
    ),
    ("self.name = 'a'", "`=` is not an operator", "write `==`"),
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
    (
        "self.phase == 'Runing'",
        "`self.phase` is never 'Runing'",
        "did you mean 'Running'? its values are 'Pending', 'Running'",
    ),
    (
        "'x' != self.phase",
        "`self.phase` is never 'x'",
        "its values are 'Pending', 'Running'",
    ),
    (
        "self.phase in ['Pending', 'running']",
        "`self.phase` is never 'running'",
        "did you mean 'Running'?",
    ),
    (
        "self.nodes.all(n, n.zone != 'C')",
        "`n.zone` is never 'C'",
        "did you mean 'A'?",
    ),
    (
        "self.nodes.all(i, n, n.zone != 'CCC')",
        "`n.zone` is never 'CCC'",
        "its values are",
    ),
    (
        "self.nodes[0].zone == 'CCC'",
        "`self.nodes[…].zone` is never 'CCC'",
        "its values are",
    ),
    (
        "self.byName.all(k, self.byName[k] == 'CCC')",
        "`self.byName[…]` is never 'CCC'",
        "its values are",
    ),
    (
        "'CCC' in self.zones",
        "an item of `self.zones` is never 'CCC'",
        "its values are",
    ),
    (
        "self.phase == 'Running' || self.phase in ['Pending']",
        "",
        "",
    ),
    ("self.phase != ''", "", ""),
    ("self.phase == self.name", "", ""),
    ("self.name == 'Runing'", "", ""),
    ("self.phase.startsWith('Run')", "", ""),
    ("oldSelf.phase == 'Gone' || self.phase == 'Running'", "", ""),
    ("!has(self.maybe) || self.maybe == 'B'", "", ""),
    ("!has(self.either) || self.either == 'B'", "", ""),
    ("self.byName.all(k, k != 'CCC')", "", ""),
    ("'CCC' in self.byName", "", ""),
    ("self.nodes.all(self, self.name != 'phase')", "", ""),
];

/// The same for unguarded optional fields.
const ABSENT: &[(&str, &str, &str)] = &[
    (
        "!has(self.max) || self.min <= self.max",
        "`self.min` may be absent where the rule reads it",
        "`!has(self.min) || …`",
    ),
    (
        "self.name != 'a' || self.max > 1",
        "`self.max` may be absent where the rule reads it",
        "`!has(self.max) || …`",
    ),
    (
        "has(self.max) ? self.max > 1 : self.min > 1",
        "`self.min` may be absent where",
        "",
    ),
    (
        "has(self.limits.low) ? self.limits.low > 1 : self.replicas > 1",
        "`self.limits` may be absent, and then",
        "`has(self.limits) && …`",
    ),
    (
        "!has(self.limits.low)",
        "`self.limits` may be absent, and then",
        "",
    ),
    (
        "!has(self.limits.low) || self.limits.low > 1",
        "`self.limits` may be absent where",
        "",
    ),
    (
        "!has(self.limits) || self.limits.low > 1",
        "`self.limits.low` may be absent where",
        "",
    ),
    (
        "self.nodes.all(n, n.weight > 1)",
        "`n.weight` may be absent where",
        "`!has(n.weight) || …`",
    ),
    (
        "!self.nodes.exists(n, n.weight != 1)",
        "`n.weight` may be absent where",
        "",
    ),
    (
        "self.nodes.exists_one(n, n.weight == 1)",
        "`n.weight` may be absent where",
        "",
    ),
    (
        "!has(self.max) || self.max == oldSelf.max",
        "`oldSelf.max` may be absent where",
        "",
    ),
    (
        "self.max == oldSelf.max",
        "`self.max` may be absent, and then",
        "",
    ),
    ("self.max == 1 || self.min == 1", "", ""),
    ("self.max > 1 || !has(self.max)", "", ""),
    ("self.max > 1 && has(self.max)", "", ""),
    (
        "!has(self.max) || !has(self.min) || self.min <= self.max",
        "",
        "",
    ),
    (
        "!(has(self.max) && has(self.min)) || self.min <= self.max",
        "",
        "",
    ),
    (
        "(has(self.max) && has(self.min)) ? self.min <= self.max : true",
        "",
        "",
    ),
    ("has(self.max) ? self.max > 1 : !has(self.max)", "", ""),
    ("!has(self.max) ? true : self.max > 1", "", ""),
    (
        "has(self.max) == has(self.min) && (!has(self.max) || self.min <= self.max)",
        "",
        "",
    ),
    (
        "(self.name != 'a' || has(self.max)) && (self.name != 'a' || self.max > 1)",
        "",
        "",
    ),
    (
        "[has(self.max), has(self.min)].exists_one(x, x) && self.name != 'a' || self.max > 1",
        "",
        "",
    ),
    ("self.?max.orValue(2) > 1", "", ""),
    ("self.?max.hasValue() && self.max > 1", "", ""),
    ("self.?limits.low.orValue(2) > 1", "", ""),
    (
        "!self.?limits.low.hasValue() || self.limits.low > 1",
        "",
        "",
    ),
    ("has(self.limits.low) && self.limits.low > 1", "", ""),
    (
        "has(self.max) && has(self.min) && self.name != 'a' ? self.min < self.max : true",
        "",
        "",
    ),
    (
        "!has(self.max) || self.max == oldSelf.max || self.max == 2 || has(self.limits.low)",
        "",
        "",
    ),
    ("has(self.limits) && has(self.limits.low)", "", ""),
    (
        "!has(self.limits) || !has(self.limits.low) || self.limits.low > 1",
        "",
        "",
    ),
    ("self.nodes.all(n, !has(n.weight) || n.weight > 1)", "", ""),
    (
        "self.nodes.filter(n, has(n.weight)).all(m, m.weight > 1)",
        "",
        "",
    ),
    (
        "self.nodes.all(n, has(n.weight)) && self.nodes.all(m, m.weight > 1)",
        "",
        "",
    ),
    (
        "self.given > 1 && (self.name != 'a' || self.given < 5)",
        "",
        "",
    ),
    ("!(self.name == 'a') || has(self.max)", "", ""),
    ("self.name == 'a' ? has(self.max) : !has(self.max)", "", ""),
    ("!has(oldSelf.max) || has(self.max)", "", ""),
    (
        "!has(oldSelf.max) || has(self.max) && self.max >= oldSelf.max",
        "",
        "",
    ),
    ("false && self.max > 1", "", ""),
    ("has(self.branch) && self.branch.left > 1", "", ""),
];

#[test]
fn findings_say_what_to_type() {
    FINDINGS.iter().for_each(check);
}

#[test]
fn what_may_be_absent_is_asked_for() {
    ABSENT.iter().for_each(check);
}

/// Pairs of rules of one schema, and the field that a warning names.
#[test]
fn one_rule_keeps_objects_from_another() {
    for (first, second, absent) in [
        ("has(self.max)", "self.max > 1", ""),
        ("has(self.limits.low)", "self.limits.low > 1", ""),
        (
            "!has(self.max) || self.max > 1",
            "self.max < 9",
            "`self.max`",
        ),
        (
            "!has(oldSelf.max) || has(self.max)",
            "self.max > 1",
            "`self.max`",
        ),
        (
            "self.name == 'a' ? has(self.max) : true",
            "self.name != 'a' || self.max > 1",
            "",
        ),
        (
            "!has(self.min) || has(self.max)",
            "!has(self.min) || self.min <= self.max",
            "",
        ),
        (
            "!has(self.max) || self.max > 1",
            "!has(self.min) || self.min <= self.max",
            "`self.max`",
        ),
        (
            "has(self.max) == has(self.min)",
            "!has(self.max) || self.min <= self.max",
            "",
        ),
    ] {
        let found = found(&[first, second]);
        let said: Vec<_> = found
            .iter()
            .filter_map(|(message, _)| message.split_once(" may be absent"))
            .map(|(field, _)| field)
            .collect();
        assert_eq!(said.join(", "), absent, "{first}; {second}: {found:?}");
    }
}

/// Messages and help of the findings for `rules`.
fn found(rules: &[&str]) -> Vec<(String, String)> {
    let mut spec: Value = serde_json::from_str(SCHEMA).unwrap();
    spec["x-kubernetes-validations"] = rules.iter().map(|rule| json!({ "rule": rule })).collect();
    findings(&json!({ "type": "object", "properties": { "spec": spec } }))
        .into_iter()
        .map(|finding| (finding.message, finding.help))
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
