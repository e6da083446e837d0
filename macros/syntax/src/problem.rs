//! Errors in the user's source, with span, message and help.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

use crate::Help;

/// An error in the user's source.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Span of the token in error.
    pub span: Span,
    /// What is wrong, in lower case, without a full stop.
    pub message: String,
    /// Help text: what to type instead.
    pub help: Option<Help>,
    /// If the token is a duplicate, the span of the earlier token. Only the command line shows it.
    pub earlier: Option<Span>,
}

impl Problem {
    /// Creates an error at `span`.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
            earlier: None,
        }
    }

    /// Adds the help text.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<Help>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Sets the span of the earlier one of two duplicates.
    #[must_use]
    pub fn with_earlier(mut self, earlier: impl Into<Option<Span>>) -> Self {
        self.earlier = earlier.into();
        self
    }

    /// Returns the text that the compiler shows: the message, and the help on a line of its own.
    pub fn text(&self) -> String {
        match &self.help {
            Some(help) => format!("{}{HELP}{help}", self.message),
            None => self.message.clone(),
        }
    }

    fn to_compile_error(&self) -> TokenStream {
        let text = self.text();
        quote_spanned!(self.span=> ::core::compile_error! { #text })
    }
}

/// Converts a parser's error. A help line in the format of [`Problem::text`] becomes the help.
impl From<syn::Error> for Problem {
    fn from(error: syn::Error) -> Self {
        let text = error.to_string();
        match text.split_once(HELP) {
            Some((message, help)) => Self::new(error.span(), message).with_help(help),
            None => Self::new(error.span(), text),
        }
    }
}

/// Separator between message and help.
const HELP: &str = "\nhelp: ";

/// Sink for errors, in the order in which they are found.
#[derive(Clone, Debug, Default)]
#[must_use = "problems that nobody reports are lost"]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Creates an empty sink.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an error.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Adds an error with a help text.
    pub fn report(&mut self, span: Span, message: impl Into<String>, help: impl Into<Help>) {
        self.push(Problem::new(span, message).with_help(help));
    }

    /// Returns whether there are no errors.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of errors.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Returns the errors in the order in which they were found.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// Returns one `compile_error!` for each error, at its token.
    pub fn to_compile_errors(&self) -> TokenStream {
        self.0.iter().map(Problem::to_compile_error).collect()
    }
}

impl Extend<Problem> for Problems {
    fn extend<I: IntoIterator<Item = Problem>>(&mut self, problems: I) {
        self.0.extend(problems);
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Problems {
    type Item = &'a Problem;
    type IntoIter = std::slice::Iter<'a, Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
