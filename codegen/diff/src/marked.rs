//! YAML documents with line numbers.

use std::collections::BTreeMap;
use std::fmt;

use genclient_schema::yaml;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

/// A value with the line of its key, or with the line where the value starts if it has no key.
pub(super) struct Marked {
    pub(super) line: u64,
    pub(super) value: MarkedValue,
}

/// A YAML value, reduced to what line lookups need.
pub(super) enum MarkedValue {
    Map(BTreeMap<String, Marked>),
    List(Vec<Marked>),
    Text(String),
    Other,
}

/// The documents of a text; empty if the text cannot be parsed.
pub(super) fn documents(text: &str) -> Vec<Marked> {
    let documents: Vec<Spanned<MarkedValue>> = yaml::documents(text, "").unwrap_or_default();
    documents.into_iter().map(Marked::from).collect()
}

impl MarkedValue {
    pub(super) fn get(&self, key: &str) -> Option<&Marked> {
        match self {
            Self::Map(members) => members.get(key),
            _ => None,
        }
    }

    /// True if the property `key` is the string `value`.
    pub(super) fn has(&self, key: &str, value: &str) -> bool {
        let member = self.get(key).map(|member| &member.value);
        matches!(member, Some(Self::Text(text)) if text == value)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&String, &Marked)> {
        let members = match self {
            Self::Map(members) => Some(members),
            _ => None,
        };
        members.into_iter().flatten()
    }

    pub(super) fn items(&self) -> &[Marked] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }
}

impl From<Spanned<MarkedValue>> for Marked {
    fn from(spanned: Spanned<MarkedValue>) -> Self {
        Self {
            line: spanned.referenced.line(),
            value: spanned.value,
        }
    }
}

impl<'de> Deserialize<'de> for MarkedValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(MarkedVisitor)
    }
}

struct MarkedVisitor;

impl<'de> Visitor<'de> for MarkedVisitor {
    type Value = MarkedValue;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<MarkedValue, A::Error> {
        let mut members = BTreeMap::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let line = key.referenced.line();
            let value = map.next_value()?;
            members.insert(key.value, Marked { line, value });
        }
        Ok(MarkedValue::Map(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<MarkedValue, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Spanned<MarkedValue>>()? {
            items.push(item.into());
        }
        Ok(MarkedValue::List(items))
    }

    fn visit_str<E>(self, text: &str) -> Result<MarkedValue, E> {
        Ok(MarkedValue::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<MarkedValue, E> {
        Ok(MarkedValue::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<MarkedValue, E> {
        Ok(MarkedValue::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<MarkedValue, E> {
        Ok(MarkedValue::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<MarkedValue, E> {
        Ok(MarkedValue::Other)
    }

    fn visit_unit<E>(self) -> Result<MarkedValue, E> {
        Ok(MarkedValue::Other)
    }
}
