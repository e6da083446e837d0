//! Patterns in the syntax of the API server: Go's `regexp`, which is RE2.
//!
//! Go and the `regex` crate accept different syntax (`\Q…\E`, `{` as a literal, `a**`), and `\d`
//! differs in meaning. So a pattern is parsed by Go's rules (package `regexp/syntax`) and rewritten
//! for the crate, which matches it.

mod class;
mod error;
mod escape;
mod reader;

use regex::Regex;

pub use error::PatternError;
use reader::Reader;

/// A valid pattern.
#[derive(Debug)]
pub struct Pattern {
    /// The pattern in the syntax of the `regex` crate. It is not compiled before a text is matched,
    /// because most patterns never are, and compiling takes a hundred times as long as parsing.
    rewritten: String,
}

impl Pattern {
    /// Parses a pattern.
    ///
    /// # Errors
    ///
    /// Returns the first syntax error.
    pub fn parse(pattern: &str) -> Result<Self, PatternError> {
        let mut reader = Reader::new(pattern);
        reader.expression()?;
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

#[cfg(test)]
mod tests;
