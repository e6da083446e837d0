//! Schema mappings for primitive types.

use serde_json::json;

use super::mapping::Known;
use crate::model::{JsonType, Schema};

/// Returns the mapping of a primitive type.
pub(super) fn known(name: &str) -> Option<Known> {
    let schema = match name {
        "bool" => Schema::typed(JsonType::Boolean),
        "str" => Schema::typed(JsonType::String),
        "char" => Schema {
            min_length: Some(1),
            max_length: Some(1),
            ..Schema::typed(JsonType::String)
        },
        "f32" => Schema::formatted(JsonType::Number, "float"),
        "f64" => Schema::formatted(JsonType::Number, "double"),
        "i128" | "u128" => {
            let of_64_bits = if name == "i128" { "i64" } else { "u64" };
            return Some(Known::Discouraged(
                Box::new(sized(of_64_bits)?),
                "the API server stores integers of 64 bits: use `i64`, or a `String`",
            ));
        }
        name => return sized(name).map(Known::schema),
    };
    Some(Known::schema(schema))
}

/// Returns the schema of an integer type of up to 64 bits.
pub(crate) fn sized(name: &str) -> Option<Schema> {
    let bounded = |format: &str, minimum: i64, maximum: i64| Schema {
        minimum: Some(minimum.into()),
        maximum: Some(maximum.into()),
        ..Schema::formatted(JsonType::Integer, format)
    };
    Some(match name {
        "i8" => bounded("int32", i8::MIN.into(), i8::MAX.into()),
        "i16" => bounded("int32", i16::MIN.into(), i16::MAX.into()),
        "u8" => bounded("int32", 0, u8::MAX.into()),
        "u16" => bounded("int32", 0, u16::MAX.into()),
        "i32" => Schema::formatted(JsonType::Integer, "int32"),
        "i64" | "isize" => Schema::formatted(JsonType::Integer, "int64"),
        // The API server has no format for unsigned integers.
        "u32" => bounded("int64", 0, u32::MAX.into()),
        "u64" | "usize" => Schema {
            minimum: Some(0.into()),
            ..Schema::formatted(JsonType::Integer, "int64")
        },
        _ => return None,
    })
}

/// Returns the mapping of a non-zero integer, by the name of its primitive type.
pub(super) fn non_zero(name: &str) -> Option<Known> {
    let mut schema = match name {
        "i128" | "u128" => return known(name),
        _ => sized(name)?,
    };
    if name.starts_with('u') {
        schema.minimum = Some(1.into());
    } else {
        let zero = Schema {
            enum_: vec![json!(0)],
            ..Schema::default()
        };
        schema.not = Some(Box::new(zero));
    }
    Some(Known::schema(schema))
}
