//! JSONPath dialect of `kubectl` and the API server:
//! `.status.conditions[?(@.type=="Ready")].status`.
//!
//! Follows `k8s.io/client-go/util/jsonpath`. The API server accepts a printer column if its path
//! begins with a dot. If the path does not parse, tables lack this column and all later columns.

mod evaluate;
mod lexer;
mod template;

use std::ops::Range;

pub use self::evaluate::JsonPath;

/// One step of a path.
#[derive(Debug, PartialEq, Eq)]
pub enum JsonPathStep {
    /// `.name` or `['name']`
    Name(String),
    /// `[0]`, `[*]`, `[1:2]`, `.*`: some or all items or fields.
    Each,
    /// `[?(@.type=="Ready")]`: the items that a filter selects. The steps are those behind `@` on
    /// the left side of the filter; empty if it has none.
    Filter(Vec<JsonPathStep>),
    /// `..`: the values at any depth, from which the next step selects.
    Deep,
}

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

const BRACKETS: &str = "write `[0]`, `[*]`, `['a.b']` or `[?(@.type==\"Ready\")]`";

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
                let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '/');
                steps.push(inside(text).ok_or_else(|| PathError {
                    message: "expected an index, a name or a filter",
                    help: if text.chars().all(is_word) {
                        format!("write `['{text}']`")
                    } else {
                        BRACKETS.to_owned()
                    },
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

fn inside(text: &str) -> Option<JsonPathStep> {
    let text = text.trim();
    let is_number = |text: &str| {
        text.strip_prefix('-')
            .unwrap_or(text)
            .bytes()
            .all(|b| b.is_ascii_digit())
    };
    if let Some(filter) = text.strip_prefix("?(") {
        let condition = filter.strip_suffix(')').filter(|text| !text.is_empty())?;
        return Some(JsonPathStep::Filter(filtered(condition)));
    }
    for quote in ['\'', '"'] {
        let quoted = text
            .strip_prefix(quote)
            .and_then(|text| text.strip_suffix(quote));
        if let Some(name) = quoted.filter(|name| !name.contains(quote)) {
            return Some(JsonPathStep::Name(name.to_owned()));
        }
    }
    let several = text
        .split(',')
        .all(|part| part.split(':').count() <= 3 && part.split(':').all(is_number));
    (text == "*" || !text.is_empty() && several).then_some(JsonPathStep::Each)
}

/// Returns the steps behind `@` on the left side of a filter's condition. A filter in a filter is
/// not read, so that its depth needs no limit.
fn filtered(condition: &str) -> Vec<JsonPathStep> {
    let mut depth = 0;
    let end = condition.find(|letter| match letter {
        '[' => {
            depth += 1;
            false
        }
        ']' => {
            depth -= 1;
            false
        }
        _ => depth == 0 && matches!(letter, '=' | '!' | '<' | '>'),
    });
    let left = condition[..end.unwrap_or(condition.len())].trim();
    left.strip_prefix('@')
        .filter(|path| !path.contains("?("))
        .and_then(|path| parse(path).ok())
        .unwrap_or_default()
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
            JsonPathStep::Filter(steps) => {
                format!("?({})", steps.iter().map(of_step).collect::<String>())
            }
            JsonPathStep::Deep => "..".to_owned(),
        }
    }

    #[test]
    fn json_paths_parse_as_in_kubectl() {
        let cases = [
            (".spec.name", "<spec><name>"),
            (r".metadata.labels.a\.b/c", "<metadata><labels><a.b/c>"),
            (".metadata.labels['a.b/c']", "<metadata><labels><a.b/c>"),
            (".spec.ports[0].name", "<spec><ports>*<name>"),
            (".spec.ports[-1:].name", "<spec><ports>*<name>"),
            (".spec.ports[*].name", "<spec><ports>*<name>"),
            (".spec.*", "<spec>*"),
            (".spec..name", "<spec>..<name>"),
            (".a[?(@.type==\"R]\")].s", "<a>?(<type>)<s>"),
            (".a[?(@.b[0]=='x')].s", "<a>?(<b>*)<s>"),
            (".a[?(@['b=c'].d >= 1)]", "<a>?(<b=c><d>)"),
            (".a[?(@.b)]", "<a>?(<b>)"),
            (".a[?(@ == 1)]", "<a>?()"),
            (".a[?('x' == @.b)]", "<a>?()"),
            (".spec.", "! ."),
            (".spec[", "! ["),
            (".spec[?(", "! ["),
            (".spec[?(@.a]", "! ["),
            (".spec[a]", "! [a]"),
            (".spec]", "! ]"),
        ];
        for (path, expected) in cases {
            assert_eq!(shown(path), expected, "{path}");
        }
    }
}
