//! Bodies of requests: JSON and YAML read into values, with the fields that are written twice.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// Longest body that is read.
pub(crate) const LIMIT: usize = 3 * 1024 * 1024;

/// How many fields that are written twice are reported (sigs.k8s.io/json).
const MOST_DUPLICATES: usize = 100;

/// A decoded body.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Decoded {
    pub(crate) value: Value,
    /// Paths of the fields that are written more than once.
    pub(crate) duplicates: Vec<String>,
}

impl Decoded {
    /// The findings of duplicate fields, sorted.
    pub(crate) fn duplicate_fields(&self) -> Vec<String> {
        let paths = self.duplicates.iter();
        let mut findings: Vec<_> = paths
            .map(|path| format!("duplicate field \"{path}\""))
            .collect();
        findings.sort();
        findings
    }
}

/// Reads JSON; of a field that is written twice, the last value counts.
pub(crate) fn json(text: &[u8]) -> Result<Decoded, serde_json::Error> {
    let duplicates = RefCell::default();
    let mut reader = serde_json::Deserializer::from_slice(text);
    let seed = Part {
        path: String::new(),
        duplicates: &duplicates,
    };
    let value = seed.deserialize(&mut reader)?;
    reader.end()?;
    Ok(Decoded {
        value,
        duplicates: duplicates.into_inner(),
    })
}

struct Part<'a> {
    path: String,
    duplicates: &'a RefCell<Vec<String>>,
}

impl<'de> DeserializeSeed<'de> for Part<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Part<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    /// Above 63 bits it is a double, as in Kubernetes' JSON.
    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(match i64::try_from(value) {
            Ok(value) => value.into(),
            #[expect(
                clippy::cast_precision_loss,
                reason = "a double is what Kubernetes keeps"
            )]
            Err(_) => number(value as f64),
        })
    }

    /// A double without a fraction is kept as a whole number if it fits, as Go prints it.
    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        loop {
            let path = format!("{}[{}]", self.path, list.len());
            let duplicates = self.duplicates;
            match items.next_element_seed(Part { path, duplicates })? {
                Some(item) => list.push(item),
                None => return Ok(Value::Array(list)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let path = match &*self.path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            };
            let duplicates = self.duplicates;
            if map.contains_key(&name) {
                let mut duplicates = duplicates.borrow_mut();
                if duplicates.len() < MOST_DUPLICATES && !duplicates.contains(&path) {
                    duplicates.push(path.clone());
                }
            }
            let value = members.next_value_seed(Part { path, duplicates })?;
            map.insert(name, value);
        }
        Ok(Value::Object(map))
    }
}

/// A number as Go's JSON writes it: without a fraction if it has none and is below 10²¹.
fn number(value: f64) -> Value {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be whole and in range"
    )]
    if value.fract() == 0.0 && value.abs() < 9.2e18 {
        return (value as i64).into();
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

/// Reads YAML, or JSON, which YAML holds.
pub(crate) fn yaml(text: &[u8]) -> Result<Decoded, String> {
    if let Ok(decoded) = json(text) {
        return Ok(decoded);
    }
    let text = std::str::from_utf8(text).map_err(|error| error.to_string())?;
    let value = serde_saphyr::from_str(text).map_err(|error| error.to_string())?;
    let duplicates = Vec::new();
    Ok(Decoded { value, duplicates })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn fields_written_twice_are_named() {
        let text = br#"{"a":1,"spec":{"b":[{"c":1,"c":2}],"b":[{"c":3,"c":4,"c":5}]},"a":2}"#;
        let decoded = json(text).unwrap();
        assert_eq!(decoded.value, json!({"a": 2, "spec": {"b": [{"c": 5}]}}));
        assert_eq!(decoded.duplicates, ["spec.b[0].c", "spec.b", "a"]);
    }

    #[test]
    fn numbers_are_kept_as_go_keeps_them() {
        let decoded = json(b"[1.0, 1e3, 12345678901234567890, 0.11072195482766456, -0.0]").unwrap();
        assert_eq!(
            decoded.value.to_string(),
            "[1,1000,1.2345678901234567e+19,0.11072195482766456,0]"
        );
    }
}
