//! Parser of patterns by Go's rules, which rewrites them for the `regex` crate.

use std::mem;

use super::error::{ErrorCode, PatternError};

/// Maximum of a repeat count such as `{2,3}`, and of the product of nested counts.
const MAX_REPEATS: u32 = 1000;

/// Nesting depth from which groups are rejected. Go instead limits the height of the parsed
/// expression. Repetitions add to this height, and groups without a capture do not.
const MAX_DEPTH: usize = 1000;

pub(super) struct Reader<'p> {
    pub(super) pattern: &'p str,
    pub(super) at: usize,
    /// The pattern in the syntax of the `regex` crate.
    pub(super) out: String,
}

/// An open group. The outermost group is the whole pattern.
struct Group {
    /// Position of the opening parenthesis.
    start: usize,
    /// The largest product of nested repeat counts in the group.
    repeats: u32,
    /// Whether the current alternative of the group has an operand that `*` can repeat.
    has_operand: bool,
}

impl Group {
    fn new(start: usize) -> Self {
        Self {
            start,
            repeats: 1,
            has_operand: false,
        }
    }
}

impl<'p> Reader<'p> {
    pub(super) fn new(pattern: &'p str) -> Self {
        Self {
            pattern,
            at: 0,
            out: String::with_capacity(pattern.len()),
        }
    }

    pub(super) fn rest(&self) -> &'p str {
        &self.pattern[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.at += text.len();
        }
        found
    }

    pub(super) fn error(
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

    /// Reads the whole pattern. The open groups are kept in a vector, because recursion would need
    /// too much stack for hundreds of groups.
    pub(super) fn expression(&mut self) -> Result<(), PatternError> {
        let mut group = Group::new(0);
        let mut outer: Vec<Group> = Vec::new();
        while let Some(next) = self.peek() {
            let mut start = self.at;
            let mut repeats = 1;
            match next {
                '|' => {
                    self.at += 1;
                    self.out.push('|');
                    group.has_operand = false;
                    continue;
                }
                ')' => {
                    let Some(around) = outer.pop() else {
                        return Err(self.unmatched());
                    };
                    self.at += 1;
                    self.out.push(')');
                    (start, repeats) = (group.start, group.repeats);
                    group = around;
                }
                '*' | '+' | '?' | '{' if self.repeat_once()?.is_some() => {
                    return Err(self.missing_operand(start, next));
                }
                '(' if self.opens_group()? => {
                    if outer.len() + 1 >= MAX_DEPTH {
                        return Err(self.error(
                            start,
                            1,
                            ErrorCode::NestingDepth,
                            "groups are nested too deeply",
                            "use fewer groups",
                        ));
                    }
                    outer.push(mem::replace(&mut group, Group::new(start)));
                    continue;
                }
                // Flags such as `(?i)` are no operand. A repetition after them applies to the
                // operand before them, if there is one.
                '(' if !group.has_operand => continue,
                '(' => {}
                _ => self.atom()?,
            }
            group.has_operand = true;
            group.repeats = group.repeats.max(self.repeats_of(start, repeats)?);
        }
        if outer.is_empty() {
            Ok(())
        } else {
            Err(self.error(
                group.start,
                1,
                ErrorCode::MissingParen,
                "unclosed `(`",
                "add `)`, or write `[(]` for the character",
            ))
        }
    }

    fn unmatched(&self) -> PatternError {
        let help = "write `[)]` for the character";
        self.error(
            self.at,
            1,
            ErrorCode::UnexpectedParen,
            "unmatched `)`",
            help,
        )
    }

    fn missing_operand(&self, start: usize, operator: char) -> PatternError {
        let help = match operator {
            '+' => "write `[+]` for the character",
            '?' => "write `[?]` for the character",
            '{' => "write `[{]` for the character",
            _ => "write `[*]` for the character",
        };
        self.error(
            start,
            self.at - start,
            ErrorCode::MissingRepeatArgument,
            "missing argument to the repetition operator",
            help,
        )
    }

    /// Reads the repetition of an operand, if there is one. Returns the product of its count with
    /// the counts in the operand.
    fn repeats_of(&mut self, start: usize, repeats: u32) -> Result<u32, PatternError> {
        let Some(count) = self.repetition()? else {
            return Ok(repeats);
        };
        let repeats = repeats.saturating_mul(count.max(1));
        if count > 1 && repeats > MAX_REPEATS {
            let length = self.at - start;
            return Err(self.error(
                start,
                length,
                ErrorCode::RepeatSize,
                "invalid repeat count: nested repetitions exceed 1000",
                "lower the repeat counts",
            ));
        }
        Ok(repeats)
    }

    /// Reads `*`, `+?` or `{2,3}`. Returns the largest number in the braces, 1 for a repetition
    /// without braces, or `None` without a repetition. Two repetitions in a row are an error.
    fn repetition(&mut self) -> Result<Option<u32>, PatternError> {
        let start = self.at;
        let Some(count) = self.repeat_once()? else {
            return Ok(None);
        };
        if self.repeat_once()?.is_some() {
            let length = self.at - start;
            return Err(self.error(
                start,
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
                let Some((least, most, length)) = parse_repeat(self.rest()) else {
                    return Ok(None);
                };
                self.at += length;
                let greatest = most.unwrap_or(least).max(least);
                if greatest > MAX_REPEATS || most.is_some_and(|most| most < least) {
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

    /// Reads the start of a group, or flags such as `(?i)`. Returns true for a group.
    fn opens_group(&mut self) -> Result<bool, PatternError> {
        let start = self.at;
        self.at += 1;
        if !self.eat("?") {
            self.out.push('(');
            return Ok(true);
        }
        let is_cut = matches!(self.rest(), "P<" | "<");
        if is_cut || !self.eat("P<") && !self.eat("<") {
            return Ok(!self.flags(start)?);
        }
        if matches!(self.peek(), Some('=' | '!')) {
            return Err(self.unsupported(start, self.at + 1, ErrorCode::NamedCapture));
        }
        self.group_name(start)?;
        self.out.push('(');
        Ok(true)
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
            help: "write the pattern without look-around and Perl's extensions, or combine patterns in a rule: `validation(rule = \"self.matches('^[a-z]+$') && !self.matches('^a')\")`",
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

    pub(super) fn letter(&mut self, letter: char) {
        self.out
            .push_str(&regex::escape(letter.encode_utf8(&mut [0; 4])));
    }
}

/// Reads `{2}`, `{2,}` or `{2,3}`. Returns the numbers and the length, or `None` if `{` is a
/// literal.
fn parse_repeat(text: &str) -> Option<(u32, Option<u32>, usize)> {
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
