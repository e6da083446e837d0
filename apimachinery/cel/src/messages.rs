//! Display of expression errors with cel-go's wording, as in messages of the API server.

use std::fmt;

use super::error::{Conversion, Found, SyntaxErrorKind, TypeErrorKind};
use super::types::Type;

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownOperator(operator) => {
                write!(f, "Syntax error: token recognition error at: '{operator}'")
            }
            Self::UnknownCharacter(character) => {
                write!(f, "Syntax error: token recognition error at: '{character}'")
            }
            Self::OpenBackticks => f.write_str("Syntax error: token recognition error at: '`'"),
            Self::OpenString(quotes) => {
                write!(f, "Syntax error: token recognition error at: '{quotes}'")
            }
            Self::UnknownEscape => f.write_str("invalid escape sequence"),
            Self::NumberOutOfRange | Self::IntegerOutOfRange => f.write_str("invalid int literal"),
            Self::TooLong => f.write_str("expression code point size exceeds limit"),
            Self::TooDeep => f.write_str("expression recursion limit exceeded: 250"),
            Self::Unexpected { found, .. } => match found {
                Found::End => f.write_str("Syntax error: mismatched input '<EOF>'"),
                Found::Text(text) => write!(f, "Syntax error: mismatched input '{text}'"),
                Found::Literal => f.write_str("Syntax error: extraneous input"),
            },
            Self::BacktickField(_) => f.write_str("unsupported syntax: '`'"),
            Self::ReservedField(word) => {
                write!(f, "Syntax error: no viable alternative at '{word}'")
            }
            Self::ReservedWord(word) => write!(f, "reserved identifier: {word}"),
            Self::DuplicateVariable(name) => write!(f, "duplicate variable name: {name}"),
            Self::VariableNotName => f.write_str("argument must be a simple name"),
            Self::ObjectLiteral(name) => {
                write!(f, "undeclared reference to '{name}' (in container '')")
            }
            Self::HasNoField => f.write_str("invalid argument to has() macro"),
        }
    }
}

impl fmt::Display for TypeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UndeclaredReference { name, .. }
            | Self::UndeclaredFunction { function: name, .. }
            | Self::UndeclaredStruct(name) => {
                write!(f, "undeclared reference to '{name}' (in container '')")
            }
            Self::UndefinedField { field, .. } => write!(f, "undefined field '{field}'"),
            Self::NotSelectable { type_, .. } => {
                write!(
                    f,
                    "type '{}' does not support field selection",
                    cel_type_name(type_)
                )
            }
            Self::NoMatchingOverload {
                function,
                method,
                types,
                ..
            } => {
                let types: Vec<_> = types.iter().map(cel_type_name).collect();
                let signature = match (method, &types[..]) {
                    (true, [target, arguments @ ..]) => {
                        format!("{target}.({})", arguments.join(", "))
                    }
                    (_, arguments) => format!("({})", arguments.join(", ")),
                };
                write_no_overload(f, function, &signature)
            }
            Self::NotBoolean { function, type_ } => {
                write_no_overload(f, function, &format!("({0}, {0})", cel_type_name(type_)))
            }
            Self::NotIterable { type_, .. } => write!(
                f,
                "expression of type '{}' cannot be range of a comprehension (must be list, map, or \
                 dynamic)",
                cel_type_name(type_)
            ),
            Self::LoopStep { step, start } => write_expected(f, start, step),
            Self::NotOptional(type_) => {
                write!(
                    f,
                    "expected type 'optional_type' but found '{}'",
                    cel_type_name(type_)
                )
            }
            Self::InvalidLiteral { conversion, .. } => {
                let conversion = match conversion {
                    Conversion::Duration => "duration",
                    Conversion::Timestamp => "timestamp",
                    Conversion::Int => "int",
                    Conversion::Uint => "uint",
                    Conversion::Double => "double",
                    Conversion::Bool => "bool",
                };
                write!(f, "invalid {conversion} argument")
            }
            Self::InvalidPattern(_) => f.write_str("invalid matches argument"),
            Self::MixedTypes { first, other, .. } => write_expected(f, first, other),
        }
    }
}

fn write_no_overload(f: &mut fmt::Formatter<'_>, function: &str, signature: &str) -> fmt::Result {
    write!(
        f,
        "found no matching overload for '{function}' applied to '{signature}'"
    )
}

fn write_expected(f: &mut fmt::Formatter<'_>, expected: &Type, found: &Type) -> fmt::Result {
    let (expected, found) = (cel_type_name(expected), cel_type_name(found));
    write!(f, "expected type '{expected}' but found '{found}'")
}

/// Returns the CEL name of a type.
fn cel_type_name(type_: &Type) -> String {
    match type_ {
        Type::Dyn | Type::Error | Type::Variable(_) => "dyn".to_owned(),
        Type::Timestamp => "timestamp".to_owned(),
        Type::List(items) => format!("list({})", cel_type_name(items)),
        Type::Map(keys, values) => {
            format!("map({}, {})", cel_type_name(keys), cel_type_name(values))
        }
        Type::Optional(value) => format!("optional_type({})", cel_type_name(value)),
        Type::Named(library) => format!("kubernetes.{library}"),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_overloads_are_reported_with_argument_types() {
        let overload = |function: &str, method, types: &[Type]| TypeErrorKind::NoMatchingOverload {
            node: 0,
            function: function.to_owned(),
            method,
            types: types.to_vec(),
        };
        let plus = overload("_+_", false, &[Type::Text, Type::Int]);
        assert_eq!(
            plus.to_string(),
            "found no matching overload for '_+_' applied to '(string, int)'"
        );
        let starts_with = overload("startsWith", true, &[Type::Text, Type::Int]);
        assert_eq!(
            starts_with.to_string(),
            "found no matching overload for 'startsWith' applied to 'string.(int)'"
        );
    }
}
