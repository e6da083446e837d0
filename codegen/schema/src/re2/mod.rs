//! Patterns in the syntax of the API server: Go's `regexp`, which is RE2.
//!
//! Go and the `regex` crate accept different syntax (`\Q…\E`, `{` as a literal, `a**`), and `\d`
//! differs in meaning. So a pattern is parsed by Go's rules (package `regexp/syntax`) and rewritten
//! for the crate, which matches it.

mod class;
mod error;
mod escape;

use regex::Regex;

use error::ErrorCode;
pub use error::PatternError;

/// A valid pattern.
#[derive(Debug)]
pub struct Pattern {
    /// The pattern in the syntax of the `regex` crate. It is compiled only when a text is matched:
    /// most patterns are never matched, and compiling takes a hundred times as long as parsing.
    rewritten: String,
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// Returns the first error that the API server would report.
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        let mut reader = Reader::new(pattern);
        reader.alternation(0)?;
        if reader.peek() == Some(')') {
            return Err(reader.error(
                reader.at,
                1,
                ErrorCode::UnexpectedParen,
                "unmatched `)`",
                "write `[)]` for the character",
            ));
        }
        Ok(Self {
            rewritten: reader.out,
        })
    }

    /// Returns whether the text matches. Returns true if the `regex` crate cannot compile the
    /// pattern.
    pub fn matches(&self, text: &str) -> bool {
        self.regex().is_none_or(|regex| regex.is_match(text))
    }

    /// Returns the compiled pattern, or `None` if only Go can compile it.
    pub(crate) fn regex(&self) -> Option<Regex> {
        Regex::new(&self.rewritten).ok()
    }
}

/// Maximum of a repeat count such as `{2,3}`, and of the product of nested counts.
const MOST_REPEATS: u32 = 1000;

/// Maximum nesting depth of groups.
const DEEPEST: usize = 1000;

struct Reader<'p> {
    pattern: &'p str,
    at: usize,
    /// The pattern in the syntax of the `regex` crate.
    out: String,
}

impl<'p> Reader<'p> {
    fn new(pattern: &'p str) -> Self {
        Self {
            pattern,
            at: 0,
            out: String::with_capacity(pattern.len()),
        }
    }

    fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    fn error(
        &self,
        start: usize,
        length: usize,
        code: ErrorCode,
        message: &str,
        help: &'static str,
    ) -> PatternError {
        let end = (start + length).min(self.pattern.len());
        PatternError {
            code,
            message: message.to_owned(),
            help,
            range: start..end,
        }
    }

    /// Reads `a|b|c`. Returns the largest product of nested repeat counts in it.
    fn alternation(&mut self, depth: usize) -> Result<u32, PatternError> {
        if depth > DEEPEST {
            return Err(self.error(
                self.at,
                1,
                ErrorCode::NestingDepth,
                "groups are nested too deeply",
                "use fewer groups",
            ));
        }
        let mut repeats = 1;
        loop {
            repeats = repeats.max(self.concatenation(depth)?);
            if !self.eat("|") {
                return Ok(repeats);
            }
            self.out.push('|');
        }
    }

    fn concatenation(&mut self, depth: usize) -> Result<u32, PatternError> {
        let mut most = 1;
        let mut has_operand = false;
        while let Some(next) = self.peek() {
            let start = self.at;
            let mut repeats = match next {
                '|' | ')' => break,
                '*' | '+' | '?' => {
                    return Err(self.error(
                        start,
                        1,
                        ErrorCode::MissingRepeatArgument,
                        "missing argument to the repetition operator",
                        match next {
                            '+' => "write `[+]` for the character",
                            '?' => "write `[?]` for the character",
                            _ => "write `[*]` for the character",
                        },
                    ));
                }
                '(' => match self.group(depth)? {
                    Some(repeats) => repeats,
                    // A repetition after flags repeats what is before them.
                    None if !has_operand => continue,
                    None => 1,
                },
                _ => {
                    self.atom()?;
                    1
                }
            };
            if let Some(count) = self.repetition()? {
                repeats = repeats.saturating_mul(count.max(1));
                if count > 1 && repeats > MOST_REPEATS {
                    let length = self.at - start;
                    return Err(self.error(
                        start,
                        length,
                        ErrorCode::RepeatSize,
                        "invalid repeat count: nested repetitions exceed 1000",
                        "lower the repeat counts",
                    ));
                }
            }
            most = most.max(repeats);
            has_operand = true;
        }
        Ok(most)
    }

    /// Reads `*`, `+?` or `{2,3}`. Returns the larger number of `{2,3}`, 1 for other repetitions,
    /// or `None` without a repetition. Two repetitions in a row are an error.
    fn repetition(&mut self) -> Result<Option<u32>, PatternError> {
        let Some(count) = self.repeat_once()? else {
            return Ok(None);
        };
        let again = self.at;
        if self.repeat_once()?.is_some() {
            let length = self.at - again;
            return Err(self.error(
                again,
                length,
                ErrorCode::RepeatOperator,
                "invalid nested repetition operator",
                "put the repetition into a group: `(?:a*)*`",
            ));
        }
        Ok(Some(count))
    }

    fn repeat_once(&mut self) -> Result<Option<u32>, PatternError> {
        let start = self.at;
        let count = match self.peek() {
            Some(sign @ ('*' | '+' | '?')) => {
                self.at += 1;
                self.out.push(sign);
                1
            }
            Some('{') => {
                let Some((least, most, length)) = counted(self.rest()) else {
                    return Ok(None);
                };
                self.at += length;
                let greatest = most.unwrap_or(least).max(least);
                if greatest > MOST_REPEATS || most.is_some_and(|most| most < least) {
                    return Err(self.error(
                        start,
                        length,
                        ErrorCode::RepeatSize,
                        "invalid repeat count: the limit is 1000, and the lower number comes first",
                        "write `{1,63}`, or use `max_length` for a greater length",
                    ));
                }
                self.out.push_str(&self.pattern[start..self.at]);
                greatest
            }
            _ => return Ok(None),
        };
        if self.eat("?") {
            self.out.push('?');
        }
        Ok(Some(count))
    }

    /// Reads a group. Returns the largest product of nested repeat counts in it, or `None` for flags
    /// such as `(?i)`.
    fn group(&mut self, depth: usize) -> Result<Option<u32>, PatternError> {
        let start = self.at;
        self.at += 1;
        if self.eat("?") {
            if self.eat("P<") || self.eat("<") {
                if matches!(self.peek(), Some('=' | '!')) {
                    return Err(self.unsupported(start, self.at + 1, ErrorCode::NamedCapture));
                }
                self.group_name(start)?;
                self.out.push('(');
            } else if self.flags(start)? {
                return Ok(None);
            }
        } else {
            self.out.push('(');
        }
        let repeats = self.alternation(depth + 1)?;
        if !self.eat(")") {
            return Err(self.error(
                start,
                1,
                ErrorCode::MissingParen,
                "unclosed `(`",
                "add `)`, or write `[(]` for the character",
            ));
        }
        self.out.push(')');
        Ok(Some(repeats))
    }

    fn group_name(&mut self, start: usize) -> Result<(), PatternError> {
        let name = self.rest().split('>').next().unwrap_or_default();
        let closed = self.rest().len() > name.len();
        let plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if !closed || name.is_empty() || !name.chars().all(plain) {
            let length = self.at - start + name.len();
            return Err(self.error(
                start,
                length,
                ErrorCode::NamedCapture,
                "invalid capture group name",
                "write `(?:…)`: the name has no effect",
            ));
        }
        self.at += name.len() + 1;
        Ok(())
    }

    /// Reads `(?i)`, `(?i-s:` or `(?:`. Returns true for `(?i)`, which has no content.
    fn flags(&mut self, start: usize) -> Result<bool, PatternError> {
        let flags = self.at;
        let mut negative = false;
        let mut any = false;
        loop {
            match self.next() {
                Some('i' | 'm' | 's' | 'U') => any = true,
                Some('-') if !negative => {
                    negative = true;
                    any = false;
                }
                Some(end @ (':' | ')')) if !negative || any => {
                    self.out.push_str("(?");
                    self.out.push_str(&self.pattern[flags..self.at]);
                    return Ok(end == ')');
                }
                _ => return Err(self.unsupported(start, self.at, ErrorCode::PerlOperator)),
            }
        }
    }

    fn unsupported(&self, start: usize, end: usize, code: ErrorCode) -> PatternError {
        let shown = &self.pattern[start..end];
        PatternError {
            code,
            message: format!("the API server's patterns (RE2) do not support `{shown}`"),
            help: "write the pattern without look-around and Perl's extensions, or a CEL rule: `validation(rule = \"..\")`",
            range: start..end,
        }
    }

    /// Reads one character, class or escape.
    fn atom(&mut self) -> Result<(), PatternError> {
        match self.peek() {
            Some('[') => self.class(),
            Some('\\') => self.escape(),
            Some(sign @ ('^' | '$' | '.')) => {
                self.at += 1;
                self.out.push(sign);
                Ok(())
            }
            Some(letter) => {
                self.at += letter.len_utf8();
                self.letter(letter);
                Ok(())
            }
            None => Ok(()),
        }
    }

    fn letter(&mut self, letter: char) {
        self.out
            .push_str(&regex::escape(letter.encode_utf8(&mut [0; 4])));
    }
}

/// Reads `{2}`, `{2,}` or `{2,3}`. Returns the numbers and the length, or `None` if `{` is a
/// literal.
fn counted(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let end = text.find('}')?;
    let inside = &text[1..end];
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        let plain = text == "0" || !text.starts_with('0');
        (digits && plain).then(|| text.parse().unwrap_or(u32::MAX))
    };
    let (least, most) = match inside.split_once(',') {
        None => (number(inside)?, number(inside)),
        Some((least, "")) => (number(least)?, None),
        Some((least, most)) => (number(least)?, Some(number(most)?)),
    };
    Some((least, most, end + 1))
}

#[cfg(test)]
mod tests;
