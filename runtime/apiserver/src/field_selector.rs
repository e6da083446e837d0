//! Field selectors of lists and watches.

use crate::failure::Failure;

/// Field selector: all tests must pass. Example: `metadata.name=a,status.phase!=Failed`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Fields(pub(crate) Vec<FieldTest>);

/// One requirement of a field selector, such as `status.phase!=Failed`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FieldTest {
    pub(crate) field: String,
    pub(crate) value: String,
    pub(crate) is_equal: bool,
}

impl Fields {
    /// Parses a selector (`fields.ParseSelector` of k8s.io/apimachinery).
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let mut tests = Vec::new();
        for term in terms(text) {
            if term.is_empty() {
                continue;
            }
            let operators = [("!=", false), ("==", true), ("=", true)];
            let first = operators
                .iter()
                .filter_map(|(operator, is_equal)| {
                    let at = term.find(operator)?;
                    Some((at, operator.len(), *is_equal))
                })
                .min_by_key(|(at, length, _)| (*at, usize::MAX - length));
            let Some((at, length, is_equal)) = first else {
                let message = format!("invalid selector: '{text}'; can't understand '{term}'");
                return Err(Failure::bad_request(message));
            };
            tests.push(FieldTest {
                field: term[..at].to_owned(),
                value: unescaped(&term[at + length..]),
                is_equal,
            });
        }
        Ok(Self(tests))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Splits a selector at the commas that are not escaped by a backslash.
fn terms(text: &str) -> Vec<&str> {
    let mut terms = Vec::new();
    let (mut start, mut is_escaped) = (0, false);
    for (at, character) in text.char_indices() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            ',' => {
                terms.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    terms.push(&text[start..]);
    terms
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.extend(characters.next()),
            character => out.push(character),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_selectors_test_equality_and_inequality() {
        let test = |field: &str, value: &str, is_equal| FieldTest {
            field: field.to_owned(),
            value: value.to_owned(),
            is_equal,
        };
        let parsed = Fields::parse(r"metadata.name=a\,b,status.phase!=Failed,x==y,").unwrap();
        let expected = [
            test("metadata.name", "a,b", true),
            test("status.phase", "Failed", false),
            test("x", "y", true),
        ];
        assert_eq!(parsed.0, expected);
        assert!(Fields::parse("metadata.name").is_err());
    }
}
