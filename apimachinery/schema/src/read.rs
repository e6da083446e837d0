//! Lenient reading of schemas from stored definitions, as in the API server.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::{JsonType, ListType, MapType, Schema, Validation};

/// Maximum nesting depth of schemas. Deeper schemas are read as empty.
const DEPTH: usize = 128;

impl Schema {
    /// Reads `openAPIV3Schema` of a definition that the API server has accepted.
    ///
    /// Unlike deserialization, accepts a boolean `additionalProperties`, and ignores unknown
    /// keywords and documentation such as `description`. A negative upper limit is read as 0.
    pub fn of_definition(schema: &Value) -> Self {
        read_schema(schema, DEPTH)
    }
}

fn read_schema(value: &Value, depth: usize) -> Schema {
    let (Some(members), Some(depth)) = (value.as_object(), depth.checked_sub(1)) else {
        return Schema {
            boolean: value.as_bool(),
            ..Schema::default()
        };
    };
    let reader = DefinitionReader { members, depth };
    let properties = reader.object("properties").into_iter().flatten();
    let validations = reader.list("x-kubernetes-validations").iter();
    Schema {
        type_: reader.text("type").and_then(|type_| json_type(&type_)),
        unknown_type: reader
            .text("type")
            .filter(|type_| !type_.is_empty() && json_type(type_).is_none()),
        format: reader.text("format"),
        nullable: reader.is_set("nullable"),
        default: reader.get("default").cloned(),
        enum_: reader.list("enum").to_vec(),
        minimum: reader.number("minimum"),
        maximum: reader.number("maximum"),
        exclusive_minimum: reader.is_set("exclusiveMinimum"),
        exclusive_maximum: reader.is_set("exclusiveMaximum"),
        multiple_of: reader.number("multipleOf"),
        min_length: reader.least("minLength"),
        max_length: reader.most("maxLength"),
        pattern: reader.text("pattern").filter(|text| !text.is_empty()),
        items: reader.schema("items").map(Arc::new),
        min_items: reader.least("minItems"),
        max_items: reader.most("maxItems"),
        properties: properties
            .map(|(name, schema)| (name.clone(), Arc::new(read_schema(schema, depth))))
            .collect(),
        required: reader.texts("required").into_iter().collect(),
        additional_properties: reader.schema("additionalProperties").map(Arc::new),
        min_properties: reader.least("minProperties"),
        max_properties: reader.most("maxProperties"),
        all_of: reader.schemas("allOf"),
        any_of: reader.schemas("anyOf"),
        one_of: reader.schemas("oneOf"),
        not: reader.schema("not").map(Box::new),
        int_or_string: reader.is_set("x-kubernetes-int-or-string"),
        preserve_unknown_fields: reader.is_set("x-kubernetes-preserve-unknown-fields"),
        embedded_resource: reader.is_set("x-kubernetes-embedded-resource"),
        list_type: reader.text("x-kubernetes-list-type").and_then(list_type),
        list_map_keys: reader.texts("x-kubernetes-list-map-keys"),
        map_type: reader.text("x-kubernetes-map-type").and_then(map_type),
        validations: validations.map(validation).collect(),
        ..Schema::default()
    }
}

struct DefinitionReader<'v> {
    members: &'v Map<String, Value>,
    depth: usize,
}

impl<'v> DefinitionReader<'v> {
    fn get(&self, name: &str) -> Option<&'v Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    fn text(&self, name: &str) -> Option<String> {
        Some(self.get(name)?.as_str()?.to_owned())
    }

    fn is_set(&self, name: &str) -> bool {
        self.get(name) == Some(&Value::Bool(true))
    }

    fn number(&self, name: &str) -> Option<serde_json::Number> {
        self.get(name)?.as_number().cloned()
    }

    /// Reads a lower limit. A negative limit has no effect.
    fn least(&self, name: &str) -> Option<u64> {
        u64::try_from(self.integer(name)?).ok()
    }

    fn most(&self, name: &str) -> Option<u64> {
        Some(u64::try_from(self.integer(name)?).unwrap_or_default())
    }

    fn integer(&self, name: &str) -> Option<i64> {
        let number = self.get(name)?;
        let float = number.as_f64().filter(|float| float.fract() == 0.0);
        number.as_i64().or(float.map(|float| float as i64))
    }

    fn object(&self, name: &str) -> Option<&'v Map<String, Value>> {
        self.get(name)?.as_object()
    }

    fn list(&self, name: &str) -> &'v [Value] {
        let items = self.get(name).and_then(Value::as_array);
        items.map(Vec::as_slice).unwrap_or_default()
    }

    fn texts(&self, name: &str) -> Vec<String> {
        let texts = self.list(name).iter().filter_map(Value::as_str);
        texts.map(str::to_owned).collect()
    }

    /// Reads a schema, or the boolean in its place. Values of other types count as absent.
    fn schema(&self, name: &str) -> Option<Schema> {
        let value = self.get(name)?;
        let is_schema = value.is_object() || value.is_boolean();
        is_schema.then(|| read_schema(value, self.depth))
    }

    fn schemas(&self, name: &str) -> Vec<Schema> {
        let schemas = self.list(name).iter();
        schemas
            .map(|schema| read_schema(schema, self.depth))
            .collect()
    }
}

fn json_type(type_: &str) -> Option<JsonType> {
    const TYPES: [JsonType; 6] = [
        JsonType::Object,
        JsonType::Array,
        JsonType::String,
        JsonType::Integer,
        JsonType::Number,
        JsonType::Boolean,
    ];
    TYPES.into_iter().find(|known| known.as_str() == type_)
}

#[expect(clippy::needless_pass_by_value, reason = "for `Option::and_then`")]
fn list_type(type_: String) -> Option<ListType> {
    let types = [ListType::Atomic, ListType::Set, ListType::Map];
    types.into_iter().find(|known| known.as_str() == type_)
}

#[expect(clippy::needless_pass_by_value, reason = "for `Option::and_then`")]
fn map_type(type_: String) -> Option<MapType> {
    let types = [MapType::Granular, MapType::Atomic];
    types.into_iter().find(|known| known.as_str() == type_)
}

fn validation(rule: &Value) -> Validation {
    let text = |name: &str| Some(rule.get(name)?.as_str()?.to_owned());
    Validation {
        rule: text("rule").unwrap_or_default(),
        message: text("message"),
        message_expression: text("messageExpression"),
        reason: text("reason"),
        field_path: text("fieldPath"),
        optional_old_self: rule.get("optionalOldSelf").and_then(Value::as_bool),
        source: None,
    }
}
