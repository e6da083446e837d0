//! Schemas as YAML.

use crate::model::{JsonType, ListType, MapType, Schema, Validation};
use crate::yaml::Yaml;

/// Writes a schema with its keys in alphabetical order. Unset, false and empty keys are omitted.
pub(super) fn write_schema(schema: &Schema, yaml: &mut Yaml) {
    write_nested(
        "additionalProperties",
        schema.additional_properties.as_deref(),
        yaml,
    );
    write_list("allOf", &schema.all_of, yaml);
    write_list("anyOf", &schema.any_of, yaml);
    yaml.value("default", schema.default.as_ref());
    yaml.text("description", schema.description.as_deref());
    yaml.values("enum", &schema.enum_);
    yaml.value("example", schema.example.as_ref());
    write_flag("exclusiveMaximum", schema.exclusive_maximum, yaml);
    write_flag("exclusiveMinimum", schema.exclusive_minimum, yaml);
    yaml.value("externalDocs", schema.external_docs.as_ref());
    yaml.text("format", schema.format.as_deref());
    write_nested("items", schema.items.as_deref(), yaml);
    yaml.plain("maxItems", schema.max_items);
    yaml.plain("maxLength", schema.max_length);
    yaml.plain("maxProperties", schema.max_properties);
    yaml.plain("maximum", schema.maximum.as_ref());
    yaml.plain("minItems", schema.min_items);
    yaml.plain("minLength", schema.min_length);
    yaml.plain("minProperties", schema.min_properties);
    yaml.plain("minimum", schema.minimum.as_ref());
    yaml.plain("multipleOf", schema.multiple_of.as_ref());
    write_nested("not", schema.not.as_deref(), yaml);
    write_flag("nullable", schema.nullable, yaml);
    write_list("oneOf", &schema.one_of, yaml);
    yaml.text("pattern", schema.pattern.as_deref());
    if !schema.properties.is_empty() {
        yaml.map("properties", |yaml| {
            for (name, schema) in &schema.properties {
                write_nested(name, Some(schema), yaml);
            }
        });
    }
    yaml.texts("required", &schema.required);
    yaml.text("title", schema.title.as_deref());
    yaml.text("type", schema.type_.map(JsonType::as_str));
    write_extensions(schema, yaml);
}

/// The `x-kubernetes-` keys.
fn write_extensions(schema: &Schema, yaml: &mut Yaml) {
    write_flag(
        "x-kubernetes-embedded-resource",
        schema.embedded_resource,
        yaml,
    );
    write_flag("x-kubernetes-int-or-string", schema.int_or_string, yaml);
    yaml.texts("x-kubernetes-list-map-keys", &schema.list_map_keys);
    yaml.text(
        "x-kubernetes-list-type",
        schema.list_type.map(ListType::as_str),
    );
    yaml.text(
        "x-kubernetes-map-type",
        schema.map_type.map(MapType::as_str),
    );
    let preserve = schema.preserve_unknown_fields;
    write_flag("x-kubernetes-preserve-unknown-fields", preserve, yaml);
    let rules = &schema.validations;
    yaml.maps("x-kubernetes-validations", rules, |yaml, one| {
        write_rule(one, yaml)
    });
}

fn write_nested(key: &str, schema: Option<&Schema>, yaml: &mut Yaml) {
    if let Some(schema) = schema {
        yaml.map(key, |yaml| write_schema(schema, yaml));
    }
}

fn write_list(key: &str, schemas: &[Schema], yaml: &mut Yaml) {
    yaml.maps(key, schemas, |yaml, schema| write_schema(schema, yaml));
}

fn write_flag(key: &str, value: bool, yaml: &mut Yaml) {
    yaml.plain(key, value.then_some(true));
}

fn write_rule(rule: &Validation, yaml: &mut Yaml) {
    yaml.text("fieldPath", rule.field_path.as_deref());
    yaml.text("message", rule.message.as_deref());
    yaml.text("messageExpression", rule.message_expression.as_deref());
    yaml.plain("optionalOldSelf", rule.optional_old_self);
    yaml.text("reason", rule.reason.as_deref());
    yaml.text("rule", rule.rule.as_str());
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use serde_json::{Number, Value, json};

    use super::{Yaml, write_schema};
    use crate::model::{JsonType, ListType, MapType, Origin, Schema, Validation};

    /// A schema with every key set.
    fn full() -> Schema {
        let text = || Some("on".to_owned());
        let (number, empty) = (Number::from_f64(0.5), Schema::default());
        let schema = Schema::typed(JsonType::String);
        Schema {
            description: Some("Two\nlines.".to_owned()),
            title: text(),
            type_: Some(JsonType::Array),
            format: text(),
            nullable: true,
            default: Some(json!({ "a": [1, [], { "b": null }, [{}, "c"]], "b: ": {}, "c": [] })),
            example: Some(json!("on")),
            external_docs: Some(json!({ "url": "https://example.com" })),
            enum_: vec![
                json!("a"),
                json!(1),
                Value::Null,
                json!([1, "a\nb"]),
                json!({}),
            ],
            minimum: number.clone(),
            maximum: Some(1.into()),
            exclusive_minimum: true,
            exclusive_maximum: true,
            multiple_of: number,
            min_length: Some(1),
            max_length: Some(2),
            pattern: text(),
            items: Some(empty.clone().into()),
            min_items: Some(3),
            max_items: Some(4),
            properties: BTreeMap::from([
                ("b".to_owned(), schema.clone().into()),
                ("a: ".to_owned(), empty.clone().into()),
            ]),
            required: BTreeSet::from(["b".to_owned(), "a".to_owned()]),
            additional_properties: Some(schema.clone().into()),
            keys: None,
            boolean: None,
            unknown_type: None,
            origin: Origin::default(),
            min_properties: Some(5),
            max_properties: Some(6),
            all_of: vec![schema.clone()],
            any_of: vec![schema.clone(), empty.clone()],
            one_of: vec![empty],
            not: Some(schema.into()),
            int_or_string: true,
            preserve_unknown_fields: true,
            embedded_resource: true,
            list_type: Some(ListType::Map),
            list_map_keys: vec!["b".to_owned(), "a".to_owned()],
            map_type: Some(MapType::Granular),
            validations: vec![Validation {
                rule: "self".to_owned(),
                message: text(),
                message_expression: text(),
                reason: text(),
                field_path: text(),
                optional_old_self: Some(false),
                source: None,
            }],
        }
    }

    #[test]
    fn every_key_is_written_in_order() {
        let schema = full();
        let (mut yaml, mut expected) = (Yaml::default(), Yaml::default());
        write_schema(&schema, &mut yaml);
        for (key, value) in json!(schema).as_object().into_iter().flatten() {
            expected.value(key, Some(value));
        }
        assert_eq!(yaml.finish(), expected.finish());
    }

    #[test]
    fn empty_schema_has_no_keys() {
        let mut yaml = Yaml::default();
        write_schema(&Schema::default(), &mut yaml);
        assert_eq!(yaml.finish(), Yaml::default().finish());
    }
}
