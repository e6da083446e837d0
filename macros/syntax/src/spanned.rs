//! Values with the source span that they were read from.

use proc_macro2::Span;

/// A value and the token it was read from.
#[derive(Clone, Copy, Debug)]
pub struct Spanned<T> {
    /// What was written.
    pub value: T,
    /// Where; of several tokens the first, or all of them where the compiler can join spans.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// Pairs `value` with the place it was read from.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }

    /// The same place with another value.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Spanned<U> {
        Spanned::new(change(self.value), self.span)
    }
}

/// Equal values are equal wherever they stand.
impl<T: PartialEq> PartialEq for Spanned<T> {
    fn eq(&self, other: &Self) -> bool {
        self.value == other.value
    }
}

/// A key without a value: written somewhere, or not at all (the default).
#[derive(Clone, Copy, Debug, Default)]
pub struct Flag(Option<Span>);

impl Flag {
    /// A flag written at `span`.
    pub fn at(span: Span) -> Self {
        Self(Some(span))
    }

    /// Whether the flag was written.
    pub fn is_set(self) -> bool {
        self.0.is_some()
    }

    /// Where it was written.
    pub fn span(self) -> Option<Span> {
        self.0
    }
}

/// Two flags are equal if both are written or neither is.
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
