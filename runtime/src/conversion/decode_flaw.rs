//! [`find_flaw`]: the first value of an object that its type cannot decode, as data.

use std::fmt;

use serde::Deserializer;
use serde::de::value::{MapAccessDeserializer, StrDeserializer};
use serde::de::{self, DeserializeOwned, DeserializeSeed, IntoDeserializer, Visitor};
use serde::forward_to_deserialize_any;
use serde_json::{Number, Value, map};

/// Names of the newtypes by which serde_json's own types ask its deserializer for raw JSON.
const SERDE_JSON_NEWTYPES: &str = "$serde_json::private::";

/// One step of the path to a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathStep {
    Field(String),
    Item(usize),
}

#[derive(Debug, PartialEq)]
pub(super) struct Flaw {
    /// Path of the value. If a type buffers a value before it decodes it, as for
    /// `#[serde(flatten)]`, the path ends at the buffered value.
    pub(super) path: Vec<PathStep>,
    pub(super) kind: FlawKind,
}

#[derive(Debug, PartialEq)]
pub(super) enum FlawKind {
    /// The value is an object without this field.
    Missing(&'static str),
    /// The value names none of these variants.
    UnknownVariant(&'static [&'static str]),
    Other,
}

/// Returns the first flaw that decoding the object as a `K` meets; `None` if there is none.
pub(super) fn find_flaw<K: DeserializeOwned>(object: &Value) -> Option<Flaw> {
    let mut flaw = K::deserialize(Node(object)).err()?;
    // The path was built from the value outwards.
    flaw.path.reverse();
    Some(flaw)
}

impl Flaw {
    fn new(kind: FlawKind) -> Self {
        Self {
            path: Vec::new(),
            kind,
        }
    }

    fn other() -> Self {
        Self::new(FlawKind::Other)
    }

    fn inside(mut self, step: PathStep) -> Self {
        self.path.push(step);
        self
    }
}

impl de::Error for Flaw {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self::other()
    }

    fn missing_field(field: &'static str) -> Self {
        Self::new(FlawKind::Missing(field))
    }

    fn unknown_variant(_: &str, expected: &'static [&'static str]) -> Self {
        Self::new(FlawKind::UnknownVariant(expected))
    }
}

impl std::error::Error for Flaw {}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}

/// A value to decode, with flaws instead of serde_json's errors.
struct Node<'de>(&'de Value);

/// Name of a field as the key of a map, which may be a number, as in serde_json.
struct FieldName<'de>(&'de str);

struct NodeFields<'de> {
    fields: map::Iter<'de>,
    current: Option<(&'de String, &'de Value)>,
}

struct NodeItems<'de> {
    items: std::iter::Enumerate<std::slice::Iter<'de, Value>>,
}

impl<'de> NodeFields<'de> {
    fn new(fields: &'de map::Map<String, Value>) -> Self {
        Self {
            fields: fields.iter(),
            current: None,
        }
    }
}

impl<'de> Deserializer<'de> for Node<'de> {
    type Error = Flaw;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        match self.0 {
            Value::Object(fields) => visitor.visit_map(NodeFields::new(fields)),
            Value::Array(items) => visitor.visit_seq(NodeItems {
                items: items.iter().enumerate(),
            }),
            scalar => scalar.deserialize_any(visitor).map_err(|_| Flaw::other()),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        if self.0.is_null() {
            visitor.visit_none()
        } else {
            visitor.visit_some(self)
        }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        if name.starts_with(SERDE_JSON_NEWTYPES) {
            let decoded = self.0.deserialize_newtype_struct(name, visitor);
            return decoded.map_err(|_| Flaw::other());
        }
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        match self.0 {
            Value::String(variant) => {
                let variant: StrDeserializer<'_, Flaw> = variant.as_str().into_deserializer();
                visitor.visit_enum(variant)
            }
            Value::Object(fields) => {
                visitor.visit_enum(MapAccessDeserializer::new(NodeFields::new(fields)))
            }
            _ => Err(Flaw::other()),
        }
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit
        unit_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

macro_rules! deserialize_numbers {
    ($($method:ident)*) => {$(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
            match serde_json::from_str::<Number>(self.0) {
                Ok(number) => number.deserialize_any(visitor).map_err(|_| Flaw::other()),
                Err(_) => visitor.visit_borrowed_str(self.0),
            }
        }
    )*};
}

impl<'de> Deserializer<'de> for FieldName<'de> {
    type Error = Flaw;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Flaw> {
        visitor.visit_borrowed_str(self.0)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Flaw> {
        let variant: StrDeserializer<'_, Flaw> = self.0.into_deserializer();
        visitor.visit_enum(variant)
    }

    deserialize_numbers! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64
    }

    forward_to_deserialize_any! {
        bool i128 u128 f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple
        tuple_struct map struct identifier ignored_any
    }
}

impl<'de> de::MapAccess<'de> for NodeFields<'de> {
    type Error = Flaw;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Flaw> {
        self.current = self.fields.next();
        let key = self
            .current
            .map(|(name, _)| seed.deserialize(FieldName(name)));
        key.transpose()
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Flaw> {
        let (name, value) = self.current.take().ok_or_else(Flaw::other)?;
        let decoded = seed.deserialize(Node(value));
        decoded.map_err(|flaw| flaw.inside(PathStep::Field(name.clone())))
    }
}

impl<'de> de::SeqAccess<'de> for NodeItems<'de> {
    type Error = Flaw;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Flaw> {
        let Some((at, item)) = self.items.next() else {
            return Ok(None);
        };
        let decoded = seed.deserialize(Node(item));
        decoded
            .map(Some)
            .map_err(|flaw| flaw.inside(PathStep::Item(at)))
    }
}
