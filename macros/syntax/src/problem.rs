//! Errors in the user's source: message, span and help.

use proc_macro2::{Span, TokenStream};
use quote::quote_spanned;

/// One mistake.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The token that is wrong.
    pub span: Span,
    /// The rule that is broken, lower case, without a full stop.
    pub message: String,
    /// What to type instead.
    pub help: Option<String>,
}

impl Problem {
    /// A mistake at `span`.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self {
            span,
            message: message.into(),
            help: None,
        }
    }

    /// Adds what to type instead.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// The text that the compiler shows: the message, and the help on a line of its own.
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

/// Takes what a parser complains about. A help line is told apart as [`Problem::text`] writes it.
impl From<syn::Error> for Problem {
    fn from(error: syn::Error) -> Self {
        let text = error.to_string();
        match text.split_once(HELP) {
            Some((message, help)) => Self::new(error.span(), message).with_help(help),
            None => Self::new(error.span(), text),
        }
    }
}

/// What stands between message and help.
const HELP: &str = "\nhelp: ";

/// Every mistake found so far, in the order of finding.
#[derive(Clone, Debug, Default)]
#[must_use = "problems that nobody reports are lost"]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Nothing wrong yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one mistake.
    pub fn push(&mut self, problem: Problem) {
        self.0.push(problem);
    }

    /// Adds a mistake with its remedy.
    pub fn report(&mut self, span: Span, message: impl Into<String>, help: impl Into<String>) {
        self.push(Problem::new(span, message).with_help(help));
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many mistakes there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The mistakes in the order of finding.
    pub fn iter(&self) -> std::slice::Iter<'_, Problem> {
        self.0.iter()
    }

    /// One `compile_error!` for each mistake, each at its own token.
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
