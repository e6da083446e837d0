//! Values with their source spans.

use proc_macro2::Span;

/// A value with its source span.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Span of the value. For a value of several tokens, it is the joined span if the compiler
    /// supports that, otherwise the span of the first token.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs `value` with its span.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// Converts the value and keeps the span.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned::new(change(self.value), self.span)
    }
}

/// Compares the values and ignores their spans.
impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// A key without a value, either set with its span or unset (the default).
#[derive(Clone, Copy, Debug, Default)]
pub struct Flag(Option<Span>);

impl Flag {
    /// Creates a flag that is set at `span`.
    pub fn at(span: Span) -> Self {
        Self(Some(span))
    }

    /// Returns whether the flag is set.
    pub fn is_set(self) -> bool {
        self.0.is_some()
    }

    /// Returns the span of the flag, or `None` if it is unset.
    pub fn span(self) -> Option<Span> {
        self.0
    }
}

/// Compares whether the flags are set and ignores their spans.
impl PartialEq for Flag {
    fn eq(&self, other: &Self) -> bool {
        self.is_set() == other.is_set()
    }
}

impl From<Option<Span>> for Flag {
    fn from(span: Option<Span>) -> Self {
        Self(span)
    }
}
