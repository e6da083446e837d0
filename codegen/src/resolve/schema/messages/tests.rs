use genclient_schema::definition::{SchemaError, keyword_errors, structural_errors};
use genclient_schema::values::{display, mistakes};

use crate::model::Schema;
use crate::resolve::schema::messages;

/// A schema, a value, and the expected messages about it.
const VALUES: &[(&str, &str, &[&str])] = &[
    (
        r#"{ "type": "object", "additionalProperties": { "type": "string" }, "minProperties": 2 }"#,
        r#"{ "a": "b" }"#,
        &["has fewer than 2 properties"],
    ),
    (r#"{ "type": "string" }"#, r#""a""#, &[]),
    (
        r#"{ "type": "string" }"#,
        r#"1"#,
        &["must be of type string"],
    ),
    (r#"{ "type": "string" }"#, r#"null"#, &["must not be null"]),
    (r#"{ "type": "string", "nullable": true }"#, r#"null"#, &[]),
    (r#"{ "type": "integer" }"#, r#"3.0"#, &[]),
    (
        r#"{ "type": "integer" }"#,
        r#"3.5"#,
        &["must be of type integer (64 bits)"],
    ),
    (
        r#"{ "type": "integer" }"#,
        r#"18446744073709551615"#,
        &["must be of type integer (64 bits)"],
    ),
    (
        r#"{ "type": "integer" }"#,
        r#"3.0000000001"#,
        &["must be of type integer (64 bits)"],
    ),
    (
        r#"{ "type": "integer", "format": "int32" }"#,
        r#"true"#,
        &["must be of type integer (32 bits)"],
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
        &["is not greater than 1"],
    ),
    (
        r#"{ "type": "number", "maximum": 0.5 }"#,
        r#"1"#,
        &["is above the maximum 0"],
    ),
    (r#"{ "type": "number", "multipleOf": 0.1 }"#, r#"0.3"#, &[]),
    (
        r#"{ "type": "integer", "multipleOf": 2 }"#,
        r#"3"#,
        &["is not a multiple of 2"],
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
        r#"{ "type": "number", "minimum": 5, "exclusiveMinimum": true }"#,
        "5.0",
        &["is not greater than 5"],
    ),
    (
        r#"{ "type": "string", "enum": ["a"] }"#,
        r#""b""#,
        &["is not one of the values of `enum`"],
    ),
    (
        r#"{ "type": "array", "items": { "type": "string" } }"#,
        r#"["a", 1]"#,
        &["[1] must be of type string"],
    ),
    (
        r#"{ "type": "array", "minItems": 1, "items": { "type": "string" } }"#,
        r#"[]"#,
        &["has fewer than 1 items"],
    ),
    (
        r#"{ "type": "array", "x-kubernetes-list-type": "set", "items": { "type": "string" } }"#,
        r#"["a", "a"]"#,
        &["[1] is a duplicate"],
    ),
    (
        r#"{ "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a"], "items": { "type": "object", "properties": { "a": { "type": "string", "default": "x" } } } }"#,
        r#"[{}, { "a": "y" }, { "a": "x" }]"#,
        &["[2] has the same keys as an earlier item"],
    ),
    (
        r#"{ "type": "object" }"#,
        r#"{ "a": 1 }"#,
        &[".a is not a field of the type"],
    ),
    (
        r#"{ "type": "object", "x-kubernetes-preserve-unknown-fields": true }"#,
        r#"{ "a": 1 }"#,
        &[],
    ),
    (
        r#"{ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } }"#,
        r#"{}"#,
        &["lacks the required field `a`"],
    ),
    (
        r#"{ "type": "object", "required": ["a"], "properties": { "a": { "type": "string", "default": "x" } } }"#,
        r#"{}"#,
        &[],
    ),
    (
        r#"{ "type": "object", "additionalProperties": { "type": "integer" } }"#,
        r#"{ "a": "1" }"#,
        &[".a must be of type integer (64 bits)"],
    ),
    (
        r#"{ "type": "object", "maxProperties": 0 , "additionalProperties": { "type": "integer" } }"#,
        r#"{ "a": 1 }"#,
        &["has more than 0 properties"],
    ),
    (
        r#"{ "x-kubernetes-int-or-string": true }"#,
        r#"true"#,
        &["must be of type integer or string"],
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
        &["does not match exactly one schema in `oneOf`"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "anyOf": [{ "required": ["a"] }] }"#,
        r#"{}"#,
        &["matches no schema in `anyOf`"],
    ),
    (
        r#"{ "type": "string", "not": { "enum": ["a"] } }"#,
        r#""a""#,
        &["violates `allOf` or `not`"],
    ),
    (
        r#"{ "x-kubernetes-preserve-unknown-fields": true }"#,
        r#"{ "a": [1, null] }"#,
        &[],
    ),
    (
        r#"{ "type": "boolean" }"#,
        r#""true""#,
        &["must be of type boolean"],
    ),
    (
        r#"{ "type": "number", "maximum": 5, "exclusiveMaximum": true }"#,
        "5.0",
        &["is not less than 5"],
    ),
    (
        r#"{ "type": "number", "multipleOf": 0.5 }"#,
        "1",
        &["is an integer, for which `multipleOf` is truncated to 0"],
    ),
    (
        r#"{ "type": "object", "x-kubernetes-embedded-resource": true, "properties": { "a": { "type": "string" } } }"#,
        r#"{ "kind": "A", "b": 1 }"#,
        &[".b is not a field of the type"],
    ),
];

#[test]
fn values_are_checked_as_the_api_server_checks_them() {
    for (schema, value, expected) in VALUES {
        let found: Vec<_> = mistakes(
            &serde_json::from_str(schema).unwrap(),
            &serde_json::from_str(value).unwrap(),
        )
        .into_iter()
        .map(|found| {
            format!(
                "{} {}",
                display(&found.path),
                messages::describe_violation(&found.kind)
            )
        })
        .map(|text| text.trim_start().to_owned())
        .collect();
        assert_eq!(found, *expected, "{value} as {schema}");
    }
}

/// A schema, and the expected messages about its structure.
const STRUCTURES: &[(&str, &[&str])] = &[
    (
        r#"{ "type": "string", "x-kubernetes-preserve-unknown-fields": true }"#,
        &["only an object can preserve unknown fields"],
    ),
    (
        r#"{ "type": "string", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }"#,
        &[
            "an embedded resource must be an object",
            "only an object can preserve unknown fields",
        ],
    ),
    (r#"{ "type": "string" }"#, &[]),
    (r#"{}"#, &["a schema needs a type"]),
    (r#"{ "x-kubernetes-preserve-unknown-fields": true }"#, &[]),
    (
        r#"{ "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }] }"#,
        &[],
    ),
    (r#"{ "type": "array" }"#, &["a list needs `items`"]),
    (
        r#"{ "type": "array", "items": {} }"#,
        &[".items: a schema needs a type"],
    ),
    (
        r#"{ "type": "object", "x-kubernetes-embedded-resource": true }"#,
        &["an embedded resource without fields must preserve unknown fields"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "string" } }"#,
        &["`properties` cannot be combined with `additionalProperties`"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["b"] }"#,
        &["`b` is required, but there is no such field"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "oneOf": [{ "required": ["a"] }] }"#,
        &[],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "oneOf": [{ "properties": { "a": { "minLength": 1 } } }] }"#,
        &[],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "oneOf": [{ "properties": { "b": { "minLength": 1 } } }] }"#,
        &[".oneOf[0]: `b` is declared only in a branch"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "allOf": [{ "type": "object" }] }"#,
        &[".allOf[0]: `type` is not allowed in a branch"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "anyOf": [{ "properties": { "a": { "type": "string" } } }] }"#,
        &[".anyOf[0].a: `type` is not allowed in a branch"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "not": { "default": {} } }"#,
        &[".not: `default` is not allowed in a branch"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "allOf": [{ "description": "a" }] }"#,
        &[".allOf[0]: `description` is not allowed in a branch"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "allOf": [{ "allOf": [{ "nullable": true }] }] }"#,
        &[".allOf[0].allOf[0]: `nullable` is not allowed in a branch"],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "oneOf": [{ "x-kubernetes-validations": [{ "rule": "true" }] }] }"#,
        &[".oneOf[0]: `x-kubernetes-validations` is not allowed in a branch"],
    ),
];

/// A schema, and the expected messages about its keywords.
const KEYWORDS: &[(&str, &[&str])] = &[
    (
        r#"{ "type": "string", "pattern": "^a$", "default": "a" }"#,
        &[],
    ),
    (
        r#"{ "type": "string", "pattern": "(a" }"#,
        &["`pattern`: unclosed `(`"],
    ),
    (
        r#"{ "type": "string", "format": "text", "minLength": 2, "maxLength": 1, "enum": ["a", "a"] }"#,
        &[
            "the API server does not support the format `text`",
            "no value can satisfy these bounds",
            "duplicate value in `enum`",
        ],
    ),
    (
        r#"{ "type": "integer", "maximum": 9223372036854775807 }"#,
        &["bound out of range for the type: the API server refuses every value"],
    ),
    (
        r#"{ "type": "integer", "maximum": 1e19, "default": 5 }"#,
        &["bound out of range for the type: the API server refuses every value"],
    ),
    (
        r#"{ "type": "number", "multipleOf": -2.5, "default": 5 }"#,
        &["`multipleOf` must be greater than 0"],
    ),
    (
        r#"{ "type": "integer", "format": "int32", "anyOf": [{ "minimum": 1.5, "maximum": 1e19 }] }"#,
        &[],
    ),
    (
        r#"{ "type": "object", "properties": { "a": { "type": "string", "default": 5 } } }"#,
        &[".a: the default must be of type string"],
    ),
    (
        r#"{ "type": "object", "default": { "b": 1 }, "properties": { "a": { "type": "string" } } }"#,
        &["`.b` of the default is not a field of the type"],
    ),
    (
        r#"{ "type": "object", "x-kubernetes-validations": [{ "rule": " ", "message": "a\nb" }, { "rule": "self\n== self" }, { "rule": "true", "message": " ", "reason": "Bad", "optionalOldSelf": true }, { "rule": "self ==\noldSelf", "message": "m", "reason": "FieldValueInvalid", "optionalOldSelf": true }] }"#,
        &[
            "the rule is empty",
            "`message` must not contain line breaks",
            "a rule with line breaks needs a `message`",
            "the message is empty",
            "invalid value `Bad` for `reason`",
            "`optionalOldSelf` applies only to rules that use `oldSelf`",
        ],
    ),
    (
        r#"{ "type": "array", "items": { "type": "string", "nullable": true }, "x-kubernetes-list-type": "set" }"#,
        &["the items of a `set` or `map` list must not be nullable"],
    ),
    (
        r#"{ "type": "array", "items": { "type": "object", "properties": { "a": { "type": "string" } } }, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["a", "b"] }"#,
        &[
            "the map key `a` must be required or have a default",
            "no such field `b` in the items",
        ],
    ),
];

fn check(cases: &[(&str, &[&str])], errors: impl Fn(&Schema) -> Vec<SchemaError>) {
    for (schema, expected) in cases {
        let found: Vec<_> = errors(&serde_json::from_str(schema).unwrap())
            .iter()
            .map(|error| messages::explain_schema_error(error, true).message)
            .collect();
        assert_eq!(found, *expected, "{schema}");
    }
}

#[test]
fn schemas_are_structural_or_refused() {
    check(STRUCTURES, structural_errors);
}

#[test]
fn keywords_rejected_by_the_api_server_are_reported() {
    check(KEYWORDS, keyword_errors);
}
