//! Steps of a path, and the conditions of its filters.

/// One step of a path.
#[derive(Debug, PartialEq, Eq)]
pub enum JsonPathStep {
    /// `.name` or `['name']`
    Name(String),
    /// `[0]`, `[*]`, `[1:2]`, `.*`: some or all items or fields.
    Each,
    /// `[?(@.type=="Ready")]`: the items that a filter selects.
    Filter(JsonPathFilter),
    /// `..`: the values at any depth, from which the next step selects.
    Deep,
}

/// Condition of a filter, with the field that it reads and the literal that it compares.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct JsonPathFilter {
    /// Steps behind `@`, from an item of the list; empty if the condition reads no field.
    pub steps: Vec<JsonPathStep>,
    /// Operator, such as `==`.
    pub operator: Option<String>,
    /// Literal that the field is compared with.
    pub literal: Option<FilterLiteral>,
    /// Mistake because of which the filter never selects an item.
    pub fault: Option<FilterFault>,
}

/// Literal in a condition, with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FilterLiteral {
    /// `'Ready'`, without its quotes.
    String(String),
    /// `3`
    Number(String),
    /// `true`
    Boolean(String),
    /// `Ready`, which lacks quotes.
    Word(String),
}

/// Mistake in a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterFault {
    /// Message.
    pub message: &'static str,
    /// Help with the correct syntax.
    pub help: String,
}
