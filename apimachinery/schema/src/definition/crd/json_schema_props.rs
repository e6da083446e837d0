//! Raw `JSONSchemaProps` of a CustomResourceDefinition, with keywords that structural schemas lack.

use serde_json::{Map, Value};

/// View of `JSONSchemaProps` with access by keyword.
#[derive(Clone, Copy, Debug)]
pub(super) struct Props<'s> {
    members: &'s Map<String, Value>,
}

/// Value of `additionalProperties` (a schema or a boolean) or of `items` (a schema or a list).
#[derive(Clone, Copy, Debug)]
pub(super) enum SchemaOr<'s, T> {
    Schema(Props<'s>),
    Other(T),
}

impl<'s> Props<'s> {
    pub(super) fn of(value: &'s Value) -> Option<Self> {
        let members = value.as_object()?;
        Some(Self { members })
    }

    /// Returns the value of a keyword; null counts as absent.
    pub(super) fn get(self, name: &str) -> Option<&'s Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    pub(super) fn value(self) -> Value {
        Value::Object(self.members.clone())
    }

    pub(super) fn text(self, name: &str) -> &'s str {
        let text = self.get(name).and_then(Value::as_str);
        text.unwrap_or_default()
    }

    pub(super) fn type_(self) -> &'s str {
        self.text("type")
    }

    pub(super) fn is_set(self, name: &str) -> bool {
        self.get(name) == Some(&Value::Bool(true))
    }

    pub(super) fn list(self, name: &str) -> &'s [Value] {
        let items = self.get(name).and_then(Value::as_array);
        items.map(Vec::as_slice).unwrap_or_default()
    }

    pub(super) fn object(self, name: &str) -> impl Iterator<Item = (&'s str, &'s Value)> {
        let members = self.get(name).and_then(Value::as_object);
        let members = members.into_iter().flatten();
        members.map(|(name, value)| (name.as_str(), value))
    }

    pub(super) fn schemas(self, name: &str) -> impl Iterator<Item = Self> {
        self.list(name).iter().filter_map(Self::of)
    }

    pub(super) fn schema(self, name: &str) -> Option<Self> {
        self.get(name).and_then(Self::of)
    }

    pub(super) fn properties(self) -> impl Iterator<Item = (&'s str, Self)> {
        let schemas = self.object("properties");
        schemas.filter_map(|(name, schema)| Some((name, Self::of(schema)?)))
    }

    pub(super) fn property(self, name: &str) -> Option<Self> {
        Self::of(self.get("properties")?.get(name)?)
    }

    pub(super) fn values(self) -> Option<SchemaOr<'s, bool>> {
        self.get("additionalProperties").and_then(or_bool)
    }

    /// Returns `additionalProperties` if it is a schema.
    pub(super) fn values_schema(self) -> Option<Self> {
        self.values().and_then(SchemaOr::schema)
    }

    pub(super) fn items(self) -> Option<SchemaOr<'s, &'s [Value]>> {
        match self.get("items")? {
            Value::Array(schemas) => Some(SchemaOr::Other(schemas)),
            schema => Self::of(schema).map(SchemaOr::Schema),
        }
    }

    pub(super) fn items_schema(self) -> Option<Self> {
        self.items().and_then(SchemaOr::schema)
    }

    pub(super) fn is_embedded(self) -> bool {
        self.is_set("x-kubernetes-embedded-resource")
    }

    pub(super) fn list_type(self) -> Option<&'s str> {
        self.get("x-kubernetes-list-type")?.as_str()
    }

    pub(super) fn map_type(self) -> Option<&'s str> {
        self.get("x-kubernetes-map-type")?.as_str()
    }

    pub(super) fn rules(self) -> &'s [Value] {
        self.list("x-kubernetes-validations")
    }

    /// Returns this schema and all schemas in it (`SchemaHas`).
    pub(super) fn all(self) -> Vec<Self> {
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
        nested.extend(maps.filter_map(|(_, schema)| Self::of(schema)));
        nested.extend(single.into_iter().filter_map(|name| self.schema(name)));
        nested
    }
}

impl<'s, T> SchemaOr<'s, T> {
    pub(super) fn schema(self) -> Option<Props<'s>> {
        match self {
            Self::Schema(schema) => Some(schema),
            Self::Other(_) => None,
        }
    }
}

fn or_bool(value: &Value) -> Option<SchemaOr<'_, bool>> {
    match value {
        Value::Bool(bool) => Some(SchemaOr::Other(*bool)),
        schema => Props::of(schema).map(SchemaOr::Schema),
    }
}

/// Returns the path of a map entry: `properties[name]`.
pub(super) fn key(path: &str, keyword: &str, name: &str) -> String {
    format!("{path}.{keyword}[{name}]")
}
