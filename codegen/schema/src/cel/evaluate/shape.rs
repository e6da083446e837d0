//! What the values of a schema are to CEL (k8s.io/apiserver/pkg/cel/common, `UnstructuredToVal`).

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Map as JsonMap, Value as Json};

use super::list::{List, TypedList};
use super::map::Map;
use super::native::Native;
use super::time;
use super::value::{Text, Value};
use crate::cel::names;
use crate::cel::parse::RESERVED;
use crate::{JsonType, ListType, Schema};

/// A schema, reduced to what makes values of data.
#[derive(Debug)]
pub(super) struct Shape {
    kind: Kind,
    nullable: bool,
}

#[derive(Debug)]
enum Kind {
    IntOrString,
    Object(Fields),
    Array(Option<Arc<Shape>>, Merge),
    Text(Format),
    Number,
    Integer,
    Boolean,
    Preserved,
    Unknown,
}

#[derive(Debug)]
enum Merge {
    Atomic,
    Set,
    /// The keys as CEL writes them.
    Map(Vec<String>),
}

#[derive(Debug)]
enum Format {
    Plain,
    Duration,
    Date,
    DateTime,
    Byte,
}

/// The values of an object or a map.
#[derive(Debug)]
pub(super) enum Fields {
    /// Properties by their names.
    Properties(BTreeMap<String, Arc<Shape>>),
    /// Values of any key.
    Values(Arc<Shape>),
    /// Nothing is declared.
    None,
}

impl Shape {
    /// The shape of a schema; that of a resource has type and metadata.
    pub(super) fn of(schema: &Schema, resource: bool) -> Self {
        let resource = resource || schema.embedded_resource;
        Self {
            kind: kind(schema, resource),
            nullable: schema.nullable,
        }
    }

    fn plain(kind: Kind) -> Self {
        Self {
            kind,
            nullable: false,
        }
    }

    /// The value of data.
    pub(super) fn value<'a>(&'a self, data: Native<'a>) -> Value<'a> {
        if let Native::Nil = data {
            return match self.nullable {
                true => Value::Null,
                false => Value::error("invalid data, got null for schema with nullable=false"),
            };
        }
        match &self.kind {
            Kind::IntOrString => match data {
                Native::Text(_) | Native::Int(_) => data.value(),
                _ => Value::error(
                    "invalid data, expected XIntOrString value to be either a string or integer",
                ),
            },
            Kind::Object(fields) => match data {
                Native::Object(members) => Value::Map(Map::Typed(members, fields)),
                _ => Value::error(
                    "invalid data, expected a map for the provided schema with type=object",
                ),
            },
            Kind::Array(items, merge) => array(items.as_deref(), merge, data),
            Kind::Text(format) => match data {
                Native::Text(text) => formatted(format, text),
                other => unexpected("string", &other),
            },
            Kind::Number => match data {
                #[expect(clippy::cast_precision_loss, reason = "converted as Go does")]
                Native::Int(value) => Value::Double(value as f64),
                Native::Double(value) => Value::Double(value),
                other => unexpected("float", &other),
            },
            Kind::Integer => match data {
                Native::Int(value) => Value::Int(value),
                other => unexpected("int", &other),
            },
            Kind::Boolean => match data {
                Native::Bool(value) => Value::Bool(value),
                other => unexpected("bool", &other),
            },
            Kind::Preserved => Value::Preserved(Rc::new(data)),
            Kind::Unknown => Value::error(
                "invalid type, expected object, array, number, integer, boolean or string, or no \
                 type with x-kubernetes-int-or-string or x-kubernetes-preserve-unknown-fields is \
                 true, got ",
            ),
        }
    }
}

fn unexpected<'a>(expected: &str, data: &Native<'a>) -> Value<'a> {
    let found = data.go_type();
    Value::error(format!("invalid data, expected {expected}, got {found}"))
}

fn kind(schema: &Schema, resource: bool) -> Kind {
    if schema.int_or_string {
        return Kind::IntOrString;
    }
    match schema.type_ {
        Some(JsonType::Object) => Kind::Object(fields(schema, resource)),
        Some(JsonType::Array) => Kind::Array(
            schema
                .items
                .as_deref()
                .map(|items| Arc::new(Shape::of(items, false))),
            match schema.list_type {
                Some(ListType::Set) => Merge::Set,
                Some(ListType::Map) => {
                    let keys = schema.list_map_keys.iter();
                    Merge::Map(
                        keys.map(|key| names::escape(key).unwrap_or_else(|| key.clone()))
                            .collect(),
                    )
                }
                Some(ListType::Atomic) | None => Merge::Atomic,
            },
        ),
        Some(JsonType::String) => Kind::Text(match schema.format.as_deref() {
            Some("duration") => Format::Duration,
            Some("date") => Format::Date,
            Some("date-time") => Format::DateTime,
            Some("byte") => Format::Byte,
            _ => Format::Plain,
        }),
        Some(JsonType::Number) => Kind::Number,
        Some(JsonType::Integer) => Kind::Integer,
        Some(JsonType::Boolean) => Kind::Boolean,
        None if schema.preserve_unknown_fields => Kind::Preserved,
        None => Kind::Unknown,
    }
}

fn fields(schema: &Schema, resource: bool) -> Fields {
    let shape = |schema: &Arc<Schema>| Arc::new(Shape::of(schema, false));
    if resource || !schema.properties.is_empty() {
        let mut properties: BTreeMap<_, _> = schema
            .properties
            .iter()
            .map(|(name, property)| (name.clone(), shape(property)))
            .collect();
        if resource && !has_metadata(schema) {
            let text = Arc::new(Shape::plain(Kind::Text(Format::Plain)));
            let names = ["name", "generateName"].map(|name| (name.to_owned(), text.clone()));
            let metadata = Shape::plain(Kind::Object(Fields::Properties(names.into())));
            properties.insert("kind".to_owned(), text.clone());
            properties.insert("apiVersion".to_owned(), text);
            properties.insert("metadata".to_owned(), Arc::new(metadata));
        }
        return Fields::Properties(properties);
    }
    match &schema.additional_properties {
        Some(values) => Fields::Values(shape(values)),
        None => Fields::None,
    }
}

/// True if the schema declares all that every resource has (`model.WithTypeAndObjectMeta`).
fn has_metadata(schema: &Schema) -> bool {
    let typed = |schema: &Schema, name: &str, type_| {
        let property = schema.properties.get(name);
        property.is_some_and(|property| property.type_ == Some(type_))
    };
    let metadata = schema.properties.get("metadata");
    typed(schema, "kind", JsonType::String)
        && typed(schema, "apiVersion", JsonType::String)
        && typed(schema, "metadata", JsonType::Object)
        && metadata.is_some_and(|metadata| {
            typed(metadata, "name", JsonType::String)
                && typed(metadata, "generateName", JsonType::String)
        })
}

fn array<'a>(items: Option<&'a Shape>, merge: &'a Merge, data: Native<'a>) -> Value<'a> {
    let elements = match data {
        Native::Array(elements) => elements,
        _ => {
            return Value::error(
                "invalid data, expected an array for the provided schema with type=array",
            );
        }
    };
    let Some(items) = items else {
        return Value::error("invalid array type, expected Items with a non-empty Schema");
    };
    Value::List(List::Typed(match merge {
        Merge::Atomic => TypedList::atomic(elements, items),
        Merge::Set => TypedList::set(elements, items),
        Merge::Map(keys) => TypedList::map(elements, items, keys),
    }))
}

fn formatted<'a>(format: &Format, text: Text<'a>) -> Value<'a> {
    match format {
        Format::Plain => Value::Text(text),
        Format::Duration => match time::lenient_duration(&text) {
            Ok(duration) => Value::Duration(duration),
            Err(error) => Value::error(format!("Invalid duration {}: {error}", &*text)),
        },
        Format::Date => match time::date(&text) {
            Ok(date) => Value::Timestamp(date),
            Err(error) => {
                Value::error(format!("Invalid date formatted string {}: {error}", &*text))
            }
        },
        Format::DateTime => match time::date_time(&text) {
            Ok(time) => Value::Timestamp(time),
            Err(error) => Value::error(format!(
                "Invalid date-time formatted string {}: {error}",
                &*text
            )),
        },
        Format::Byte => match super::base64::decode_url(&text) {
            Ok(bytes) => Value::Bytes(Rc::from(bytes)),
            Err(at) => Value::error(format!(
                "Invalid byte formatted string {}: illegal base64 data at input byte {at}",
                &*text
            )),
        },
    }
}

impl Fields {
    /// True if the schema says something of a member.
    pub(super) fn declares(&self, name: &str) -> bool {
        match self {
            Self::Properties(properties) => properties.contains_key(name),
            Self::Values(_) => true,
            Self::None => false,
        }
    }

    /// The value of a member by the name that a rule uses.
    pub(super) fn find<'a>(
        &'a self,
        members: &'a JsonMap<String, Json>,
        name: &str,
    ) -> Option<Value<'a>> {
        match self {
            Self::Properties(properties) => {
                let name = unescape(name)?;
                let member = members.get(&name)?;
                if member.is_null() {
                    return None;
                }
                Some(properties.get(&name)?.value(Native::from(member)))
            }
            Self::Values(values) => Some(values.value(Native::from(members.get(name)?))),
            Self::None => None,
        }
    }

    /// The keys that a loop goes through: those that are not declared come last, as null.
    pub(super) fn keys<'a>(&self, members: &'a JsonMap<String, Json>) -> Vec<Value<'a>> {
        let written = |name: &'a String| match self {
            Self::Properties(_) => match names::escape(name) {
                Some(escaped) if escaped != *name => Value::text(escaped),
                _ => Value::Text(Text::Borrowed(name)),
            },
            _ => Value::Text(Text::Borrowed(name)),
        };
        let declared = members.keys().filter(|name| self.declares(name));
        let mut keys: Vec<_> = declared.map(written).collect();
        keys.resize_with(members.len(), || Value::Null);
        keys
    }
}

/// The property that a name in a rule stands for (k8s.io/apiserver/pkg/cel, `Unescape`).
fn unescape(name: &str) -> Option<String> {
    if !name.contains("__") {
        return Some(name.to_owned());
    }
    let (mut out, mut rest) = (String::new(), name);
    while let Some(start) = rest.find("__") {
        let inner = &rest[start + 2..];
        let word = inner.find('_').unwrap_or(inner.len());
        let Some(after) = inner[word..].strip_prefix("__").filter(|_| word > 0) else {
            out.push_str(&rest[..=start]);
            rest = &rest[start + 1..];
            continue;
        };
        out.push_str(&rest[..start]);
        let whole = word + 4 == name.len();
        out.push_str(match &inner[..word] {
            "underscores" => "__",
            "dot" => ".",
            "dash" => "-",
            "slash" => "/",
            reserved if whole && RESERVED.contains(&reserved) => reserved,
            _ => return None,
        });
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}
