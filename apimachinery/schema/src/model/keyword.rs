//! Keywords of a CRD's schemas: the form of their value, and the types beside which they have an
//! effect.

use super::types::JsonType;

/// Form of a keyword's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum KeywordForm {
    Boolean,
    Number,
    /// A number of items, members or characters.
    Count,
    Text,
    Texts,
    /// A list of any JSON values.
    Values,
    Schema,
    Schemas,
    SchemasByName,
    /// A value that only the keyword has.
    Other,
}

/// Keyword of a schema.
#[derive(Debug)]
pub struct Keyword {
    /// Name in JSON.
    pub name: &'static str,
    /// Form of the value.
    pub form: KeywordForm,
    /// Types beside which the keyword has an effect. The API server accepts and ignores a keyword
    /// beside another type. `format` depends on its value:
    /// [`formats::is_supported`](crate::formats::is_supported).
    ///
    /// Source: `Applies` of the validators in `k8s.io/kube-openapi/pkg/validation/validate`, and
    /// `algorithm.go` in `k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning`.
    types: &'static [JsonType],
}

impl Keyword {
    /// Returns the keyword of that name, or `None` if a CRD's schema cannot have it.
    #[must_use]
    pub fn from_name(name: &str) -> Option<&'static Self> {
        let found = KEYWORDS.binary_search_by_key(&name, |keyword| keyword.name);
        found.ok().map(|at| &KEYWORDS[at])
    }
}

impl JsonType {
    /// Returns whether a keyword has an effect beside the type. Other keywords than those of a CRD
    /// are not judged.
    #[must_use]
    pub fn has_keyword(self, keyword: &str) -> bool {
        Keyword::from_name(keyword).is_none_or(|keyword| keyword.types.contains(&self))
    }
}

const ALL: &[JsonType] = &[
    JsonType::Object,
    JsonType::Array,
    JsonType::String,
    JsonType::Integer,
    JsonType::Number,
    JsonType::Boolean,
];
const NUMBERS: &[JsonType] = &[JsonType::Integer, JsonType::Number];
const STRING: &[JsonType] = &[JsonType::String];
const ARRAY: &[JsonType] = &[JsonType::Array];
const OBJECT: &[JsonType] = &[JsonType::Object];
/// On a list, the keyword applies to the items.
const CONTAINERS: &[JsonType] = &[JsonType::Array, JsonType::Object];

const fn row(name: &'static str, form: KeywordForm, types: &'static [JsonType]) -> Keyword {
    Keyword { name, form, types }
}

/// All keywords of a CRD's schemas, sorted by name.
pub const KEYWORDS: [Keyword; 36] = [
    row("additionalProperties", KeywordForm::Other, OBJECT),
    row("allOf", KeywordForm::Schemas, ALL),
    row("anyOf", KeywordForm::Schemas, ALL),
    row("default", KeywordForm::Other, ALL),
    row("description", KeywordForm::Text, ALL),
    row("enum", KeywordForm::Values, ALL),
    row("example", KeywordForm::Other, ALL),
    row("exclusiveMaximum", KeywordForm::Boolean, NUMBERS),
    row("exclusiveMinimum", KeywordForm::Boolean, NUMBERS),
    row("externalDocs", KeywordForm::Other, ALL),
    row("format", KeywordForm::Text, ALL),
    row("items", KeywordForm::Schema, ARRAY),
    row("maxItems", KeywordForm::Count, ARRAY),
    row("maxLength", KeywordForm::Count, STRING),
    row("maxProperties", KeywordForm::Count, OBJECT),
    row("maximum", KeywordForm::Number, NUMBERS),
    row("minItems", KeywordForm::Count, ARRAY),
    row("minLength", KeywordForm::Count, STRING),
    row("minProperties", KeywordForm::Count, OBJECT),
    row("minimum", KeywordForm::Number, NUMBERS),
    row("multipleOf", KeywordForm::Number, NUMBERS),
    row("not", KeywordForm::Schema, ALL),
    row("nullable", KeywordForm::Boolean, ALL),
    row("oneOf", KeywordForm::Schemas, ALL),
    row("pattern", KeywordForm::Text, STRING),
    row("properties", KeywordForm::SchemasByName, OBJECT),
    row("required", KeywordForm::Texts, OBJECT),
    row("title", KeywordForm::Text, ALL),
    row("type", KeywordForm::Other, ALL),
    row("x-kubernetes-embedded-resource", KeywordForm::Boolean, ALL),
    row("x-kubernetes-int-or-string", KeywordForm::Boolean, ALL),
    row("x-kubernetes-list-map-keys", KeywordForm::Texts, ALL),
    row("x-kubernetes-list-type", KeywordForm::Other, ALL),
    row("x-kubernetes-map-type", KeywordForm::Other, ALL),
    row(
        "x-kubernetes-preserve-unknown-fields",
        KeywordForm::Boolean,
        CONTAINERS,
    ),
    row("x-kubernetes-validations", KeywordForm::Other, ALL),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use serde_json::{Value, json};

    use super::*;
    use crate::JsonType::{Array, Boolean, Integer, Number, Object, String};
    use crate::Schema;

    #[test]
    fn keywords_have_an_effect_beside_their_types_only() {
        let all = [Object, Array, String, Integer, Number, Boolean];
        for (keyword, types) in [
            ("maximum", &[Integer, Number][..]),
            ("multipleOf", &[Integer, Number]),
            ("pattern", &[String]),
            ("minItems", &[Array]),
            ("required", &[Object]),
            ("x-kubernetes-preserve-unknown-fields", &[Object, Array]),
            ("enum", &all),
            ("unknown", &all),
        ] {
            let has_keyword = |type_: &JsonType| type_.has_keyword(keyword);
            let found: Vec<_> = all.into_iter().filter(has_keyword).collect();
            assert_eq!(found, types, "{keyword}");
        }
    }

    #[test]
    fn the_table_has_the_keywords_of_the_model() {
        let names: Vec<_> = KEYWORDS.iter().map(|keyword| keyword.name).collect();
        assert!(names.is_sorted());
        // The error for an unknown field lists the fields that `Schema` has.
        let error = serde_json::from_value::<Schema>(json!({ "?": null }))
            .unwrap_err()
            .to_string();
        let fields: BTreeSet<_> = error.split('`').skip(3).step_by(2).collect();
        assert_eq!(fields, names.iter().copied().collect(), "{error}");
    }

    #[test]
    fn forms_are_those_of_the_model() {
        for keyword in &KEYWORDS {
            let value: Value = match keyword.form {
                KeywordForm::Boolean => json!(true),
                KeywordForm::Number => json!(1.5),
                KeywordForm::Count => json!(2),
                KeywordForm::Text => json!("text"),
                KeywordForm::Texts => json!(["text"]),
                KeywordForm::Values => json!([1, "text"]),
                KeywordForm::Schema => json!({ "title": "nested" }),
                KeywordForm::Schemas => json!([{ "title": "nested" }]),
                KeywordForm::SchemasByName => json!({ "a": { "title": "nested" } }),
                KeywordForm::Other => continue,
            };
            let schema = json!({ keyword.name: value });
            let read: Schema = serde_json::from_value(schema.clone()).unwrap();
            assert_eq!(json!(read), schema);
        }
    }
}
