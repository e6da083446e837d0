//! Checker of JSON syntax, with the messages of Go's encoding/json.

use super::quoted;

/// Returns the message of Go's JSON decoder for a text that is not JSON. `error` is the error of
/// serde's decoder, which is the fallback.
#[must_use]
pub fn json_error(error: &serde_json::Error, text: &[u8]) -> String {
    mistake(text).unwrap_or_else(|| error.to_string())
}

/// Returns the message about the first syntax error in a text, or `None` if it is valid JSON.
fn mistake(text: &[u8]) -> Option<String> {
    Scanner { text, at: 0 }.document().err()
}

/// Scanner over the rest of a JSON text. Its methods consume what they read.
struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
}

impl Scanner<'_> {
    fn document(&mut self) -> Result<(), String> {
        // Closing brackets and braces that are still missing, the innermost last.
        let mut open = Vec::new();
        loop {
            self.space();
            let is_open = match self.take()? {
                b'{' => self.begin(&mut open, b'}'),
                b'[' => self.begin(&mut open, b']'),
                b'"' => self.string().map(|()| false)?,
                first @ (b'-' | b'0'..=b'9') => self.number(first).map(|()| false)?,
                b't' => self.literal("true").map(|()| false)?,
                b'f' => self.literal("false").map(|()| false)?,
                b'n' => self.literal("null").map(|()| false)?,
                other => return Err(invalid(other, "looking for beginning of value")),
            };
            if is_open {
                if open.last() == Some(&b'}') {
                    self.key()?;
                }
                continue;
            }
            if self.read_to_next_value(&mut open)? {
                return Ok(());
            }
        }
    }

    /// Begins an object or list after its opening bracket. If the object or list is empty, reads
    /// its closing bracket and returns `false`.
    fn begin(&mut self, open: &mut Vec<u8>, end: u8) -> bool {
        self.space();
        let is_open = self.text.get(self.at) != Some(&end);
        if is_open {
            open.push(end);
        } else {
            self.at += 1;
        }
        is_open
    }

    /// Reads what follows a value: closing brackets, a comma and, in an object, the next key.
    /// Returns `true` if the document ends instead.
    fn read_to_next_value(&mut self, open: &mut Vec<u8>) -> Result<bool, String> {
        loop {
            self.space();
            let Some(end) = open.last() else {
                return match self.text.get(self.at) {
                    None => Ok(true),
                    Some(found) => Err(invalid(*found, "after top-level value")),
                };
            };
            let is_object = *end == b'}';
            let context = if is_object {
                "after object key:value pair"
            } else {
                "after array element"
            };
            match self.take()? {
                b',' if is_object => return self.key().map(|()| false),
                b',' => return Ok(false),
                found if found == *end => open.pop(),
                found => return Err(invalid(found, context)),
            };
        }
    }

    fn key(&mut self) -> Result<(), String> {
        self.space();
        self.expect(b'"', "looking for beginning of object key string")?;
        self.string()?;
        self.space();
        self.expect(b':', "after object key")
    }

    fn string(&mut self) -> Result<(), String> {
        loop {
            match self.take()? {
                b'"' => return Ok(()),
                b'\\' => self.escape()?,
                control @ ..b' ' => return Err(invalid(control, "in string literal")),
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Result<(), String> {
        match self.take()? {
            b'b' | b'f' | b'n' | b'r' | b't' | b'\\' | b'/' | b'"' => Ok(()),
            b'u' => (0..4).try_for_each(|_| {
                let context = "in \\u hexadecimal character escape";
                match self.take()? {
                    digit if digit.is_ascii_hexdigit() => Ok(()),
                    other => Err(invalid(other, context)),
                }
            }),
            other => Err(invalid(other, "in string escape code")),
        }
    }

    fn number(&mut self, first: u8) -> Result<(), String> {
        let first = match first {
            b'-' => self.digit("in numeric literal")?,
            first => first,
        };
        if first != b'0' {
            self.digits();
        }
        if self.skip(b".") {
            self.digit("after decimal point in numeric literal")?;
            self.digits();
        }
        if self.skip(b"eE") {
            self.skip(b"+-");
            self.digit("in exponent of numeric literal")?;
            self.digits();
        }
        Ok(())
    }

    /// Reads the rest of `true`, `false` or `null` after its first letter.
    fn literal(&mut self, literal: &str) -> Result<(), String> {
        for letter in literal.bytes().skip(1) {
            let expected = char::from(letter);
            let context = format!("in literal {literal} (expecting '{expected}')");
            self.expect(letter, &context)?;
        }
        Ok(())
    }

    fn space(&mut self) {
        while self.skip(b" \t\r\n") {}
    }

    fn digits(&mut self) {
        while self.skip(b"0123456789") {}
    }

    fn digit(&mut self, context: &str) -> Result<u8, String> {
        match self.take()? {
            digit @ b'0'..=b'9' => Ok(digit),
            other => Err(invalid(other, context)),
        }
    }

    /// Skips the next character if it is one of `characters`, and returns whether it was.
    fn skip(&mut self, characters: &[u8]) -> bool {
        let found = self.text.get(self.at);
        let is_there = found.is_some_and(|found| characters.contains(found));
        self.at += usize::from(is_there);
        is_there
    }

    fn expect(&mut self, expected: u8, context: &str) -> Result<(), String> {
        match self.take()? {
            found if found == expected => Ok(()),
            found => Err(invalid(found, context)),
        }
    }

    fn take(&mut self) -> Result<u8, String> {
        let found = self.text.get(self.at).copied();
        self.at += 1;
        found.ok_or_else(|| "unexpected end of JSON input".to_owned())
    }
}

fn invalid(found: u8, context: &str) -> String {
    let character = match found {
        b'\'' => "\\'".to_owned(),
        b'"' => "\"".to_owned(),
        found => {
            let quoted = quoted(&char::from(found).to_string());
            quoted.trim_matches('"').to_owned()
        }
    };
    format!("invalid character '{character}' {context}")
}

#[cfg(test)]
mod tests {
    use super::mistake;

    const END: &str = "unexpected end of JSON input";

    const MISTAKES: &[(&str, &str)] = &[
        ("", END),
        (" ", END),
        ("{", END),
        (r#"{"a":""#, END),
        (r#"["#, END),
        ("-", END),
        (
            r#"{"a":}"#,
            "invalid character '}' looking for beginning of value",
        ),
        (r#"{"a" 1}"#, "invalid character '1' after object key"),
        (
            r#"{"a":1,}"#,
            "invalid character '}' looking for beginning of object key string",
        ),
        (
            "{'a':1}",
            r"invalid character '\'' looking for beginning of object key string",
        ),
        (
            r#"{"a":1 "b"}"#,
            r#"invalid character '"' after object key:value pair"#,
        ),
        ("[1 2]", "invalid character '2' after array element"),
        (
            "[1,]",
            "invalid character ']' looking for beginning of value",
        ),
        (
            "[tru]",
            "invalid character ']' in literal true (expecting 'e')",
        ),
        (
            "nul1",
            "invalid character '1' in literal null (expecting 'l')",
        ),
        ("{}x", "invalid character 'x' after top-level value"),
        (r#"["\q"]"#, "invalid character 'q' in string escape code"),
        (
            r#"["\u12x4"]"#,
            r"invalid character 'x' in \u hexadecimal character escape",
        ),
        ("[\"x\ny\"]", r"invalid character '\n' in string literal"),
        ("[01]", "invalid character '1' after array element"),
        (
            "[1.]",
            "invalid character ']' after decimal point in numeric literal",
        ),
        (
            "[1e]",
            "invalid character ']' in exponent of numeric literal",
        ),
        ("[-]", "invalid character ']' in numeric literal"),
    ];

    #[test]
    fn json_syntax_errors_match_go() {
        for (text, expected) in MISTAKES {
            assert_eq!(
                mistake(text.as_bytes()).as_deref(),
                Some(*expected),
                "{text}"
            );
        }
        for text in [
            r#" {"a": [1, -0.5e+7, {}, [], "\u00e4\n"], "b": null } "#,
            "0",
            "true",
        ] {
            assert_eq!(mistake(text.as_bytes()), None, "{text}");
        }
    }
}
