//! YAML documents with their lines.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_saphyr::Spanned;

use super::text::options;

/// A value and the line where it starts; the line of its key, if it has one.
pub(super) struct Place {
    pub(super) line: u64,
    pub(super) node: Marked,
}

/// A YAML value, as far as it leads to lines.
pub(super) enum Marked {
    Map(BTreeMap<String, Place>),
    List(Vec<Place>),
    Text(String),
    Other,
}

/// The documents of a text; none if it cannot be read.
pub(super) fn documents(text: &str) -> Vec<Place> {
    let documents = serde_saphyr::from_multiple_with_options(text, options());
    let documents: Vec<Spanned<Marked>> = documents.unwrap_or_default();
    documents.into_iter().map(Place::from).collect()
}

impl Marked {
    pub(super) fn get(&self, key: &str) -> Option<&Place> {
        match self {
            Self::Map(members) => members.get(key),
            _ => None,
        }
    }

    /// True if the member `key` is the text `value`.
    pub(super) fn has(&self, key: &str, value: &str) -> bool {
        let member = self.get(key).map(|place| &place.node);
        matches!(member, Some(Self::Text(text)) if text == value)
    }

    pub(super) fn members(&self) -> impl Iterator<Item = (&String, &Place)> {
        let members = match self {
            Self::Map(members) => Some(members),
            _ => None,
        };
        members.into_iter().flatten()
    }

    pub(super) fn items(&self) -> &[Place] {
        match self {
            Self::List(items) => items,
            _ => &[],
        }
    }
}

impl From<Spanned<Marked>> for Place {
    fn from(node: Spanned<Marked>) -> Self {
        Self {
            line: node.referenced.line(),
            node: node.value,
        }
    }
}

impl<'de> Deserialize<'de> for Marked {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Reader)
    }
}

struct Reader;

impl<'de> Visitor<'de> for Reader {
    type Value = Marked;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Marked, A::Error> {
        let mut members = BTreeMap::new();
        while let Some(key) = map.next_key::<Spanned<String>>()? {
            let line = key.referenced.line();
            let node = map.next_value()?;
            members.insert(key.value, Place { line, node });
        }
        Ok(Marked::Map(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Marked, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element::<Spanned<Marked>>()? {
            items.push(item.into());
        }
        Ok(Marked::List(items))
    }

    fn visit_str<E>(self, text: &str) -> Result<Marked, E> {
        Ok(Marked::Text(text.to_owned()))
    }

    fn visit_bool<E>(self, _: bool) -> Result<Marked, E> {
        Ok(Marked::Other)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Marked, E> {
        Ok(Marked::Other)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Marked, E> {
        Ok(Marked::Other)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Marked, E> {
        Ok(Marked::Other)
    }

    fn visit_unit<E>(self) -> Result<Marked, E> {
        Ok(Marked::Other)
    }
}
