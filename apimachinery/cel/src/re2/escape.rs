//! Escape sequences: `\d`, `\.`, `\x{41}`, `\Q…\E`.

use super::error::{ErrorCode, PatternError};
use super::reader::Reader;

impl Reader<'_> {
    /// Reads an escape outside of brackets.
    pub(super) fn escape(&mut self) -> Result<(), PatternError> {
        if self.eat("\\Q") {
            let end = self.rest().find("\\E");
            let literal = &self.rest()[..end.unwrap_or(self.rest().len())];
            self.out.push_str(&regex::escape(literal));
            self.at += literal.len() + end.map_or(0, |_| 2);
            return Ok(());
        }
        for (go, ours) in [
            ("\\A", "\\A"),
            ("\\z", "\\z"),
            ("\\b", "(?-u:\\b)"),
            ("\\B", "(?-u:\\B)"),
        ] {
            if self.eat(go) {
                self.out.push_str(ours);
                return Ok(());
            }
        }
        if let Some(class) = self.named_class()? {
            self.out.push_str(&class);
            return Ok(());
        }
        let letter = self.escaped_letter()?;
        self.letter(letter);
        Ok(())
    }

    /// Reads `\d`, `\W`, `\pL` or `\p{Greek}` and returns the equivalent class of the `regex`
    /// crate.
    pub(super) fn named_class(&mut self) -> Result<Option<String>, PatternError> {
        for (go, ours) in PERL_CLASSES {
            if self.eat(go) {
                return Ok(Some((*ours).to_owned()));
            }
        }
        let start = self.at;
        if !self.eat("\\p") && !self.eat("\\P") {
            return Ok(None);
        }
        let mut negative = self.pattern[start..self.at].ends_with('P');
        let name = if self.eat("{") {
            let Some(end) = self.rest().find('}') else {
                let length = self.pattern.len() - start;
                return Err(self.error(
                    start,
                    length,
                    ErrorCode::CharRange,
                    "unclosed `{`",
                    "add `}`",
                ));
            };
            let name = &self.rest()[..end];
            self.at += end + 1;
            name
        } else {
            let letter = self.next().map_or(0, char::len_utf8);
            &self.pattern[self.at - letter..self.at]
        };
        let name = match name.strip_prefix('^') {
            Some(name) => {
                negative = !negative;
                name
            }
            None => name,
        };
        let length = self.at - start;
        perl_class(name, negative).map(Some).ok_or_else(|| {
            self.error(
                start,
                length,
                ErrorCode::CharRange,
                "unknown character class",
                "write `\\p{L}` for letters, `\\p{Greek}` for a script",
            )
        })
    }

    /// Reads an escape and returns the character that it denotes.
    pub(super) fn escaped_letter(&mut self) -> Result<char, PatternError> {
        let start = self.at;
        self.at += 1;
        let Some(letter) = self.next() else {
            return Err(self.error(
                start,
                1,
                ErrorCode::TrailingBackslash,
                "trailing backslash at the end of the pattern",
                "remove the backslash, or write `r\"..\\\\\"` to match a backslash",
            ));
        };
        let found = match letter {
            'a' => Some('\x07'),
            'f' => Some('\x0c'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\x0b'),
            'x' => self.hexadecimal(),
            '0' => self.octal(0),
            '1'..='7' if matches!(self.peek(), Some('0'..='7')) => {
                self.octal(letter as u32 - '0' as u32)
            }
            _ if letter.is_ascii() && !letter.is_ascii_alphanumeric() => Some(letter),
            _ => None,
        };
        found.ok_or_else(|| {
            let length = self.at - start;
            let shown = &self.pattern[start..self.at];
            let message = format!("the API server's patterns (RE2) do not support `{shown}`");
            self.error(
                start,
                length,
                ErrorCode::Escape,
                &message,
                "write the characters literally, or a class: `[a-z]`",
            )
        })
    }

    /// Reads `41` or `{1F600}`. On an error, stops after the same character as Go, because the
    /// message quotes the escape up to there.
    fn hexadecimal(&mut self) -> Option<char> {
        if !self.eat("{") {
            let (high, low) = (self.next()?, self.next()?);
            return char::from_u32(16 * high.to_digit(16)? + low.to_digit(16)?);
        }
        let mut code = None;
        loop {
            match self.next()? {
                '}' => return char::from_u32(code?),
                digit => {
                    let next = 16 * code.unwrap_or(0) + digit.to_digit(16)?;
                    code = Some(next).filter(|next| *next <= u32::from(char::MAX));
                    code?;
                }
            }
        }
    }

    /// Reads up to two more digits of an octal escape.
    fn octal(&mut self, first: u32) -> Option<char> {
        let mut code = first;
        for _ in 0..2 {
            let Some(digit) = self.peek().and_then(|digit| digit.to_digit(8)) else {
                break;
            };
            code = code * 8 + digit;
            self.at += 1;
        }
        char::from_u32(code)
    }
}

/// Perl classes and their equivalents. In Go, `\d`, `\s` and `\w` match only ASCII.
const PERL_CLASSES: &[(&str, &str)] = &[
    ("\\d", "[0-9]"),
    ("\\D", "[^0-9]"),
    ("\\s", "[\\t\\n\\f\\r ]"),
    ("\\S", "[^\\t\\n\\f\\r ]"),
    ("\\w", "[0-9A-Za-z_]"),
    ("\\W", "[^0-9A-Za-z_]"),
];

/// Returns the class `name` in the syntax of the `regex` crate, or `None` if Go does not have the
/// class. The result is valid inside and outside of brackets.
fn perl_class(name: &str, negative: bool) -> Option<String> {
    let name = canonical_name(name);
    let property = match name.as_str() {
        "Any" => return Some(any_char_class(negative)),
        "Ascii" => return Some(char_class("[:ascii:]", negative)),
        "Assigned" => return Some(format!("\\{}{{Cn}}", if negative { 'p' } else { 'P' })),
        // Rust strings cannot contain surrogates.
        "Cs" | "Surrogate" => return Some(any_char_class(!negative)),
        name => unicode_property(name)?,
    };
    let sign = if negative { 'P' } else { 'p' };
    Some(format!("\\{sign}{{{property}}}"))
}

/// Returns a class that matches every character or, if `negative` is set, no character.
fn any_char_class(negative: bool) -> String {
    char_class("\\x{0}-\\x{10FFFF}", negative)
}

fn char_class(characters: &str, negative: bool) -> String {
    format!("[{}{characters}]", if negative { "^" } else { "" })
}

fn unicode_property(name: &str) -> Option<&'static str> {
    let lines = include_str!("../../data/unicode_classes.tsv").lines();
    let mut rows = lines.filter_map(|line| line.split_once('\t'));
    rows.find_map(|(class, property)| (class == name).then_some(property))
}

/// Returns the name without separators and with only its first letter in upper case.
fn canonical_name(name: &str) -> String {
    let mut letters = name
        .chars()
        .filter(|letter| !matches!(letter, '_' | '-' | ' '));
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first
        .into_iter()
        .chain(letters.map(|letter| letter.to_ascii_lowercase()))
        .collect()
}
