//! Finder of duplicate keys in YAML mappings, with the messages of Go's strict decoder.

use std::collections::HashSet;
use std::fmt;

use genclient_apimachinery::go::quoted;
use genclient_schema::yaml;
use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::Value;
use serde_saphyr::Spanned;
use serde_saphyr::options::DuplicateKeyPolicy;

fn parse_last_wins<'de, T: Deserialize<'de>>(text: &'de str) -> Option<T> {
    let mut options = yaml::options(text);
    options.duplicate_keys = DuplicateKeyPolicy::LastWins;
    serde_saphyr::from_str_with_options(text, options).ok()
}

/// Parses a YAML text. If a key is repeated, the last value counts.
pub(super) fn parse_value(text: &str) -> Option<Value> {
    parse_last_wins(text)
}

/// Returns a message for each duplicate key, with the line of its value.
pub(super) fn find_repeated_keys(text: &str) -> Vec<String> {
    parse_last_wins(text)
        .map(|Repeated(keys)| keys)
        .unwrap_or_default()
}

/// Messages about the duplicate keys in a YAML value.
#[derive(Default)]
struct Repeated(Vec<String>);

impl<'de> Deserialize<'de> for Repeated {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RepeatedVisitor)
    }
}

struct RepeatedVisitor;

impl<'de> Visitor<'de> for RepeatedVisitor {
    type Value = Repeated;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Repeated, E> {
        Ok(Repeated::default())
    }

    fn visit_none<E>(self) -> Result<Repeated, E> {
        Ok(Repeated::default())
    }

    fn visit_bool<E>(self, _value: bool) -> Result<Repeated, E> {
        Ok(Repeated::default())
    }

    fn visit_i64<E>(self, _value: i64) -> Result<Repeated, E> {
        Ok(Repeated::default())
    }

    fn visit_u64<E>(self, _value: u64) -> Result<Repeated, E> {
        Ok(Repeated::default())
    }

    fn visit_f64<E>(self, _value: f64) -> Result<Repeated, E> {
        Ok(Repeated::default())
    }

    fn visit_str<E>(self, _value: &str) -> Result<Repeated, E> {
        Ok(Repeated::default())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Repeated, A::Error> {
        let mut found = Vec::new();
        while let Some(Repeated(keys)) = items.next_element()? {
            found.extend(keys);
        }
        Ok(Repeated(found))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Repeated, A::Error> {
        let mut found = Vec::new();
        let mut known = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            let value: Spanned<Repeated> = members.next_value()?;
            found.extend(value.value.0);
            let shown = quoted(&key);
            if !known.insert(key) {
                let line = value.referenced.line();
                found.push(format!("line {line}: key {shown} already set in map"));
            }
        }
        Ok(Repeated(found))
    }
}
