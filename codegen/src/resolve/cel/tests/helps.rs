//! Help that is typed: the mistake goes away, and the rule means what its author meant.

use genclient_schema::kubernetes::QUANTITY;
use serde_json::{Value, json};

use super::findings;
use crate::known::duration_pattern;

/// A rule, its only help, and the rule with the help applied; empty if the help is an outline.
const HELPS: &[(&str, &str, &str)] = &[
    // Durations and quantities.
    (
        "self.timeout < '1h'",
        "write `duration(self.timeout) < duration('1h')`",
        "duration(self.timeout) < duration('1h')",
    ),
    (
        "'1h' >= self.timeout",
        "write `duration('1h') >= duration(self.timeout)`",
        "duration('1h') >= duration(self.timeout)",
    ),
    (
        "self.timeout == '60m'",
        "write `duration(self.timeout) == duration('60m')`",
        "duration(self.timeout) == duration('60m')",
    ),
    (
        "self.timeout <= self.grace",
        "write `duration(self.timeout) <= duration(self.grace)`",
        "duration(self.timeout) <= duration(self.grace)",
    ),
    (
        "self.timeout <= oldSelf.timeout",
        "write `duration(self.timeout) <= duration(oldSelf.timeout)`",
        "duration(self.timeout) <= duration(oldSelf.timeout)",
    ),
    (
        "self.lines.all(line, line.wait > '1h')",
        "write `duration(line.wait) > duration('1h')`",
        "self.lines.all(line, duration(line.wait) > duration('1h'))",
    ),
    (
        "self.limit < '1Gi'",
        "write `quantity(string(self.limit)).isLessThan(quantity('1Gi'))`",
        "quantity(string(self.limit)).isLessThan(quantity('1Gi'))",
    ),
    (
        "self.limit >= 3",
        "write `quantity(string(self.limit)).compareTo(quantity('3')) >= 0`",
        "quantity(string(self.limit)).compareTo(quantity('3')) >= 0",
    ),
    (
        "self.limit != '1Gi'",
        "write `quantity(string(self.limit)).compareTo(quantity('1Gi')) != 0`",
        "quantity(string(self.limit)).compareTo(quantity('1Gi')) != 0",
    ),
    (
        "self.limit == '1Gi'",
        "write `quantity(string(self.limit)) == quantity('1Gi')`",
        "quantity(string(self.limit)) == quantity('1Gi')",
    ),
    (
        "self.limit.isGreaterThan(quantity('1Gi'))",
        "write `quantity(string(self.limit)).isGreaterThan(quantity('1Gi'))`",
        "quantity(string(self.limit)).isGreaterThan(quantity('1Gi'))",
    ),
    (
        "quantity(self.limit).isGreaterThan(quantity('1Gi'))",
        "write `quantity(string(self.limit))`",
        "quantity(string(self.limit)).isGreaterThan(quantity('1Gi'))",
    ),
    (
        "quantity(self.memory) < quantity('1Gi')",
        "write `quantity(self.memory).isLessThan(quantity('1Gi'))`",
        "quantity(self.memory).isLessThan(quantity('1Gi'))",
    ),
    (
        "quantity(self.memory) >= '1Gi'",
        "write `quantity(self.memory).compareTo(quantity('1Gi')) >= 0`",
        "quantity(self.memory).compareTo(quantity('1Gi')) >= 0",
    ),
    (
        "self.memory > quantity('1Gi')",
        "write `quantity(self.memory).isGreaterThan(quantity('1Gi'))`",
        "quantity(self.memory).isGreaterThan(quantity('1Gi'))",
    ),
    (
        "quantity(self.memory) + 5 == quantity('1Gi')",
        "write `quantity(self.memory).add(quantity('5'))`",
        "quantity(self.memory).add(quantity('5')) == quantity('1Gi')",
    ),
    (
        "quantity(self.memory) - quantity('1Gi') == quantity('2Gi')",
        "write `quantity(self.memory).sub(quantity('1Gi'))`",
        "quantity(self.memory).sub(quantity('1Gi')) == quantity('2Gi')",
    ),
    (
        "semver(self.name) < semver('1.0.0')",
        "write `semver(self.name).isLessThan(semver('1.0.0'))`",
        "semver(self.name).isLessThan(semver('1.0.0'))",
    ),
    (
        "ip(self.name) < ip('10.0.0.1')",
        "`<` is defined for bool, bytes, double, duration, int, string, timestamp, uint",
        "",
    ),
    (
        "self.name - self.memory == 'a'",
        "`-` is defined for double, duration, int, timestamp, uint",
        "",
    ),
    (
        "self.memory.isGreaterThan(quantity('1Gi'))",
        "write `quantity(self.memory).isGreaterThan(quantity('1Gi'))`",
        "quantity(self.memory).isGreaterThan(quantity('1Gi'))",
    ),
    (
        "quantity(self.memory).isGreaterThan('1Gi')",
        "write `quantity(self.memory).isGreaterThan(quantity('1Gi'))`",
        "quantity(self.memory).isGreaterThan(quantity('1Gi'))",
    ),
    (
        "self.name.isLoopback()",
        "write `ip(self.name).isLoopback()`",
        "ip(self.name).isLoopback()",
    ),
    (
        "self.timeout.getSeconds() > 5",
        "write `duration(self.timeout).getSeconds()`, or `timestamp(self.timeout).getSeconds()`",
        "duration(self.timeout).getSeconds() > 5",
    ),
    // Entries and items.
    (
        "self.tags.foo == 'a'",
        "check first: `!('foo' in self.tags) || …`, or within `||`: `'foo' in self.tags && …`",
        "'foo' in self.tags && self.tags.foo == 'a'",
    ),
    (
        "self.tags['foo'] == 'a'",
        "check first: `!('foo' in self.tags) || …`, or within `||`: `'foo' in self.tags && …`",
        "!('foo' in self.tags) || self.tags['foo'] == 'a'",
    ),
    (
        "self.lines[0].sku != 'a'",
        "check first: `self.lines.size() <= 0 || …`, or within `||`: `self.lines.size() > 0 && …`",
        "self.lines.size() > 0 && self.lines[0].sku != 'a'",
    ),
    (
        "self.counts.size > 1",
        "write `self.counts.size()` for the number of entries; or check first: \
         `!('size' in self.counts) || …`, or within `||`: `'size' in self.counts && …`",
        "self.counts.size() > 1",
    ),
    (
        "self.tags.size > 1",
        "write `self.tags.size()`",
        "self.tags.size() > 1",
    ),
    // Methods without brackets.
    (
        "self.lines.size > 1",
        "write `self.lines.size()`",
        "self.lines.size() > 1",
    ),
    (
        "self.name.length > 1",
        "write `self.name.size()`",
        "self.name.size() > 1",
    ),
    (
        "self.name.startsWith == 'a'",
        "write `self.name.startsWith(…)`",
        "",
    ),
    ("self.lines.exists", "write `self.lines.exists(…)`", ""),
    (
        "self.lines.all(line, line.names.foo == 'a')",
        "a list has no fields: check its items: `.all(item, …)` or `.exists(…)`",
        "",
    ),
    // `has`.
    ("has(note)", "write `has(self.note)`", "has(self.note)"),
    (
        "has(notes)",
        "did you mean `has(self.note)`?",
        "has(self.note)",
    ),
    (
        "has(self.tags['a'])",
        "write `'a' in self.tags`",
        "'a' in self.tags",
    ),
    (
        "has(self.lines[0])",
        "write `self.lines.size() > 0`",
        "self.lines.size() > 0",
    ),
    (
        "has(self.?note)",
        "write `self.?note.hasValue()`",
        "self.?note.hasValue()",
    ),
    (
        "has('a')",
        "name a field: `has(….field)`; to check for an entry of a map, write `'key' in …`",
        "",
    ),
    // Operators and words of other languages.
    (
        "self.name =~ 'a'",
        "write `self.name.matches('a')`",
        "self.name.matches('a')",
    ),
    (
        "self.name ~= \"a\"",
        "write `self.name.matches(\"a\")`",
        "self.name.matches(\"a\")",
    ),
    (
        "self.name !~ 'a'",
        "write `!self.name.matches('a')`",
        "!self.name.matches('a')",
    ),
    (
        "string(self.name) =~ self.name",
        "write `….matches('…')`",
        "",
    ),
    ("self.name <> 'a'", "write `!=`", "self.name != 'a'"),
    ("not self.paused", "write `!(…)`", "!(self.paused)"),
    ("self.paused && not (self.name == 'a')", "write `!(…)`", ""),
    ("(NOT self.paused)", "write `!(…)`", ""),
    (
        "self.name not in ['a']",
        "write `!(… in …)`",
        "!(self.name in ['a'])",
    ),
    ("self.name like 'a'", "write `….matches('…')`", ""),
    ("self.name startsWith 'a'", "write `….startsWith(…)`", ""),
    ("self.paused AND self.paused", "write `&&`", ""),
    ("self.paused is true", "write `==`", "self.paused == true"),
    (
        "self.paused implies self.name == 'a'",
        "write `!(…) || …`",
        "",
    ),
    (
        "if self.paused then true else false",
        "write `… ? … : …`",
        "",
    ),
    ("for x in self.lines", "write `….all(item, …)`", ""),
    (
        "return self.paused",
        "remove it: a rule is one expression",
        "self.paused",
    ),
    // Names.
    (
        "self.level == Low",
        "write `'low'` for the string",
        "self.level == 'low'",
    ),
    (
        "High != self.level",
        "write `'high'` for the string",
        "'high' != self.level",
    ),
    (
        "self.level in [low]",
        "write `'low'` for the string",
        "self.level in ['low']",
    ),
    (
        "self.name == low",
        "write `'low'` for the string",
        "self.name == 'low'",
    ),
    (
        "self.level == Lowest",
        "a rule can use `self`, `oldSelf` and the variables of its loops",
        "",
    ),
    (
        "self.metadata.name == 'a'",
        "write the rule on the kind: only there `self` has the field `metadata`",
        "",
    ),
    (
        "self.spec.name == 'a'",
        "write `self.name`",
        "self.name == 'a'",
    ),
    (
        "self.status.phase == 'a'",
        "write the rule on the kind: only there `self` has the field `status`",
        "",
    ),
    // Cost.
    (
        "self.lines.map(line, line.sku).join(',') == self.name",
        "the API server's estimate has no bound for the size of `self.lines.map(line, line.sku)`, \
         and no attribute sets one: write the rule without it",
        "",
    ),
    (
        "self.name + string(self.number) == self.name",
        "the API server's estimate has no bound for the size of `string(self.number)`, and no \
         attribute sets one: write the rule without it",
        "",
    ),
];

#[test]
fn typed_help_makes_the_mistake_go_away() {
    let mut wrong = Vec::new();
    for (rule, help, corrected) in HELPS {
        let helps = said(json!([{ "rule": rule }]));
        if helps != [*help] {
            wrong.push(format!("{rule}: {helps:?}"));
        }
        let helps = said(json!([{ "rule": corrected }]));
        if !helps.is_empty() {
            wrong.push(format!("{corrected}: {helps:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Rules with `optional_old_self`, as in [`HELPS`].
const OPTIONAL: &[(&str, &str, &str)] = &[
    (
        "self.name == oldSelf.name",
        "write `!oldSelf.hasValue() || self.name == oldSelf.value().name`",
        "!oldSelf.hasValue() || self.name == oldSelf.value().name",
    ),
    (
        "!oldSelf.hasValue() || self.name == oldSelf.name",
        "write `self.name == oldSelf.value().name`",
        "!oldSelf.hasValue() || self.name == oldSelf.value().name",
    ),
    (
        "self == oldSelf",
        "write `!oldSelf.hasValue() || self == oldSelf.value()`",
        "!oldSelf.hasValue() || self == oldSelf.value()",
    ),
    (
        "self.paused && self.number >= oldSelf.number",
        "write `(!oldSelf.hasValue() || self.number >= oldSelf.value().number)`",
        "self.paused && (!oldSelf.hasValue() || self.number >= oldSelf.value().number)",
    ),
    (
        "!oldSelf.paused",
        "write `!oldSelf.hasValue() || !oldSelf.value().paused`",
        "!oldSelf.hasValue() || !oldSelf.value().paused",
    ),
    (
        "oldSelf.paused",
        "write `!oldSelf.hasValue() || oldSelf.value().paused`",
        "!oldSelf.hasValue() || oldSelf.value().paused",
    ),
    (
        "self.paused || oldSelf.paused",
        "write `(!oldSelf.hasValue() || oldSelf.value().paused)`",
        "self.paused || (!oldSelf.hasValue() || oldSelf.value().paused)",
    ),
    (
        "oldSelf.lines.all(line, line in self.lines)",
        "write `!oldSelf.hasValue() || oldSelf.value().lines.all(line, line in self.lines)`",
        "!oldSelf.hasValue() || oldSelf.value().lines.all(line, line in self.lines)",
    ),
    ("oldSelf.?name.orValue('') == self.name", "", ""),
    (
        "oldSelf.optMap(old, old.name == self.name).orValue(true)",
        "",
        "",
    ),
    ("oldSelf.orValue(self).name == self.name", "", ""),
];

#[test]
fn help_for_an_optional_old_value_accepts_new_objects() {
    let rule = |rule: &str| said(json!([{ "rule": rule, "optionalOldSelf": true }]));
    for (written, help, corrected) in OPTIONAL {
        let expected: &[&str] = if help.is_empty() { &[] } else { &[help] };
        assert_eq!(rule(written), expected, "{written}");
        assert_eq!(rule(corrected), [""; 0], "{corrected}");
    }
    let message = json!([{
        "rule": "self.paused",
        "messageExpression": "'was ' + oldSelf.name",
        "optionalOldSelf": true,
    }]);
    assert_eq!(
        said(message),
        ["take the value out of the optional: `.orValue('')`"]
    );
}

/// Sound rules, which get no warning.
const SOUND: &[&str] = &[
    "self.timeout == oldSelf.timeout",
    "self.timeout != ''",
    "self.limit == oldSelf.limit",
    "self.name < 'a'",
    "type(self.limit) == int ? self.limit > 3 : self.limit < '4'",
    "self.port == 80 || self.port == 'http'",
    "self.tags.size() > 0",
    "has(self.tags.foo) && self.tags.foo == 'a'",
    "self.tags.exists(k, k == 'foo') && self.tags['foo'] == 'a'",
    "['foo'].all(k, k in self.tags) && self.tags['foo'] == 'a'",
    "self.tags[?'foo'].hasValue() && self.tags['foo'] == 'a'",
    "self.tags.?foo.orValue('a') == 'a'",
    "self.lines.size() == 2 && self.lines[1].sku == 'a'",
    "size(self.lines) != 0 ? self.lines[0].sku == 'a' : true",
    "self.lines.exists(line, true) && self.lines[0].sku == 'a'",
    "self.lines == [] || self.lines[0].sku == 'a'",
    "self.filled[0] == 'a'",
    "self.required.foo == 'a'",
    "self.lines.all(line, 'a' in line.names && line.names[0] == 'b')",
    "self.checked.foo == 'a'",
];

#[test]
fn sound_rules_get_no_warning() {
    for rule in SOUND {
        assert_eq!(said(json!([{ "rule": rule }])), [""; 0], "{rule}");
    }
    // Another rule of the schema makes sure that the element exists.
    let rules = json!([{ "rule": "'foo' in self.tags" }, { "rule": "self.tags.foo == 'a'" }]);
    assert_eq!(said(rules), [""; 0]);
}

/// Returns the help of all findings.
fn said(rules: Value) -> Vec<String> {
    let text = || json!({ "type": "string", "maxLength": 20 });
    let list = |items| json!({ "type": "array", "maxItems": 5, "items": items });
    let map =
        |values| json!({ "type": "object", "maxProperties": 5, "additionalProperties": values });
    let duration = json!({ "type": "string", "maxLength": 20, "pattern": duration_pattern() });
    let mut filled = list(text());
    filled["minItems"] = 1.into();
    let mut required = map(text());
    required["required"] = json!(["foo"]);
    let mut checked = map(text());
    checked["x-kubernetes-validations"] = json!([{ "rule": "'foo' in self" }]);
    let line = json!({
        "type": "object", "required": ["sku", "wait", "names"],
        "properties": { "sku": text(), "wait": duration, "names": list(text()) },
    });
    let properties = json!({
        "name": text(), "memory": text(), "number": { "type": "integer" },
        "paused": { "type": "boolean" }, "level": { "type": "string", "enum": ["low", "high"] },
        "timeout": duration, "grace": duration,
        "limit": {
            "x-kubernetes-int-or-string": true, "maxLength": 20, "pattern": QUANTITY,
            "anyOf": [{ "type": "integer" }, { "type": "string" }],
        },
        "port": { "x-kubernetes-int-or-string": true },
        "tags": map(text()), "counts": map(json!({ "type": "integer" })), "lines": list(line),
        "filled": filled, "required": required, "checked": checked,
        "note": text(),
    });
    let mut names: Vec<_> = properties.as_object().unwrap().keys().cloned().collect();
    names.retain(|name| name != "note");
    let spec = json!({
        "type": "object", "required": names, "properties": properties,
        "x-kubernetes-validations": rules,
    });
    let found = findings(&json!({ "type": "object", "properties": { "spec": spec } }));
    found
        .into_iter()
        .map(|finding| finding.help.to_string())
        .collect()
}
