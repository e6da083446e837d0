//! Keys that replace the schema of the Rust type, in whole or in part.

use std::fmt::Display;

use genclient_syntax as syntax;
use genclient_syntax::{Json, JsonValue, Shape, Spanned};
use proc_macro2::Span;
use serde_json::Value;

use super::{Apply, json};
use crate::diagnostic::Location;
use crate::known;
use crate::model::{JsonType, Schema};
use crate::resolve::schema::union;

impl Apply<'_> {
    /// Applies the keys that replace the schema. All other keys apply to the returned schema.
    pub(super) fn replaced(&mut self, schema: Schema) -> Schema {
        let attrs = self.attrs;
        let mut schema = match &attrs.schema {
            Some(stated) => self.stated_whole(stated, schema),
            None if attrs.schemaless.is_set() => emptied(schema),
            None => schema,
        };
        if attrs.int_or_string.is_set() {
            schema = Schema {
                int_or_string: true,
                any_of: vec![
                    Schema::typed(JsonType::Integer),
                    Schema::typed(JsonType::String),
                ],
                ..emptied(schema)
            };
        }
        if let Some(stated) = &attrs.json_type {
            self.check_kept_list(stated, &schema);
            schema = with_type(json_type(stated.value), schema);
        }
        if let Some(span) = attrs.embedded_metadata.span() {
            schema = self.embedded_metadata(span, schema);
        }
        if attrs.preserve_unknown_fields.is_set() {
            schema.preserve_unknown_fields = true;
            schema.additional_properties = None;
        }
        if attrs.embedded_resource.is_set() {
            schema.embedded_resource = true;
            schema.additional_properties = None;
            let type_ = *schema.type_.get_or_insert(JsonType::Object);
            schema.preserve_unknown_fields |=
                type_ == JsonType::Object && schema.properties.is_empty();
        }
        schema
    }

    /// Reports a `type` that does not fit a list or map, unless another key has replaced its
    /// schema.
    fn check_kept_list(&mut self, stated: &Spanned<syntax::JsonType>, schema: &Schema) {
        let (is, key, type_) = match self.shape {
            Shape::List(_) => ("list", "items", JsonType::Array),
            Shape::Map(_) => ("map", "values", JsonType::Object),
            _ => return,
        };
        let json_type = json_type(stated.value);
        if schema.type_ == Some(type_) && json_type != type_ {
            let json_type = json_type.as_str();
            self.error(
                stated.span,
                format!("expected type {json_type}, but serde serializes a {is}"),
                format!("write `{key}(type = \"{json_type}\")`"),
            );
        }
    }

    /// Returns a schema with the `ObjectMeta` fields that a template needs, such as labels. Without
    /// these fields, the API server would prune the whole metadata. Reports a type other than
    /// `ObjectMeta`.
    fn embedded_metadata(&mut self, span: Span, schema: Schema) -> Schema {
        let bare = Schema {
            description: schema.description.clone(),
            nullable: schema.nullable,
            ..Schema::typed(JsonType::Object)
        };
        if schema != bare {
            self.error(
                span,
                "`embedded_metadata` applies only to fields of type `ObjectMeta`",
                "remove it: the type has fields of its own",
            );
            return schema;
        }
        Schema {
            description: bare.description,
            nullable: bare.nullable,
            ..known::embedded_metadata()
        }
    }

    fn stated_whole(&mut self, stated: &Json, schema: Schema) -> Schema {
        let whole = self
            .check_written(stated)
            .then(|| self.read("schema", json(stated), stated.span));
        let Some(whole) = whole.flatten() else {
            return Schema {
                preserve_unknown_fields: true,
                ..Schema::default()
            };
        };
        let mut whole = Schema {
            description: schema.description.or(whole.description),
            nullable: schema.nullable || whole.nullable,
            ..whole
        };
        if whole.nullable {
            union::admit_null(&mut whole);
        }
        self.locate(&mut whole, stated);
        whole
    }

    /// Reads a schema from the value of `key`. Reports an invalid schema and returns `None`.
    pub(super) fn read(&mut self, key: impl Display, value: Value, span: Span) -> Option<Schema> {
        let error = match serde_json::from_value::<Schema>(value) {
            Ok(schema) => return Some(schema),
            Err(error) => error.to_string(),
        };
        let (reason, expected) = error.split_once(", expected ").unwrap_or((&error, ""));
        let help = if reason.starts_with("unknown variant") {
            format!("write {expected}")
        } else if reason.starts_with("`additionalProperties`") {
            VALUES_HELP.to_owned()
        } else if reason == "invalid type: sequence" {
            "write one type, and add `\"nullable\": true` if it may be null".to_owned()
        } else {
            KEYS_HELP.to_owned()
        };
        self.error(
            span,
            format!("`{key}` is not a valid CRD schema: {reason}"),
            help,
        );
        None
    }

    /// Sets the source locations of all rules in a stated schema.
    fn locate(&mut self, schema: &mut Schema, stated: &Json) {
        let place = |text: &str| {
            let span = place_of(text, stated);
            span.map(|span| Location::of(&self.module.source, span))
        };
        for rule in &mut schema.validations {
            let field_path = rule.field_path.as_deref().and_then(place);
            let message_expression = rule.message_expression.as_deref().and_then(place);
            rule.source =
                place(&rule.rule).map(|text| self.places.add(text, field_path, message_expression));
        }
        for schema in schema.nested_mut() {
            self.locate(schema, stated);
        }
    }
}

const KEYS_HELP: &str =
    "write the keys of `JSONSchemaProps`: `{ \"type\": \"string\", \"maxLength\": 63 }`";

const VALUES_HELP: &str = "write the schema of the values, or \
    `{ \"x-kubernetes-preserve-unknown-fields\": true }` for any value; \
    if other keys are not allowed, remove `additionalProperties`";

/// Span of the first string in a JSON value that equals `text`.
fn place_of(text: &str, value: &Json) -> Option<Span> {
    match &value.value {
        JsonValue::String(found) => (found == text).then_some(value.span),
        JsonValue::Array(items) => items.iter().find_map(|item| place_of(text, item)),
        JsonValue::Object(members) => {
            let mut members = members.iter();
            members.find_map(|(_, member)| place_of(text, member))
        }
        _ => None,
    }
}

/// Returns the schema with the JSON type `type_`. If the schema already has that type, only
/// `format` is removed. Otherwise, only the description and `nullable` are kept, and
/// `preserve_unknown_fields` if `type_` is `object`.
fn with_type(type_: JsonType, schema: Schema) -> Schema {
    if schema.type_ == Some(type_) {
        return Schema {
            format: None,
            ..schema
        };
    }
    Schema {
        type_: Some(type_),
        preserve_unknown_fields: schema.preserve_unknown_fields && type_ == JsonType::Object,
        ..emptied(schema)
    }
}

fn emptied(schema: Schema) -> Schema {
    Schema {
        description: schema.description,
        nullable: schema.nullable,
        ..Schema::default()
    }
}

impl Apply<'_> {
    /// Sets the keywords of `extend(…)`. A keyword with an invalid value is reported and left out.
    pub(super) fn extend(&mut self, schema: &mut Schema) {
        for (key, value) in &self.attrs.extend {
            match with(schema, &key.value, json(value)) {
                Ok(changed) => {
                    // `with` converts to JSON, which has no source ids. The rules of the unchanged
                    // schema still have them.
                    let validations = std::mem::take(&mut schema.validations);
                    *schema = Schema {
                        validations,
                        ..changed
                    };
                }
                Err(error) => self.error(
                    value.span,
                    format!("invalid value for `{}`: {error}", key.value),
                    "write a value of the type in `JSONSchemaProps`",
                ),
            }
        }
    }
}

fn with(schema: &Schema, key: &str, value: Value) -> serde_json::Result<Schema> {
    let mut whole = serde_json::to_value(schema)?;
    whole[key] = value;
    serde_json::from_value(whole)
}

fn json_type(written: syntax::JsonType) -> JsonType {
    match written {
        syntax::JsonType::Object => JsonType::Object,
        syntax::JsonType::Array => JsonType::Array,
        syntax::JsonType::String => JsonType::String,
        syntax::JsonType::Integer => JsonType::Integer,
        syntax::JsonType::Number => JsonType::Number,
        syntax::JsonType::Boolean => JsonType::Boolean,
    }
}
