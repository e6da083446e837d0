//! What `#[crd(…)]` adds to the schema of a type.

use std::fmt;

use genclient_syntax::{Json, JsonValue, Number, SchemaAttrs, Shape, Spanned, Validation};
use proc_macro2::Span;
use serde_json::{Map, Value};

use super::extend;
use crate::diagnostic::{Diagnostic, Location, Sink};
use crate::load::Module;
use crate::model;
use crate::model::Schema;

/// Lays constraints over a schema; one that does not fit its type is reported.
///
/// `shape` is what the grammar could see of the type, and has checked already.
pub(super) fn apply(
    attrs: &SchemaAttrs,
    schema: Schema,
    shape: &Shape,
    module: &Module,
    sink: &mut Sink,
) -> Schema {
    let schema = match &attrs.schema {
        Some(stated) => stated_whole(stated, schema.description, module, sink),
        None => schema,
    };
    let mut schema = overridden(attrs, schema);
    let mut fit = Fit {
        shape,
        lenient: attrs.lenient.is_set(),
        module,
        sink,
    };
    fit.numbers(attrs, &mut schema);
    fit.strings(attrs, &mut schema);
    fit.collections(attrs, &mut schema);
    fit.nested(attrs, &mut schema);
    fit.values(attrs, &schema);
    annotate(attrs, &mut schema, module);
    extend::lay_over(&attrs.extend, schema, module, sink)
}

/// The schema that stands in `schema = { … }`.
fn stated_whole(
    stated: &Json,
    description: Option<String>,
    module: &Module,
    sink: &mut Sink,
) -> Schema {
    match serde_json::from_value::<Schema>(json(stated)) {
        Ok(schema) => Schema {
            description: description.or(schema.description),
            ..schema
        },
        Err(error) => {
            let error = error.to_string();
            let reason = error.split(", expected one of").next().unwrap_or(&error);
            sink.push(
                Diagnostic::error(format!("`schema` is no schema of a CRD: {reason}"))
                    .at(Location::of(&module.source, stated.span))
                    .help("write the keys of `JSONSchemaProps`: `{ \"type\": \"string\", \"maxLength\": 63 }`"),
            );
            Schema::default()
        }
    }
}

/// What replaces the type that Rust says.
fn overridden(attrs: &SchemaAttrs, mut schema: Schema) -> Schema {
    if attrs.schemaless.is_set() {
        schema = Schema {
            description: schema.description,
            ..Schema::default()
        };
    }
    if attrs.int_or_string.is_set() {
        schema = Schema {
            description: schema.description,
            int_or_string: true,
            any_of: vec![Schema::typed("integer"), Schema::typed("string")],
            ..Schema::default()
        };
    }
    if let Some(type_) = &attrs.json_type {
        schema.type_ = Some(type_.value.as_str().to_owned());
    }
    if attrs.preserve_unknown_fields.is_set() {
        schema.preserve_unknown_fields = true;
        schema.additional_properties = None;
    }
    if attrs.embedded_resource.is_set() {
        schema.embedded_resource = true;
        schema.preserve_unknown_fields |= schema.properties.is_empty();
        schema.type_.get_or_insert_with(|| "object".to_owned());
    }
    schema
}

/// Which types a constraint makes sense for.
#[derive(Clone, Copy)]
enum Wants {
    Number,
    String,
    List,
    Object,
}

impl Wants {
    fn takes(self, schema: &Schema) -> bool {
        match (self, schema.type_.as_deref()) {
            (_, None) => !matches!(self, Self::List | Self::Object) || !schema.int_or_string,
            (Self::Number, Some(type_)) => matches!(type_, "integer" | "number"),
            (Self::String, Some(type_)) => type_ == "string",
            (Self::List, Some(type_)) => type_ == "array",
            (Self::Object, Some(type_)) => type_ == "object",
        }
    }
}

impl fmt::Display for Wants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Number => "a number",
            Self::String => "a string",
            Self::List => "a list",
            Self::Object => "a map or struct",
        })
    }
}

struct Fit<'a> {
    shape: &'a Shape,
    /// What does not fit is left out, as schemars does.
    lenient: bool,
    module: &'a Module,
    sink: &'a mut Sink,
}

impl Fit<'_> {
    /// The value of a constraint if it fits the type.
    fn take<T: Clone>(
        &mut self,
        key: &str,
        value: Option<&Spanned<T>>,
        wants: Wants,
        schema: &Schema,
    ) -> Option<T> {
        let value = value?;
        if !wants.takes(schema) {
            if *self.shape == Shape::Unknown && !self.lenient {
                self.misfit(key, value.span, wants, schema);
            }
            return None;
        }
        Some(value.value.clone())
    }

    fn misfit(&mut self, key: &str, span: Span, wants: Wants, schema: &Schema) {
        let is = schema.type_.as_deref().unwrap_or("of no single type");
        self.sink.push(
            Diagnostic::error(format!("`{key}` is for {wants}, but the type is {is}"))
                .at(Location::of(&self.module.source, span))
                .help("remove it, or write `items(…)` or `values(…)` around it for what is inside"),
        );
    }

    fn numbers(&mut self, attrs: &SchemaAttrs, schema: &mut Schema) {
        let number = Wants::Number;
        if let Some(minimum) = self.take("minimum", attrs.minimum.as_ref(), number, schema) {
            schema.minimum = Some(self::number(&minimum));
            schema.exclusive_minimum = attrs.exclusive_minimum.is_set();
        }
        if let Some(maximum) = self.take("maximum", attrs.maximum.as_ref(), number, schema) {
            schema.maximum = Some(self::number(&maximum));
            schema.exclusive_maximum = attrs.exclusive_maximum.is_set();
        }
        let multiple = self.take("multiple_of", attrs.multiple_of.as_ref(), number, schema);
        schema.multiple_of = multiple
            .map(|multiple| self::number(&multiple))
            .or(schema.multiple_of.take());
    }

    fn strings(&mut self, attrs: &SchemaAttrs, schema: &mut Schema) {
        let string = Wants::String;
        let min = self.take("min_length", attrs.min_length.as_ref(), string, schema);
        let max = self.take("max_length", attrs.max_length.as_ref(), string, schema);
        let pattern = self.take("pattern", attrs.pattern.as_ref(), string, schema);
        schema.min_length = min.or(schema.min_length);
        schema.max_length = max.or(schema.max_length);
        schema.pattern = pattern.or(schema.pattern.take());
        if let Some(format) = &attrs.format {
            schema.format = Some(format.value.clone());
        }
    }

    fn collections(&mut self, attrs: &SchemaAttrs, schema: &mut Schema) {
        let min = self.take("min_items", attrs.min_items.as_ref(), Wants::List, schema);
        let max = self.take("max_items", attrs.max_items.as_ref(), Wants::List, schema);
        schema.min_items = min.or(schema.min_items);
        schema.max_items = max.or(schema.max_items);
        let object = Wants::Object;
        let min = self.take(
            "min_properties",
            attrs.min_properties.as_ref(),
            object,
            schema,
        );
        let max = self.take(
            "max_properties",
            attrs.max_properties.as_ref(),
            object,
            schema,
        );
        schema.min_properties = min.or(schema.min_properties);
        schema.max_properties = max.or(schema.max_properties);
        if let Some(list_type) =
            self.take("list_type", attrs.list_type.as_ref(), Wants::List, schema)
        {
            schema.list_type = Some(list_type.as_str().to_owned());
        }
        schema
            .list_map_keys
            .extend(attrs.list_map_keys.iter().map(|key| key.value.clone()));
        let map_type = self.take("map_type", attrs.map_type.as_ref(), object, schema);
        let struct_type = self.take("struct_type", attrs.struct_type.as_ref(), object, schema);
        if let Some(map_type) = map_type.or(struct_type) {
            schema.map_type = Some(map_type.as_str().to_owned());
        }
    }

    /// A value that the API server would refuse for its type; the grammar does not see through names of types.
    fn values(&mut self, attrs: &SchemaAttrs, schema: &Schema) {
        let single = [("default", &attrs.default), ("example", &attrs.example)];
        let single = single
            .into_iter()
            .filter_map(|(key, value)| Some((key, value.as_ref()?)));
        let listed = attrs.enumeration.iter().flat_map(|values| &values.value);
        for (key, value) in single.chain(listed.map(|value| ("enum", value))) {
            let found = json(value);
            let type_ = schema.type_.as_deref().unwrap_or_default();
            let fits = match type_ {
                "integer" => found.is_i64() || found.is_u64(),
                "number" => found.is_number(),
                "string" => found.is_string(),
                "boolean" => found.is_boolean(),
                "array" => found.is_array(),
                "object" => found.is_object(),
                _ => true,
            };
            let unseen = *self.shape == Shape::Unknown;
            if unseen && !fits && !(found.is_null() && (schema.nullable || attrs.nullable.is_set()))
            {
                self.sink.push(
                    Diagnostic::error(format!(
                        "the value of `{key}` is {found}, but the type is {type_}"
                    ))
                    .at(Location::of(&self.module.source, value.span))
                    .help(format!("write a value of the type {type_}")),
                );
            }
        }
    }

    fn nested(&mut self, attrs: &SchemaAttrs, schema: &mut Schema) {
        let inner = match self.shape {
            Shape::List(inner) | Shape::Map(inner) => inner,
            _ => &Shape::Unknown,
        };
        if let (Some(attrs), Some(items)) = (&attrs.items, &mut schema.items) {
            **items = apply(attrs, std::mem::take(items), inner, self.module, self.sink);
        }
        if let (Some(attrs), Some(values)) = (&attrs.values, &mut schema.additional_properties) {
            **values = apply(attrs, std::mem::take(values), inner, self.module, self.sink);
        }
    }
}

fn annotate(attrs: &SchemaAttrs, schema: &mut Schema, module: &Module) {
    if let Some(values) = &attrs.enumeration {
        schema.enum_ = values.value.iter().map(json).collect();
    }
    if let Some(default) = &attrs.default {
        schema.default = Some(json(default));
    }
    if let Some(example) = &attrs.example {
        schema.example = Some(json(example));
    }
    if let Some(title) = &attrs.title {
        schema.title = Some(title.value.clone());
    }
    if let Some(docs) = &attrs.external_docs {
        let mut object = Map::new();
        object.insert("url".into(), docs.url.value.clone().into());
        if let Some(description) = &docs.description {
            object.insert("description".into(), description.value.clone().into());
        }
        schema.external_docs = Some(Value::Object(object));
    }
    schema.nullable |= attrs.nullable.is_set();
    schema.validations.extend(
        attrs
            .validations
            .iter()
            .map(|rule| validation(rule, module)),
    );
    if attrs.immutable.is_set() {
        schema.validations.push(model::Validation {
            rule: "self == oldSelf".to_owned(),
            message: Some("field is immutable".to_owned()),
            ..model::Validation::default()
        });
    }
}

fn validation(rule: &Validation, module: &Module) -> model::Validation {
    let text = |value: &Option<Spanned<String>>| value.as_ref().map(|value| value.value.clone());
    model::Validation {
        rule: rule.rule.value.clone(),
        message: text(&rule.message),
        message_expression: text(&rule.message_expression),
        reason: rule
            .reason
            .as_ref()
            .map(|reason| reason.value.as_str().to_owned()),
        field_path: text(&rule.field_path),
        optional_old_self: rule.optional_old_self.is_set().then_some(true),
        location: Some(Location::of(&module.source, rule.rule.span)),
    }
}

/// A value of the grammar as JSON.
pub(super) fn json(value: &Json) -> Value {
    match &value.value {
        JsonValue::Null => Value::Null,
        JsonValue::Bool(value) => Value::Bool(*value),
        JsonValue::Number(value) => Value::Number(number(value)),
        JsonValue::String(value) => Value::String(value.clone()),
        JsonValue::Array(items) => Value::Array(items.iter().map(json).collect()),
        JsonValue::Object(members) => {
            let members = members.iter();
            Value::Object(
                members
                    .map(|(key, value)| (key.clone(), json(value)))
                    .collect(),
            )
        }
    }
}

fn number(number: &Number) -> serde_json::Number {
    #[expect(
        clippy::expect_used,
        reason = "the grammar keeps the text of a JSON number"
    )]
    number.as_str().parse().expect("a number is a JSON number")
}
