//! Findings for faulty rules, and sound rules that yield none.

use super::check;

/// A rule, part of the message, and part of the help; both empty for a sound rule.
const FINDINGS: &[(&str, &str, &str)] = &[
    (
        "self.replica > 1",
        "no such field `replica` in `self`",
        "did you mean `replicas`?",
    ),
    ("self.replicas =< 3", "unknown operator `=<`", "write `<=`"),
    (
        "self.replicas <== 3",
        "unknown operator `<==`",
        "write `<=`",
    ),
    (
        "self.replicas >== 3",
        "unknown operator `>==`",
        "write `>=`",
    ),
    (
        "self.replicas === 3",
        "unknown operator `===`",
        "write `==`",
    ),
    ("self.replicas := 3", "unknown operator `:=`", "write `==`"),
    (
        "self.replicas += 3",
        "unknown operator `+=`",
        "compare with `==`",
    ),
    (
        "self.replicas == 3 ; self.name == 'a'",
        "unexpected character `;`",
        "write `&&` between conditions",
    ),
    (
        "self.replicas !== 3",
        "unknown operator `!==`",
        "write `!=`",
    ),
    (
        "self.name > duration('1h')",
        "`>` cannot compare string with duration",
        "write `duration(self.name)`",
    ),
    (
        "timestamp('2026-01-01T00:00:00Z') < self.name",
        "`<` cannot compare timestamp with string",
        "write `timestamp(self.name)`",
    ),
    (
        "self.tags.all(t => t.size() > 1)",
        "unknown operator `=>`",
        "write `>=`; or for each item of a list: `.all(item, …)`",
    ),
    (
        "self.replicas > 1 and self.name != ''",
        "unexpected `and`",
        "write `&&`",
    ),
    ("self.replicas > . + 1", "unexpected `+`", "expected a name"),
    (
        "self.replicas > 1 or self.name != ''",
        "unexpected `or`",
        "write `||`",
    ),
    (
        "self.name.length() > 3",
        "undeclared reference to function `length`",
        "did you mean `size`?",
    ),
    (
        "self.name.lenght() > 3",
        "undeclared reference to function `lenght`",
        "did you mean `size`?",
    ),
    (
        "self.name.toLowerCase() == 'a'",
        "undeclared reference to function `toLowerCase`",
        "did you mean `lowerAscii`?",
    ),
    (
        "self.tags.contains('a')",
        "no matching overload for `list(string).contains(string)`",
        "write `… in self.tags`",
    ),
    (
        "replicas > 1",
        "undeclared reference to `replicas`",
        "write `self.replicas`",
    ),
    (
        "self.replicas == '5'",
        "`==` cannot compare int with string",
        "write 5 without quotes",
    ),
    (
        "self.name == 5",
        "`==` cannot compare string with int",
        "write '5' in quotes",
    ),
    (
        "self.replicas",
        "rule must evaluate to bool, found int",
        "compare it",
    ),
    (
        "self.gpu-amount == '1'",
        "no such field `gpu` in `self`",
        "`self.gpu__dash__amount`",
    ),
    (
        "self.name.startWith('a')",
        "undeclared reference to function `startWith`",
        "did you mean `startsWith`?",
    ),
    (
        "self.name.size > 3",
        "has type string, which does not support field selection",
        "write `self.name.size()`",
    ),
    (
        "self.name.first > 3",
        "has type string, which does not support field selection",
        "only objects and maps",
    ),
    (
        "self.?max > 0",
        "`>` cannot compare optional_type(int) with int",
        ".orValue(0)",
    ),
    ("self.name = 'a'", "unknown operator `=`", "write `==`"),
    (
        "self.name == 'a",
        "unterminated string literal",
        "close it with '",
    ),
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
        "iterates over `self.tags`, which has no `max_items`",
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
        "did you mean 'Running'? allowed values are 'Pending', 'Running'",
    ),
    (
        "'x' != self.phase",
        "`self.phase` is never 'x'",
        "allowed values are 'Pending', 'Running'",
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
        "allowed values are",
    ),
    (
        "self.nodes[0].zone == 'CCC'",
        "`self.nodes[…].zone` is never 'CCC'",
        "allowed values are",
    ),
    (
        "self.byName.all(k, self.byName[k] == 'CCC')",
        "`self.byName[…]` is never 'CCC'",
        "allowed values are",
    ),
    (
        "'CCC' in self.zones",
        "an item of `self.zones` is never 'CCC'",
        "allowed values are",
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
fn cel_findings_have_the_expected_help() {
    FINDINGS.iter().for_each(check);
}
