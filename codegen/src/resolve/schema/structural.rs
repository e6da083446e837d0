//! The rules that make a schema structural, as far as a schema that was stated by hand can break them.
//!
//! `k8s.io/apiextensions-apiserver/pkg/apiserver/schema`: every value has a type, and `allOf`, `anyOf`, `oneOf` and `not` hold
//! nothing but constraints of what is declared outside of them.

use std::fmt;

use crate::model::{JsonType, Schema};

/// A rule that a schema breaks.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mistake {
    /// Where: `.a.items`; empty for the schema itself.
    pub(super) path: String,
    pub(super) message: String,
    /// What to write.
    pub(super) help: &'static str,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.path.is_empty() {
            f.write_str(&self.message)
        } else {
            write!(f, "{}: {}", self.path, self.message)
        }
    }
}

/// Every rule that a schema breaks.
pub(super) fn mistakes(schema: &Schema, mistakes: &mut Vec<Mistake>) {
    Structure {
        path: String::new(),
        mistakes,
    }
    .value(schema);
}

struct Structure<'m> {
    path: String,
    mistakes: &'m mut Vec<Mistake>,
}

impl Structure<'_> {
    fn report(&mut self, message: impl Into<String>, help: &'static str) {
        self.mistakes.push(Mistake {
            path: self.path.clone(),
            message: message.into(),
            help,
        });
    }

    fn at(&mut self, step: &str, check: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('.');
        self.path.push_str(step);
        check(self);
        self.path.truncate(length);
    }

    fn value(&mut self, schema: &Schema) {
        let typed = schema.type_;
        match typed {
            None if !schema.int_or_string && !schema.preserve_unknown_fields => {
                self.report(
                    "a schema has a type",
                    "add `type = \"..\"`, `int_or_string` or `preserve_unknown_fields`",
                );
            }
            Some(JsonType::Array) if schema.items.is_none() => {
                self.report(
                    "a list says what its items are",
                    "write `schema = { \"type\": \"array\", \"items\": .. }`",
                );
            }
            _ => {}
        }
        self.extensions(schema);
        if !schema.properties.is_empty() && schema.additional_properties.is_some() {
            self.report(
                "fields and a map exclude each other",
                "remove `additionalProperties` or `properties`",
            );
        }
        for name in &schema.required {
            let known = schema.properties.contains_key(name)
                || schema.additional_properties.is_some()
                || schema.preserve_unknown_fields;
            if !known {
                self.report(
                    format!("`{name}` is required and is no field"),
                    "add it to `properties`",
                );
            }
        }
        for (name, property) in &schema.properties {
            self.at(name, |structure| structure.value(property));
        }
        if let Some(items) = &schema.items {
            self.at("items", |structure| structure.value(items));
        }
        if let Some(values) = &schema.additional_properties {
            self.at("additionalProperties", |structure| structure.value(values));
        }
        self.branches(schema, schema);
    }

    /// What only objects can be.
    fn extensions(&mut self, schema: &Schema) {
        let holds_fields = matches!(schema.type_, None | Some(JsonType::Object));
        if schema.embedded_resource && !holds_fields {
            self.report(
                "an embedded resource is an object",
                "write `embedded_resource` on an object",
            );
        } else if schema.embedded_resource
            && schema.properties.is_empty()
            && !schema.preserve_unknown_fields
        {
            self.report(
                "an embedded resource without fields keeps nothing",
                "add `preserve_unknown_fields`",
            );
        }
        if schema.preserve_unknown_fields && !holds_fields {
            self.report(
                "only an object has unknown fields",
                "write `preserve_unknown_fields` on an object, or inside `items(..)`",
            );
        }
    }

    /// The branches of `around`, which may speak of what `declared` declares.
    fn branches(&mut self, around: &Schema, declared: &Schema) {
        let groups = [
            ("allOf", &around.all_of),
            ("anyOf", &around.any_of),
            ("oneOf", &around.one_of),
        ];
        for (name, branches) in groups {
            for branch in branches {
                self.at(name, |structure| structure.branch(branch, declared));
            }
        }
        if let Some(branch) = &around.not {
            self.at("not", |structure| structure.branch(branch, declared));
        }
    }

    fn branch(&mut self, branch: &Schema, declared: &Schema) {
        // The one shape in which a branch may name types.
        let of_two_types = declared.int_or_string
            && matches!(branch.type_, Some(JsonType::Integer | JsonType::String));
        let forbidden = [
            ("type", branch.type_.is_some() && !of_two_types),
            ("description", branch.description.is_some()),
            ("default", branch.default.is_some()),
            ("nullable", branch.nullable),
            (
                "additionalProperties",
                branch.additional_properties.is_some(),
            ),
            ("x-kubernetes-validations", !branch.validations.is_empty()),
            (
                "x-kubernetes-preserve-unknown-fields",
                branch.preserve_unknown_fields,
            ),
            ("x-kubernetes-embedded-resource", branch.embedded_resource),
            ("x-kubernetes-list-type", branch.list_type.is_some()),
            ("x-kubernetes-map-type", branch.map_type.is_some()),
        ];
        for (key, _) in forbidden.iter().filter(|(_, stands)| *stands) {
            self.report(
                format!("`{key}` cannot stand in a branch"),
                "write it outside of `allOf`, `anyOf`, `oneOf` and `not`",
            );
        }
        for (name, property) in &branch.properties {
            match declared.properties.get(name) {
                Some(declared) => self.at(name, |structure| structure.branch(property, declared)),
                None => self.report(
                    format!("`{name}` stands in a branch alone"),
                    "declare it in `properties`, too",
                ),
            }
        }
        if let (Some(items), Some(declared)) = (&branch.items, &declared.items) {
            self.at("items", |structure| structure.branch(items, declared));
        }
        self.branches(branch, declared);
    }
}

#[cfg(test)]
mod tests {
    /// A schema, and what is wrong with it.
    const CASES: &[(&str, &[&str])] = &[
        (
            r#"{ "type": "string", "x-kubernetes-preserve-unknown-fields": true }"#,
            &["only an object has unknown fields"],
        ),
        (
            r#"{ "type": "string", "x-kubernetes-embedded-resource": true, "x-kubernetes-preserve-unknown-fields": true }"#,
            &[
                "an embedded resource is an object",
                "only an object has unknown fields",
            ],
        ),
        (r#"{ "type": "string" }"#, &[]),
        (r#"{}"#, &["a schema has a type"]),
        (r#"{ "x-kubernetes-preserve-unknown-fields": true }"#, &[]),
        (
            r#"{ "x-kubernetes-int-or-string": true, "anyOf": [{ "type": "integer" }, { "type": "string" }] }"#,
            &[],
        ),
        (
            r#"{ "type": "array" }"#,
            &["a list says what its items are"],
        ),
        (
            r#"{ "type": "array", "items": {} }"#,
            &[".items: a schema has a type"],
        ),
        (
            r#"{ "type": "object", "x-kubernetes-embedded-resource": true }"#,
            &["an embedded resource without fields keeps nothing"],
        ),
        (
            r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "additionalProperties": { "type": "string" } }"#,
            &["fields and a map exclude each other"],
        ),
        (
            r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "required": ["b"] }"#,
            &["`b` is required and is no field"],
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
            &[".oneOf: `b` stands in a branch alone"],
        ),
        (
            r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "allOf": [{ "type": "object" }] }"#,
            &[".allOf: `type` cannot stand in a branch"],
        ),
        (
            r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "anyOf": [{ "properties": { "a": { "type": "string" } } }] }"#,
            &[".anyOf.a: `type` cannot stand in a branch"],
        ),
        (
            r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "not": { "default": {} } }"#,
            &[".not: `default` cannot stand in a branch"],
        ),
        (
            r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "allOf": [{ "description": "a" }] }"#,
            &[".allOf: `description` cannot stand in a branch"],
        ),
        (
            r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "allOf": [{ "allOf": [{ "nullable": true }] }] }"#,
            &[".allOf.allOf: `nullable` cannot stand in a branch"],
        ),
        (
            r#"{ "type": "object", "properties": { "a": { "type": "string" } }, "oneOf": [{ "x-kubernetes-validations": [{ "rule": "true" }] }] }"#,
            &[".oneOf: `x-kubernetes-validations` cannot stand in a branch"],
        ),
    ];

    #[test]
    fn schemas_are_structural_or_refused() {
        for (schema, expected) in CASES {
            let mut mistakes = Vec::new();
            super::mistakes(&serde_json::from_str(schema).unwrap(), &mut mistakes);
            let found: Vec<_> = mistakes.iter().map(ToString::to_string).collect();
            assert_eq!(found, *expected, "{schema}");
        }
    }
}
