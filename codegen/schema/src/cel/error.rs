//! Errors in expressions, as data.

use super::ast::Span;
use super::types::Type;
use crate::re2::PatternError;

/// A place at which a text does not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The bytes of the text that it is about.
    pub span: Span,
    /// What is wrong.
    pub kind: SyntaxErrorKind,
}

impl SyntaxError {
    pub(super) fn new(span: Span, kind: SyntaxErrorKind) -> Self {
        Self { span, kind }
    }
}

/// Parts of an expression that do not fit together.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeError {
    /// The bytes of the text that it is about.
    pub span: Span,
    /// What is wrong.
    pub kind: TypeErrorKind,
}

impl TypeError {
    pub(super) fn new(span: Span, kind: TypeErrorKind) -> Self {
        Self { span, kind }
    }
}

/// What does not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// `=`, `=<` or `=>`.
    UnknownOperator(&'static str),
    /// A character that no token starts with.
    UnknownCharacter(char),
    /// A name in backticks that does not end.
    OpenBackticks,
    /// A string that does not end, with the quotes that it lacks.
    OpenString(&'static str),
    /// An escape sequence that does not exist.
    UnknownEscape,
    /// A number literal out of range.
    NumberOutOfRange,
    /// 9223372036854775808 without a minus before it.
    IntegerOutOfRange,
    /// More than 100,000 characters.
    TooLong,
    /// More than 250 levels of nesting.
    TooDeep,
    /// A token in the place of another.
    Unexpected {
        /// The token.
        found: Found,
        /// What may stand there.
        expected: ExpectedToken,
    },
    /// A field name in backticks, which the API server does not enable; the path without them.
    BacktickField(String),
    /// A word of the grammar in the place of a field name.
    ReservedField(String),
    /// A reserved word in the place of an identifier.
    ReservedWord(String),
    /// Two variables of a macro with one name.
    DuplicateVariable(String),
    /// A macro whose variable is no simple name.
    VariableNotName,
    /// `Type{…}`, of which rules have none.
    ObjectLiteral(String),
    /// `has` of something other than a field.
    HasNoField,
}

/// A token, to name it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The end of the text.
    End,
    /// A name or a symbol.
    Text(String),
    /// A literal.
    Literal,
}

/// What may stand in a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedToken {
    /// This symbol.
    Symbol(&'static str),
    /// The name of a field or a function.
    Member,
    /// The name of a variable or a function.
    Name,
    /// A literal, a variable or an expression in parentheses.
    Value,
    /// An operator or the end of the text.
    OperatorOrEnd,
}

/// What does not fit together. A node is named by its number: see
/// [`Expr::find`](super::ast::Expr::find).
#[derive(Clone, Debug, PartialEq)]
pub enum TypeErrorKind {
    /// A name that is neither a variable nor a type.
    UndeclaredReference {
        /// The name.
        name: String,
        /// The variables of the loops around it.
        variables: Vec<String>,
    },
    /// A field that an object does not have.
    UndefinedField {
        /// The node of the object.
        operand: usize,
        /// The field.
        field: String,
        /// The object's place in the list of objects.
        object: usize,
    },
    /// A field of a value that has none.
    NotSelectable {
        /// The node that selects.
        node: usize,
        /// The type of the value.
        type_: Type,
        /// The field.
        field: String,
    },
    /// A function that does not exist.
    UndeclaredFunction {
        /// Its name.
        function: String,
        /// The node that it is called on, and its type.
        target: Option<(usize, Type)>,
    },
    /// A call whose arguments no overload takes.
    NoMatchingOverload {
        /// The node of the call.
        node: usize,
        /// The function; operators have names such as `_+_`.
        function: String,
        /// True if it is called on a target, whose type is the first.
        method: bool,
        /// The types of the arguments.
        types: Vec<Type>,
    },
    /// An operand of `&&` or `||` that is not a boolean.
    NotBoolean {
        /// `_&&_` or `_||_`.
        function: String,
        /// The type of the operand.
        type_: Type,
    },
    /// A loop over a value that is neither a list nor a map.
    NotIterable {
        /// The node of the value.
        range: usize,
        /// Its type.
        type_: Type,
    },
    /// A loop whose step has another type than its start.
    LoopStep {
        /// The type of the step.
        step: Type,
        /// The type of the start.
        start: Type,
    },
    /// `?` before an element that is not optional.
    NotOptional(Type),
    /// A struct literal of a type that does not exist.
    UndeclaredStruct(String),
    /// A literal that a conversion does not take.
    InvalidLiteral {
        /// The function that converts.
        conversion: Conversion,
        /// The literal.
        text: String,
    },
    /// A literal pattern that the API server does not compile.
    InvalidPattern(PatternError),
    /// Elements of several types in one literal.
    MixedTypes {
        /// Where the elements stand.
        place: Aggregate,
        /// The type of the first element.
        first: Type,
        /// The other type.
        other: Type,
    },
}

/// A function that converts a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conversion {
    /// `duration('1h')`
    Duration,
    /// `timestamp('…')`
    Timestamp,
    /// `int('1')`
    Int,
    /// `uint('1')`
    Uint,
    /// `double('1.5')`
    Double,
    /// `bool('true')`
    Bool,
}

/// A list or map literal, by the part of it whose types differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// The elements of a list.
    List,
    /// The keys of a map.
    Keys,
    /// The values of a map.
    Values,
}
