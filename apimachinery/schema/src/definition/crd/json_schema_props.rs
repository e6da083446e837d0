//! Raw `JSONSchemaProps` of a CustomResourceDefinition: access by keyword, with keywords that
//! structural schemas lack, and formatting as Go prints the API server's internal type.

use genclient_apimachinery::go::{json, json_list, json_struct};
use serde_json::{Map, Value};

/// View of `JSONSchemaProps` with access by keyword.
#[derive(Clone, Copy, Debug)]
pub(super) struct JsonSchemaProps<'s> {
    members: &'s Map<String, Value>,
}

/// Value of `additionalProperties` (a schema or a boolean) or of `items` (a schema or a list).
#[derive(Clone, Copy, Debug)]
pub(super) enum JsonSchemaPropsOr<'s, T> {
    Schema(JsonSchemaProps<'s>),
    Other(T),
}

impl<'s> JsonSchemaProps<'s> {
    pub fn from_value(value: &'s Value) -> Option<Self> {
        let members = value.as_object()?;
        Some(Self { members })
    }

    /// Returns the value of a keyword; null counts as absent.
    pub fn get(self, name: &str) -> Option<&'s Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    pub fn value(self) -> Value {
        Value::Object(self.members.clone())
    }

    pub fn text(self, name: &str) -> &'s str {
        let text = self.get(name).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    pub fn type_(self) -> &'s str {
        self.text("type")
    }

    pub fn is_set(self, name: &str) -> bool {
        self.get(name) == Some(&Value::Bool(true))
    }

    pub fn list(self, name: &str) -> &'s [Value] {
        let items = self.get(name).and_then(Value::as_array);
        items.map(Vec::as_slice).unwrap_or_default()
    }

    pub fn object(self, name: &str) -> impl Iterator<Item = (&'s str, &'s Value)> {
        let members = self
            .get(name)
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        members.map(|(name, value)| (name.as_str(), value))
    }

    pub fn schemas(self, name: &str) -> impl Iterator<Item = Self> {
        self.list(name).iter().filter_map(Self::from_value)
    }

    pub fn schema(self, name: &str) -> Option<Self> {
        self.get(name).and_then(Self::from_value)
    }

    pub fn properties(self) -> impl Iterator<Item = (&'s str, Self)> {
        let schemas = self.object("properties");
        schemas.filter_map(|(name, schema)| Some((name, Self::from_value(schema)?)))
    }

    pub fn property(self, name: &str) -> Option<Self> {
        Self::from_value(self.get("properties")?.get(name)?)
    }

    pub fn values(self) -> Option<JsonSchemaPropsOr<'s, bool>> {
        self.get("additionalProperties").and_then(or_bool)
    }

    /// Returns `additionalProperties` if it is a schema.
    pub fn values_schema(self) -> Option<Self> {
        self.values().and_then(JsonSchemaPropsOr::schema)
    }

    pub fn items(self) -> Option<JsonSchemaPropsOr<'s, &'s [Value]>> {
        match self.get("items")? {
            Value::Array(schemas) => Some(JsonSchemaPropsOr::Other(schemas)),
            schema => Self::from_value(schema).map(JsonSchemaPropsOr::Schema),
        }
    }

    pub fn items_schema(self) -> Option<Self> {
        self.items().and_then(JsonSchemaPropsOr::schema)
    }

    pub fn is_embedded(self) -> bool {
        self.is_set("x-kubernetes-embedded-resource")
    }

    pub fn list_type(self) -> Option<&'s str> {
        self.get("x-kubernetes-list-type")?.as_str()
    }

    pub fn map_type(self) -> Option<&'s str> {
        self.get("x-kubernetes-map-type")?.as_str()
    }

    pub fn rules(self) -> &'s [Value] {
        self.list("x-kubernetes-validations")
    }

    /// Returns this schema and all schemas in it (`SchemaHas`).
    pub fn all_schemas(self) -> Vec<Self> {
        let mut found = Vec::new();
        let mut rest = vec![self];
        while let Some(schema) = rest.pop() {
            found.push(schema);
            rest.extend(schema.nested());
        }
        found
    }

    fn nested(self) -> Vec<Self> {
        let lists = ["allOf", "anyOf", "oneOf", "items"].into_iter();
        let maps = [
            "properties",
            "patternProperties",
            "definitions",
            "dependencies",
        ];
        let single = ["not", "additionalProperties", "additionalItems", "items"];
        let mut nested: Vec<_> = lists.flat_map(|name| self.schemas(name)).collect();
        let maps = maps.into_iter().flat_map(|name| self.object(name));
        nested.extend(maps.filter_map(|(_, schema)| Self::from_value(schema)));
        nested.extend(single.into_iter().filter_map(|name| self.schema(name)));
        nested
    }
}

impl<'s, T> JsonSchemaPropsOr<'s, T> {
    pub fn schema(self) -> Option<JsonSchemaProps<'s>> {
        match self {
            Self::Schema(schema) => Some(schema),
            Self::Other(_) => None,
        }
    }
}

fn or_bool(value: &Value) -> Option<JsonSchemaPropsOr<'_, bool>> {
    match value {
        Value::Bool(bool) => Some(JsonSchemaPropsOr::Other(*bool)),
        schema => JsonSchemaProps::from_value(schema).map(JsonSchemaPropsOr::Schema),
    }
}

/// Returns the path of a map entry: `properties[name]`.
pub(super) fn key(path: &str, keyword: &str, name: &str) -> String {
    format!("{path}.{keyword}[{name}]")
}

/// The Go type of a field.
#[derive(Clone, Copy)]
pub(super) enum GoFieldType {
    Text,
    Flag,
    /// A pointer, printed as null if the field is absent.
    Value,
    List,
    Schema,
    Schemas,
    Map,
    OrBool,
    OrArray,
    Dependencies,
    Docs,
    Rules,
}

/// Keywords as Go's `JSONSchemaProps` declares them: the name of the field, that in JSON, and the
/// type.
pub(super) const KEYWORDS: [(&str, &str, GoFieldType); 44] = [
    ("ID", "id", GoFieldType::Text),
    ("Schema", "$schema", GoFieldType::Text),
    ("Ref", "$ref", GoFieldType::Value),
    ("Description", "description", GoFieldType::Text),
    ("Type", "type", GoFieldType::Text),
    ("Nullable", "nullable", GoFieldType::Flag),
    ("Format", "format", GoFieldType::Text),
    ("Title", "title", GoFieldType::Text),
    ("Default", "default", GoFieldType::Value),
    ("Maximum", "maximum", GoFieldType::Value),
    ("ExclusiveMaximum", "exclusiveMaximum", GoFieldType::Flag),
    ("Minimum", "minimum", GoFieldType::Value),
    ("ExclusiveMinimum", "exclusiveMinimum", GoFieldType::Flag),
    ("MaxLength", "maxLength", GoFieldType::Value),
    ("MinLength", "minLength", GoFieldType::Value),
    ("Pattern", "pattern", GoFieldType::Text),
    ("MaxItems", "maxItems", GoFieldType::Value),
    ("MinItems", "minItems", GoFieldType::Value),
    ("UniqueItems", "uniqueItems", GoFieldType::Flag),
    ("MultipleOf", "multipleOf", GoFieldType::Value),
    ("Enum", "enum", GoFieldType::List),
    ("MaxProperties", "maxProperties", GoFieldType::Value),
    ("MinProperties", "minProperties", GoFieldType::Value),
    ("Required", "required", GoFieldType::List),
    ("Items", "items", GoFieldType::OrArray),
    ("AllOf", "allOf", GoFieldType::Schemas),
    ("OneOf", "oneOf", GoFieldType::Schemas),
    ("AnyOf", "anyOf", GoFieldType::Schemas),
    ("Not", "not", GoFieldType::Schema),
    ("Properties", "properties", GoFieldType::Map),
    (
        "AdditionalProperties",
        "additionalProperties",
        GoFieldType::OrBool,
    ),
    ("PatternProperties", "patternProperties", GoFieldType::Map),
    ("Dependencies", "dependencies", GoFieldType::Dependencies),
    ("AdditionalItems", "additionalItems", GoFieldType::OrBool),
    ("Definitions", "definitions", GoFieldType::Map),
    ("ExternalDocs", "externalDocs", GoFieldType::Docs),
    ("Example", "example", GoFieldType::Value),
    (
        "XPreserveUnknownFields",
        "x-kubernetes-preserve-unknown-fields",
        GoFieldType::Value,
    ),
    (
        "XEmbeddedResource",
        "x-kubernetes-embedded-resource",
        GoFieldType::Flag,
    ),
    (
        "XIntOrString",
        "x-kubernetes-int-or-string",
        GoFieldType::Flag,
    ),
    (
        "XListMapKeys",
        "x-kubernetes-list-map-keys",
        GoFieldType::List,
    ),
    ("XListType", "x-kubernetes-list-type", GoFieldType::Value),
    ("XMapType", "x-kubernetes-map-type", GoFieldType::Value),
    (
        "XValidations",
        "x-kubernetes-validations",
        GoFieldType::Rules,
    ),
];

pub(super) fn print_schema(schema: JsonSchemaProps<'_>) -> String {
    json_struct(KEYWORDS.into_iter().map(|(name, keyword, kind)| {
        let value = schema.get(keyword);
        let printed = match kind {
            GoFieldType::Text => json(value.unwrap_or(&"".into())),
            GoFieldType::Flag => json(value.unwrap_or(&false.into())),
            GoFieldType::Value | GoFieldType::List => json(value.unwrap_or(&Value::Null)),
            GoFieldType::Schema => print_value(value),
            GoFieldType::Schemas => json_list(value, |it| print_value(Some(it))),
            GoFieldType::Map => print_map(value, |it| print_value(Some(it))),
            GoFieldType::OrBool => print_or_bool(value),
            GoFieldType::OrArray => {
                value.map_or("null".to_owned(), |_| print_items(schema.items()))
            }
            GoFieldType::Dependencies => print_map(value, print_dependency),
            GoFieldType::Docs => value.map_or("null".to_owned(), |docs| {
                let text = |name: &str| json(docs.get(name).unwrap_or(&"".into()));
                json_struct([("Description", text("description")), ("URL", text("url"))])
            }),
            GoFieldType::Rules => json_list(value, print_rule),
        };
        (name, printed)
    }))
}

pub(super) fn print_rule(rule: &Value) -> String {
    let text = |name: &str| json(rule.get(name).unwrap_or(&"".into()));
    let pointer = |name: &str| json(rule.get(name).unwrap_or(&Value::Null));
    json_struct([
        ("Rule", text("rule")),
        ("Message", text("message")),
        ("MessageExpression", text("messageExpression")),
        ("Reason", pointer("reason")),
        ("FieldPath", text("fieldPath")),
        ("OptionalOldSelf", pointer("optionalOldSelf")),
    ])
}

pub(super) fn print_items(items: Option<JsonSchemaPropsOr<'_, &[Value]>>) -> String {
    let (one, several) = match items {
        Some(JsonSchemaPropsOr::Schema(one)) => (print_schema(one), "null".to_owned()),
        Some(JsonSchemaPropsOr::Other(several)) => {
            let several: Vec<_> = several.iter().map(|it| print_value(Some(it))).collect();
            ("null".to_owned(), format!("[{}]", several.join(",")))
        }
        None => return "null".to_owned(),
    };
    json_struct([("Schema", one), ("JSONSchemas", several)])
}

pub(super) fn print_value(value: Option<&Value>) -> String {
    let schema = value
        .and_then(JsonSchemaProps::from_value)
        .map(print_schema);
    schema.unwrap_or_else(|| "null".to_owned())
}

fn print_or_bool(value: Option<&Value>) -> String {
    let (allows, schema) = match value {
        None => return "null".to_owned(),
        Some(Value::Bool(allows)) => (*allows, "null".to_owned()),
        Some(schema) => (true, print_value(Some(schema))),
    };
    json_struct([("Allows", allows.to_string()), ("Schema", schema)])
}

fn print_dependency(value: &Value) -> String {
    let (schema, names) = match value {
        Value::Array(_) => ("null".to_owned(), json(value)),
        schema => (print_value(Some(schema)), "null".to_owned()),
    };
    json_struct([("Schema", schema), ("Property", names)])
}

fn print_map(value: Option<&Value>, print: impl Fn(&Value) -> String) -> String {
    let members = value.and_then(Value::as_object);
    members.map_or("null".to_owned(), |members| {
        let member = |(name, value): (&String, &Value)| {
            format!("{}:{}", json(&name.as_str().into()), print(value))
        };
        let members: Vec<_> = members.iter().map(member).collect();
        format!("{{{}}}", members.join(","))
    })
}
