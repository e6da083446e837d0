//! JSONPath dialect of `kubectl` and the API server:
//! `.status.conditions[?(@.type=="Ready")].status`.
//!
//! Follows `k8s.io/client-go/util/jsonpath`. The API server accepts a printer column if its path
//! begins with a dot. If the path does not parse, tables lack this column and all later columns.

mod evaluate;
mod filter;
mod lexer;
mod step;
mod template;

use std::ops::Range;

pub use self::evaluate::JsonPath;
pub use self::filter::quoted;
pub use self::step::{FilterFault, FilterLiteral, JsonPathFilter, JsonPathStep};

/// Syntax error in a path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathError {
    /// Message.
    pub message: &'static str,
    /// Help with the correct syntax.
    pub help: String,
    /// Byte range in the path.
    pub range: Range<usize>,
}

const BRACKETS: &str = "write `[0]`, `[*]`, `['name']` or `[?(@.type=='Ready')]`";

/// Reads a path such as `.spec.name`.
///
/// # Errors
///
/// Returns the first syntax error.
pub fn parse(path: &str) -> Result<Vec<JsonPathStep>, PathError> {
    let mut steps = Vec::new();
    let mut at = 0;
    while let Some(next) = path[at..].chars().next() {
        match next {
            '.' if path[at..].starts_with("..") => {
                steps.push(JsonPathStep::Deep);
                at += 1;
            }
            '.' => {
                let (name, length) = name(&path[at + 1..]);
                match name.as_str() {
                    "" if path[at + 1..].starts_with('[') => {}
                    "" => {
                        return Err(PathError {
                            message: "expected a name after `.`",
                            help: "write the path of a field with its JSON names: `.spec.name`"
                                .to_owned(),
                            range: at..at + 1,
                        });
                    }
                    "*" => steps.push(JsonPathStep::Each),
                    _ => steps.push(JsonPathStep::Name(name)),
                }
                at += 1 + length;
            }
            '[' => {
                let length = bracket(&path[at..]).ok_or_else(|| PathError {
                    message: "unclosed `[`",
                    help: BRACKETS.to_owned(),
                    range: at..at + 1,
                })?;
                let text = &path[at + 1..at + length - 1];
                steps.extend(inside(text).ok_or_else(|| PathError {
                    message: "expected an index, a name or a filter",
                    help: bracket_help(text),
                    range: at..at + length,
                })?);
                at += length;
            }
            _ => {
                return Err(PathError {
                    message: "expected `.` or `[`",
                    help: "write the path of a field with its JSON names: `.spec.name`".to_owned(),
                    range: at..at + next.len_utf8(),
                });
            }
        }
    }
    Ok(steps)
}

/// Reads a name, in which a backslash escapes the next character. Returns the name and the length
/// of its source text.
fn name(text: &str) -> (String, usize) {
    let mut name = String::new();
    let mut letters = text.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '\\' => name.extend(letters.next().map(|(_, letter)| letter)),
            '.' | '[' | ']' | ',' | '$' | '@' | '{' | '}' => return (name, at),
            _ if letter.is_whitespace() => return (name, at),
            _ => name.push(letter),
        }
    }
    (name, text.len())
}

/// Returns the length of bracketed text with its brackets, or `None` if they are unclosed. Quoted
/// brackets do not count.
fn bracket(text: &str) -> Option<usize> {
    let mut depth = 0;
    let mut quote = None;
    for (at, letter) in text.char_indices() {
        match (quote, letter) {
            (Some(open), _) if open == letter => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') => quote = Some(letter),
            (None, '[' | '(') => depth += 1,
            (None, ']' | ')') => {
                depth -= 1;
                if depth == 0 {
                    return (letter == ']').then_some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// Returns the steps of bracketed text without its brackets. A quoted name with dots is several
/// names: client-go reads `['a.b']` as `.a.b` (`parseArray`).
fn inside(text: &str) -> Option<Vec<JsonPathStep>> {
    let is_number = |text: &str| {
        text.strip_prefix('-')
            .unwrap_or(text)
            .bytes()
            .all(|b| b.is_ascii_digit())
    };
    if let Some(filter) = text.strip_prefix("?(") {
        let condition = filter.strip_suffix(')').filter(|text| !text.is_empty())?;
        return Some(vec![JsonPathStep::Filter(JsonPathFilter::parse(condition))]);
    }
    let quoted = text
        .strip_prefix('\'')
        .and_then(|text| text.strip_suffix('\''));
    if let Some(names) = quoted.filter(|names| !names.contains('\'')) {
        return parse(&format!(".{names}")).ok();
    }
    // Only the parts of a union may have spaces around them.
    let trimmed = |part| if part == text { part } else { str::trim(part) };
    let several = text
        .split(',')
        .map(trimmed)
        .all(|part| part == "*" || part.split(':').count() <= 3 && part.split(':').all(is_number));
    (!text.is_empty() && several).then(|| vec![JsonPathStep::Each])
}

/// Returns help for bracketed text that is not valid.
fn bracket_help(text: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/' | '.');
    let name = text.trim_matches('"');
    if text.trim() != text && inside(text.trim()).is_some() {
        return format!("write `[{}]`", text.trim());
    }
    if name.chars().all(is_word) {
        // The user writes the path in a string literal, where `\` is escaped.
        format!("write `['{}']`", name.replace('.', "\\\\."))
    } else {
        BRACKETS.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{JsonPathStep, parse};

    fn shown(path: &str) -> String {
        match parse(path) {
            Err(mistake) => format!("! {}", &path[mistake.range]),
            Ok(steps) => steps.iter().map(of_step).collect(),
        }
    }

    fn of_step(step: &JsonPathStep) -> String {
        match step {
            JsonPathStep::Name(name) => format!("<{name}>"),
            JsonPathStep::Each => "*".to_owned(),
            JsonPathStep::Filter(filter) => match &filter.fault {
                Some(fault) => format!("?! {}; {}", fault.message, fault.help),
                None => {
                    let steps: String = filter.steps.iter().map(of_step).collect();
                    let literal = filter.literal.as_ref().map(|it| format!(" {it:?}"));
                    format!("?({steps}{})", literal.unwrap_or_default())
                }
            },
            JsonPathStep::Deep => "..".to_owned(),
        }
    }

    #[test]
    fn json_paths_parse_as_in_kubectl() {
        let cases = [
            (".spec.name", "<spec><name>"),
            (r".metadata.labels.a\.b/c", "<metadata><labels><a.b/c>"),
            (".metadata.labels['a.b/c']", "<metadata><labels><a><b/c>"),
            (r".metadata.labels['a\.b/c']", "<metadata><labels><a.b/c>"),
            (".spec.ports[0].name", "<spec><ports>*<name>"),
            (".spec.ports[-1:].name", "<spec><ports>*<name>"),
            (".spec.ports[*].name", "<spec><ports>*<name>"),
            (".spec.*", "<spec>*"),
            (".spec..name", "<spec>..<name>"),
            (".a[?(@.type==\"R]\")].s", r#"<a>?(<type> String("R]"))<s>"#),
            (".a[?(@.b[0]=='x')].s", r#"<a>?(<b>* String("x"))<s>"#),
            (".a[?(@.b)]", "<a>?(<b>)"),
            (".a[?(@ == 1)]", r#"<a>?( Number("1"))"#),
            (".a[?('x' == @.b)]", r#"<a>?(<b> String("x"))"#),
            (".a[?(@.b==true)]", r#"<a>?(<b> Boolean("true"))"#),
            (".a[?(@.b==Ready)]", r#"<a>?(<b> Word("Ready"))"#),
            (".a[?(@['b']>=@.c)]", "<a>?(<b>)"),
            (".spec.", "! ."),
            (".spec[", "! ["),
            (".spec[?(", "! ["),
            (".spec[?(@.a]", "! ["),
            (".spec[a]", "! [a]"),
            (".spec[\"a\"]", "! [\"a\"]"),
            (".spec[ 0 ]", "! [ 0 ]"),
            (".spec]", "! ]"),
        ];
        for (path, expected) in cases {
            assert_eq!(shown(path), expected, "{path}");
        }
    }

    /// Conditions that `k8s.io/client-go/util/jsonpath` does not parse or that fail on every item.
    #[test]
    fn conditions_that_select_nothing_are_reported() {
        let cases = [
            ("@.a==`R`", "text in a filter needs quotes; write `'R'`"),
            (
                "@.a=='R' && @.b=='T'",
                "a filter has only one condition; keep one of the conditions, without `&&`",
            ),
            (
                "@.a==\"R\"||@.b",
                "a filter has only one condition; keep one of the conditions, without `||`",
            ),
            ("@.a='R'", "unknown operator in a filter; write `==`"),
            ("@.a==='R'", "unknown operator in a filter; write `==`"),
            ("@.a=>3", "unknown operator in a filter; write `>=`"),
            (
                "@.a~='R'",
                "a filter cannot match a regular expression; write `==` and the whole text",
            ),
            (
                "@.a=~'R'",
                "a filter cannot match a regular expression; write `==` and the whole text",
            ),
            (
                "a=='R'",
                "a field in a filter begins with `@.`; write `@.a`",
            ),
            (
                "@a=='R'",
                "a field in a filter begins with `@.`; write `@.a`",
            ),
            (
                "!@.a",
                "invalid condition in a filter; write a condition such as `@.type=='Ready'`",
            ),
            (
                "@.a=",
                "invalid condition in a filter; write a condition such as `@.type=='Ready'`",
            ),
            (
                "@.a==",
                "invalid condition in a filter; write a condition such as `@.type=='Ready'`",
            ),
        ];
        for (condition, expected) in cases {
            let path = format!(".l[?({condition})]");
            assert_eq!(shown(&path), format!("<l>?! {expected}"), "{condition}");
        }
        for condition in [
            "@.a=='x && y'",
            "@.a=='`'",
            "@.a=='~'",
            ".a=='R'",
            "@.a == \"R\" ",
        ] {
            let path = format!(".l[?({condition})]");
            assert!(shown(&path).starts_with("<l>?(<a>"), "{condition}");
        }
    }
}
