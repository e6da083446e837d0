//! Character classes in brackets: `[a-z]`, `[^[:alpha:]\d]`.

use super::error::{ErrorCode, PatternError};
use super::reader::Reader;

impl Reader<'_> {
    /// Reads a class in brackets. A `]` directly after `[` or `[^` is a character.
    pub(super) fn class(&mut self) -> Result<(), PatternError> {
        let start = self.at;
        self.at += 1;
        self.out.push('[');
        if self.eat("^") {
            self.out.push('^');
        }
        let mut first = true;
        loop {
            match self.peek() {
                None => {
                    return Err(self.error(
                        start,
                        1,
                        ErrorCode::MissingBracket,
                        "unclosed `[`",
                        "add `]`, or write `[[]` for the character",
                    ));
                }
                Some(']') if !first => break,
                Some(_) => self.class_part()?,
            }
            first = false;
        }
        self.at += 1;
        self.out.push(']');
        Ok(())
    }

    /// Reads one part of a class: a character, a range or a named class.
    fn class_part(&mut self) -> Result<(), PatternError> {
        if let Some(class) = self.posix_class()? {
            self.out.push_str(&class);
            return Ok(());
        }
        if let Some(class) = self.named_class()? {
            self.out.push_str(&class);
            return Ok(());
        }
        let start = self.at;
        let low = self.class_letter()?;
        self.letter_in_class(low);
        let is_range =
            self.rest().starts_with('-') && !self.rest().starts_with("-]") && self.rest().len() > 1;
        if !is_range {
            return Ok(());
        }
        self.at += 1;
        let high = self.class_letter()?;
        if high < low {
            let length = self.at - start;
            return Err(self.error(
                start,
                length,
                ErrorCode::CharRange,
                "invalid character class range: the bounds are reversed",
                "write the lower character first: `a-z`",
            ));
        }
        self.out.push('-');
        self.letter_in_class(high);
        Ok(())
    }

    /// Reads a character or an escape in a class.
    fn class_letter(&mut self) -> Result<char, PatternError> {
        match self.peek() {
            Some('\\') => self.escaped_letter(),
            Some(letter) => {
                self.at += letter.len_utf8();
                Ok(letter)
            }
            None => Err(self.error(
                self.at,
                0,
                ErrorCode::MissingBracket,
                "unclosed `[`",
                "add `]`",
            )),
        }
    }

    fn letter_in_class(&mut self, letter: char) {
        // In classes of the `regex` crate, `&&`, `--` and `~~` are set operators.
        if matches!(letter, '\\' | '[' | ']' | '^' | '-' | '&' | '~') {
            self.out.push('\\');
        }
        self.out.push(letter);
    }

    /// Reads `[:alpha:]` or `[:^alpha:]`.
    fn posix_class(&mut self) -> Result<Option<String>, PatternError> {
        let start = self.at;
        let Some(end) = self
            .rest()
            .strip_prefix("[:")
            .and_then(|rest| rest.find(":]"))
        else {
            return Ok(None);
        };
        let whole = &self.rest()[..end + 4];
        self.at += whole.len();
        let name = whole[2..end + 2].trim_start_matches('^');
        if !POSIX_CLASSES.contains(&name) {
            let help = "write `[:alpha:]`, `[:alnum:]`, `[:digit:]`, `[:lower:]`, `[:upper:]`, \
                 `[:punct:]` or `[:space:]`";
            let code = ErrorCode::CharRange;
            return Err(self.error(start, whole.len(), code, "unknown character class", help));
        }
        Ok(Some(whole.to_owned()))
    }
}

const POSIX_CLASSES: &[&str] = &[
    "alnum", "alpha", "ascii", "blank", "cntrl", "digit", "graph", "lower", "print", "punct",
    "space", "upper", "word", "xdigit",
];
