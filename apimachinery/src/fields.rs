//! Field selectors in text form (k8s.io/apimachinery/pkg/fields).

/// Field selector: all tests must pass. Example: `metadata.name=a,status.phase!=Failed`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FieldSelector(pub Vec<FieldTest>);

/// One requirement of a field selector, such as `status.phase!=Failed`.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldTest {
    /// The path of the field.
    pub field: String,
    /// The wanted or unwanted value.
    pub value: String,
    /// Whether the field must have the value, or must not have it.
    pub is_equal: bool,
}

impl FieldSelector {
    /// Parses a selector (`fields.ParseSelector`).
    ///
    /// # Errors
    ///
    /// Returns Go's error message.
    pub fn parse(text: &str) -> Result<Self, String> {
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
                return Err(message);
            };
            tests.push(FieldTest {
                field: term[..at].to_owned(),
                value: unescaped(&term[at + length..]),
                is_equal,
            });
        }
        Ok(Self(tests))
    }

    /// Returns whether the selector matches everything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
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

/// Escapes `\`, `,` and `=` in the value of a field selector (`EscapeValue`).
#[must_use]
pub fn escape_value(value: &str) -> String {
    let mut escaped = String::with_capacity(value.len());
    for character in value.chars() {
        if matches!(character, '\\' | ',' | '=') {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
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
        let parsed =
            FieldSelector::parse(r"metadata.name=a\,b,status.phase!=Failed,x==y,").unwrap();
        let expected = [
            test("metadata.name", "a,b", true),
            test("status.phase", "Failed", false),
            test("x", "y", true),
        ];
        assert_eq!(parsed.0, expected);
        assert!(FieldSelector::parse("metadata.name").is_err());
    }
}
