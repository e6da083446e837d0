//! Findings on fields that may be absent.

use super::{check, findings_of, found};

/// A rule, part of the message, and part of the help; both empty for a guarded field.
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
    (
        "has(self.max) || self.max > 1",
        "`self.max` is absent where the rule reads it",
        "`!has(self.max) || …`",
    ),
    (
        "self.max > 1 || has(self.max)",
        "`self.max` is absent where",
        "",
    ),
    (
        "!has(self.max) && self.max > 1",
        "`self.max` is absent where",
        "",
    ),
    (
        "has(self.max) ? true : self.max > 1",
        "`self.max` is absent where",
        "",
    ),
    (
        "self.name == 'a' || !(!has(self.max) || self.replicas == 1) || self.max > 1",
        "",
        "",
    ),
    (
        "self.name == 'a' || has(self.max) || self.replicas == 1 || self.max > 1",
        "`self.max` is absent where",
        "",
    ),
    (
        "has(self.limits) || self.limits.low > 1",
        "`self.limits` is absent where",
        "",
    ),
    (
        "self.nodes.all(n, has(n.weight) || n.weight > 1)",
        "`n.weight` is absent where",
        "",
    ),
    (
        "self.nodes.all(a, has(a.weight) || self.nodes.exists(b, b.weight > 1 || !has(a.weight)))",
        "",
        "",
    ),
    (
        "self.nodes.all(a, has(a.weight) || self.nodes.exists(b, has(b.weight) && b.weight > 1))",
        "",
        "",
    ),
    (
        "self.nodes.all(a, has(a.weight) || self.nodes.exists(a, a.weight > 1))",
        "",
        "",
    ),
    (
        "has(self.max) || self.name == 'a' && (has(self.max) ? self.max > 1 : true)",
        "",
        "",
    ),
    (
        "(has(self.max) ? self.max : 0) > 1 || has(self.max)",
        "",
        "",
    ),
    ("has(self.max) || (has(self.max) && self.max > 1)", "", ""),
    ("has(self.max) || !has(self.max)", "", ""),
    ("has(self.max) && self.max > 1 || self.name == 'a'", "", ""),
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
fn fields_that_may_be_absent_need_a_guard() {
    ABSENT.iter().for_each(check);
}

/// Each case is a pair of rules of one schema, and the field that the warning names.
#[test]
fn rules_guard_fields_for_other_rules() {
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

/// A contradiction is reported at its own read, not at an earlier one that another operand guards.
#[test]
fn contradictions_have_ranges_of_their_own() {
    let rule = "self.max > 1 && (has(self.max) || self.max == 2)";
    let ranges: Vec<_> = findings_of(&[rule])
        .into_iter()
        .map(|finding| finding.range)
        .collect();
    let second = rule.rfind("self.max").unwrap();
    assert_eq!(ranges, [Some(second..second + "self.max".len())]);
}
