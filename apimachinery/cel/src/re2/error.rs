//! [`PatternError`]: a syntax error in a pattern. It has a message with help for users of the
//! generator, and Go's message.

use std::ops::Range;

/// Syntax error in a pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PatternError {
    /// Message for users of the generator.
    pub message: String,
    /// Help with the correct syntax.
    pub help: &'static str,
    /// Byte range in the pattern.
    pub range: Range<usize>,
    pub(super) code: ErrorCode,
}

/// Kind of a syntax error: Go's `regexp/syntax.ErrorCode`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ErrorCode {
    CharRange,
    Escape,
    MissingBracket,
    MissingParen,
    MissingRepeatArgument,
    NamedCapture,
    NestingDepth,
    PerlOperator,
    RepeatOperator,
    RepeatSize,
    TrailingBackslash,
    UnexpectedParen,
}

impl ErrorCode {
    fn as_str(self) -> &'static str {
        match self {
            Self::CharRange => "invalid character class range",
            Self::Escape => "invalid escape sequence",
            Self::MissingBracket => "missing closing ]",
            Self::MissingParen => "missing closing )",
            Self::MissingRepeatArgument => "missing argument to repetition operator",
            Self::NamedCapture => "invalid named capture",
            Self::NestingDepth => "expression nests too deeply",
            Self::PerlOperator => "invalid or unsupported Perl syntax",
            Self::RepeatOperator => "invalid nested repetition operator",
            Self::RepeatSize => "invalid repeat count",
            Self::TrailingBackslash => "trailing backslash at end of expression",
            Self::UnexpectedParen => "unexpected )",
        }
    }
}

impl PatternError {
    /// Returns the message of Go's `regexp.Compile` for `pattern`. The API server returns the same
    /// message.
    pub fn in_go(&self, pattern: &str) -> String {
        let (code, part) = (self.code.as_str(), self.go_part(pattern));
        format!("error parsing regexp: {code}: `{part}`")
    }

    /// Returns the part of the pattern that Go quotes, which may be longer than `range`.
    fn go_part<'p>(&self, pattern: &'p str) -> &'p str {
        let Range { start, end } = self.range;
        let part = pattern.get(start..end).unwrap_or(pattern);
        let rest = pattern.get(start..).unwrap_or(pattern);
        match self.code {
            ErrorCode::MissingBracket => rest,
            ErrorCode::MissingParen | ErrorCode::NestingDepth | ErrorCode::UnexpectedParen => {
                pattern
            }
            ErrorCode::TrailingBackslash => "",
            ErrorCode::NamedCapture => {
                let end = rest.find('>').map_or(rest.len(), |end| end + 1);
                &rest[..end]
            }
            ErrorCode::RepeatSize => &part[part.rfind('{').unwrap_or(0)..],
            ErrorCode::CharRange
            | ErrorCode::Escape
            | ErrorCode::MissingRepeatArgument
            | ErrorCode::PerlOperator
            | ErrorCode::RepeatOperator => part,
        }
    }
}
