//! Findings for faulty rules, and sound rules that yield none.

use super::check;

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

#[test]
fn findings_say_what_to_type() {
    FINDINGS.iter().for_each(check);
}
