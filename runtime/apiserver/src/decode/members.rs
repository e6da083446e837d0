//! Paths of all members in a JSON text, in the order of the text.

use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

/// Returns the path of each member, such as `spec.ports[0].name`, and whether an earlier member of
/// the same object has the same key.
pub(super) fn member_paths(text: &[u8]) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    let mut reader = serde_json::Deserializer::from_slice(text);
    let seed = Members {
        path: String::new(),
        out: &mut out,
    };
    // The text has been parsed before, so parsing does not fail here.
    let _ = seed.deserialize(&mut reader);
    out
}

struct Members<'a> {
    path: String,
    out: &'a mut Vec<(String, bool)>,
}

impl<'de> DeserializeSeed<'de> for Members<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Members<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _value: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _value: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _value: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _value: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _value: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        for index in 0_usize.. {
            let path = format!("{}[{index}]", self.path);
            let out = &mut *self.out;
            if items.next_element_seed(Members { path, out })?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut known = HashSet::new();
        while let Some(name) = members.next_key::<String>()? {
            let path = match &*self.path {
                "" => name.clone(),
                path => format!("{path}.{name}"),
            };
            self.out.push((path.clone(), !known.insert(name)));
            let out = &mut *self.out;
            members.next_value_seed(Members { path, out })?;
        }
        Ok(())
    }
}
