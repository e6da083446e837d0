//! Syntax and type errors in CEL expressions, as data.

use super::ast::Span;
use super::types::Type;
use crate::re2::PatternError;

/// A syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte range in the expression.
    pub span: Span,
    /// Kind of error.
    pub kind: SyntaxErrorKind,
}

impl SyntaxError {
    pub(super) fn new(span: Span, kind: SyntaxErrorKind) -> Self {
        Self { span, kind }
    }
}

/// A type error.
#[derive(Clone, Debug, PartialEq)]
pub struct TypeError {
    /// Byte range in the expression.
    pub span: Span,
    /// Kind of error.
    pub kind: TypeErrorKind,
}

impl TypeError {
    pub(super) fn new(span: Span, kind: TypeErrorKind) -> Self {
        Self { span, kind }
    }
}

/// Kind of a syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// An operator that CEL lacks: `=`, `=<` or `=>`.
    UnknownOperator(&'static str),
    /// A character that no token starts with.
    UnknownCharacter(char),
    /// A name in backticks that is empty, unterminated or has an invalid character.
    OpenBackticks,
    /// An unterminated string. Contains the missing quotes.
    OpenString(&'static str),
    /// An escape sequence that does not exist.
    UnknownEscape,
    /// A number literal out of range.
    NumberOutOfRange,
    /// The number 9223372036854775808 without a minus: only its negative is an `int`.
    IntegerOutOfRange,
    /// An expression of more than 100,000 characters.
    TooLong,
    /// An expression of more than 250 levels of nesting.
    TooDeep,
    /// An unexpected token.
    Unexpected {
        /// The token.
        found: Found,
        /// The expected token.
        expected: ExpectedToken,
    },
    /// A field name in backticks, which the API server does not support. Contains the path to write
    /// instead, with the name escaped.
    BacktickField(String),
    /// A keyword in place of a field name.
    ReservedField(String),
    /// A reserved word in place of an identifier.
    ReservedWord(String),
    /// Two variables of a macro with the same name.
    DuplicateVariable(String),
    /// A macro variable that is not a simple name.
    VariableNotName,
    /// An object literal `Type{…}` that lacks the name of a field. Contains the name of the type.
    ObjectLiteral(String),
    /// `has` of something other than a field.
    HasNoField,
}

/// The token found, as named in messages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// The end of the text.
    End,
    /// A name or a symbol.
    Text(String),
    /// A literal.
    Literal,
}

/// The token or construct expected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpectedToken {
    /// The symbol.
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

/// Kind of a type error. Nodes are identified by id; [`Expr::find`](super::ast::Expr::find) returns
/// the node of an id.
#[derive(Clone, Debug, PartialEq)]
pub enum TypeErrorKind {
    /// An undeclared reference: a name that is neither a variable nor a type.
    UndeclaredReference {
        /// The name.
        name: String,
        /// The variables of enclosing loops.
        variables: Vec<String>,
    },
    /// A field that an object does not have.
    UndefinedField {
        /// Node id of the object.
        operand: usize,
        /// The field.
        field: String,
        /// Index of the object in the declared `Objects`.
        object: usize,
    },
    /// A field selection on a value without fields.
    NotSelectable {
        /// Node id of the selection.
        node: usize,
        /// The type of the value.
        type_: Type,
        /// The field.
        field: String,
    },
    /// A function that does not exist.
    UndeclaredFunction {
        /// The name.
        function: String,
        /// Node id and type of the receiver, if the call is a method call.
        target: Option<(usize, Type)>,
    },
    /// A call without a matching overload.
    NoMatchingOverload {
        /// Node id of the call.
        node: usize,
        /// The function; operators have names such as `_+_`.
        function: String,
        /// True for a method call: `types` then begins with the receiver's type.
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
        /// Node id of the value.
        range: usize,
        /// Type of the value.
        type_: Type,
    },
    /// A comprehension whose step differs in type from its initial value.
    LoopStep {
        /// The type of the step.
        step: Type,
        /// The type of the initial value.
        start: Type,
    },
    /// `?` before an element or entry whose value is not optional. Contains the value's type.
    NotOptional(Type),
    /// A struct literal of a type that does not exist.
    UndeclaredStruct(String),
    /// A literal that a conversion does not accept.
    InvalidLiteral {
        /// The conversion function.
        conversion: Conversion,
        /// The literal.
        text: String,
    },
    /// A literal pattern that the API server does not compile.
    InvalidPattern(PatternError),
    /// Elements of several types in one literal.
    MixedTypes {
        /// The part of the literal.
        place: Aggregate,
        /// The type of the first element.
        first: Type,
        /// The first type that differs from `first`.
        other: Type,
    },
}

/// A function that converts a string.
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

/// The part of a list or map literal whose types differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregate {
    /// The elements of a list.
    List,
    /// The keys of a map.
    Keys,
    /// The values of a map.
    Values,
}
