//! Help for optionals in places that expect their values.

use genclient_schema::cel::Type;

/// Help for unwrapping an optional.
pub(super) fn take_out(value: &Type) -> String {
    let call = or_value(value);
    format!("take the value out of the optional: `{call}`")
}

/// Help for an optional where a condition is expected.
pub(super) fn as_condition(value: &Type) -> String {
    if *value == Type::Bool {
        return take_out(value);
    }
    let call = or_value(value);
    format!("take the value out of the optional and compare it: `{call} == …`")
}

/// Help for an optional among the arguments of a call that takes none.
pub(super) fn help(function: &str, types: &[Type]) -> Option<String> {
    if let ("orValue", [Type::Optional(value), _]) = (function, types) {
        let call = or_value(value);
        return Some(format!("the value has to be of the type {value}: `{call}`"));
    }
    types.iter().find_map(|type_| match type_ {
        Type::Optional(value) => Some(take_out(value)),
        _ => None,
    })
}

/// The call that unwraps an optional of the type.
fn or_value(value: &Type) -> String {
    let otherwise = match value {
        Type::Bool => "false",
        Type::Int => "0",
        Type::Uint => "0u",
        Type::Double => "0.0",
        Type::Text => "''",
        Type::Bytes => "b''",
        Type::List(_) => "[]",
        Type::Map(..) => "{}",
        Type::Duration => "duration('0s')",
        Type::Timestamp => "timestamp('1970-01-01T00:00:00Z')",
        Type::Dyn | Type::Error => "…",
        _ => return ".value()".to_owned(),
    };
    format!(".orValue({otherwise})")
}
