use super::{display, misfits};

/// A schema, a value, and what is wrong with it.
const CASES: &[(&str, &str, &[&str])] = &[
    (r#"{ "type": "string" }"#, r#""a""#, &[]),
    (r#"{ "type": "string" }"#, r#"1"#, &["is no string"]),
    (r#"{ "type": "string" }"#, r#"null"#, &["may not be null"]),
    (r#"{ "type": "string", "nullable": true }"#, r#"null"#, &[]),
    (r#"{ "type": "integer" }"#, r#"3.0"#, &[]),
    (
        r#"{ "type": "integer" }"#,
        r#"3.5"#,
        &["is no whole number of 64 bits"],
    ),
    (
        r#"{ "type": "integer" }"#,
        r#"18446744073709551615"#,
        &["is no whole number of 64 bits"],
    ),
    (
        r#"{ "type": "integer", "format": "int32" }"#,
        r#"2147483648"#,
        &["does not fit into 32 bits"],
    ),
    (
        r#"{ "type": "integer", "minimum": 1 }"#,
        r#"0"#,
        &["is below the minimum 1"],
    ),
    (
        r#"{ "type": "integer", "minimum": 1, "exclusiveMinimum": true }"#,
        r#"1"#,
        &["is below the minimum 1"],
    ),
    (
        r#"{ "type": "number", "maximum": 0.5 }"#,
        r#"1"#,
        &["is above the maximum 0.5"],
    ),
    (r#"{ "type": "number", "multipleOf": 0.1 }"#, r#"0.3"#, &[]),
    (
        r#"{ "type": "integer", "multipleOf": 2 }"#,
        r#"3"#,
        &["is no multiple of 2"],
    ),
    (
        r#"{ "type": "string", "maxLength": 2 }"#,
        r#""äöü""#,
        &["has more than 2 characters"],
    ),
    (
        r#"{ "type": "string", "pattern": "^a" }"#,
        r#""b""#,
        &["does not match the pattern"],
    ),
    (
        r#"{ "type": "string", "enum": ["a"] }"#,
        r#""b""#,
        &["is none of the values of `enum`"],
    ),
    (
        r#"{ "type": "array", "items": { "type": "string" } }"#,
        r#"["a", 1]"#,
        &["[1] is no string"],
    ),
    (
        r#"{ "type": "array", "minItems": 1, "items": { "type": "string" } }"#,
        r#"[]"#,
        &["has fewer than 1 items"],
    ),
    (
        r#"{ "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } }"#,
        r#"["a", "a"]"#,
        &["has an item twice"],
    ),
    (
        r#"{ "type": "object" }"#,
        r#"{ "a": 1 }"#,
        &[".a is no field of the type"],
    ),
    (
        r#"{ "type": "object", "x-kubernetes-preserve-unknown-fields": true }"#,
        r#"{ "a": 1 }"#,
        &[],
    ),
    (
        r#"{ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } }"#,
        r#"{}"#,
        &["lacks `a`"],
    ),
    (
        r#"{ "type": "object", "required": ["a"], "properties": { "a": { "type": "string", "default": "x" } } }"#,
        r#"{}"#,
        &[],
    ),
    (
        r#"{ "type": "object", "additionalProperties": { "type": "integer" } }"#,
        r#"{ "a": "1" }"#,
        &[".a is no whole number of 64 bits"],
    ),
    (
        r#"{ "type": "object", "maxProperties": 0 , "additionalProperties": { "type": "integer" } }"#,
        r#"{ "a": 1 }"#,
        &["has more than 0 members"],
    ),
    (
        r#"{ "x-kubernetes-int-or-string": true }"#,
        r#"true"#,
        &["is no integer or string"],
    ),
    (
        r#"{ "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }] }"#,
        r#""a""#,
        &[],
    ),
    (
        r#"{ "type": "string", "allOf": [{ "minLength": 2 }] }"#,
        r#""a""#,
        &["has fewer than 2 characters"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" }, "b": { "type": "string" } }, "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }"#,
        r#"{ "a": "", "b": "" }"#,
        &["is not one of the alternatives, and no other"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "anyOf": [{ "required": ["a"] }] }"#,
        r#"{}"#,
        &["is none of the alternatives"],
    ),
    (
        r#"{ "type": "string", "not": { "enum": ["a"] } }"#,
        r#""a""#,
        &["is what it may not be"],
    ),
    (
        r#"{ "x-kubernetes-preserve-unknown-fields": true }"#,
        r#"{ "a": [1, null] }"#,
        &[],
    ),
    (r#"{ "type": "boolean" }"#, r#""true""#, &["is no boolean"]),
    (
        r#"{ "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "a": { "type": "string" } } }"#,
        r#"{ "kind": "A", "b": 1 }"#,
        &[".b is no field of the type"],
    ),
];

#[test]
fn values_are_checked_as_the_api_server_checks_them() {
    for (schema, value, expected) in CASES {
        let found: Vec<_> = misfits(
            &serde_json::from_str(schema).unwrap(),
            &serde_json::from_str(value).unwrap(),
        )
        .into_iter()
        .map(|misfit| format!("{} {}", display(&misfit.path), misfit.message))
        .map(|text| text.trim_start().to_owned())
        .collect();
        assert_eq!(found, *expected, "{value} as {schema}");
    }
}
