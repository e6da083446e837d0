//! Schemas of types that well-known crates serialize: by derives of `serde_repr` and `serde_with`,
//! or by modules in `#[serde(with = "…")]`, such as `humantime_serde`.

use genclient_syntax::derives;
use serde_json::Value;
use syn::{Item, ItemEnum};

use super::{Resolver, Slot};
use crate::model::{JsonType, Schema};
use crate::resolve::kind::{attributes, derived};
use crate::sources::ModuleId;

impl Resolver<'_, '_> {
    /// Returns the schema of a kube kind's type that derives a trait of `serde_repr` or
    /// `serde_with`.
    pub(super) fn schema_of_adapter_derive(
        &mut self,
        item: &Item,
        module: ModuleId,
    ) -> Option<Slot> {
        let attrs = attributes(item);
        // The derive may have another name: `use serde_repr::Serialize_repr as SerializeRepr;`.
        let names = self.sources.names(module);
        let is_imported = |alias: &str, name: &str| {
            let mut imports = names.imports(alias);
            imports.any(|import| import.path.last().is_some_and(|last| last == name))
        };
        let is_derived = |name: &str| {
            derives(attrs, name) || derived(attrs).any(|alias| is_imported(&alias, name))
        };
        if !self.from_kube || is_derived("CrdSchema") {
            return None;
        }
        let by = |writes: &str, reads: &str| {
            is_derived(writes) || (is_derived(reads) && !is_derived("Serialize"))
        };
        let mut schema = match item {
            Item::Enum(item) if by("Serialize_repr", "Deserialize_repr") => Schema {
                enum_: self.within(module, |resolver| resolver.discriminants(item))?,
                ..Schema::typed(JsonType::Integer)
            },
            _ if by("SerializeDisplay", "DeserializeFromStr") => Schema::typed(JsonType::String),
            _ => return None,
        };
        schema.description = self.description(attrs);
        Some(Slot::of(schema))
    }

    /// Returns the discriminants of the variants. An implicit discriminant is 0 for the first
    /// variant, and the previous discriminant plus 1 for any other.
    fn discriminants(&self, item: &ItemEnum) -> Option<Vec<Value>> {
        let mut next = 0;
        let numbers = item.variants.iter().map(|variant| {
            let number = match &variant.discriminant {
                Some((_, stated)) => self.value_of(stated)?.as_i64()?,
                None => next,
            };
            next = number.checked_add(1)?;
            Some(number.into())
        });
        numbers.collect()
    }
}

/// Returns the schema of the values that a known module in `#[serde(with = "…")]` writes.
pub(super) fn of_adapter(path: &[String]) -> Option<Schema> {
    let path: Vec<&str> = path.iter().map(String::as_str).collect();
    let schema = match path.as_slice() {
        // No format: humantime writes `1h 30m`, and `duration` does not admit the space.
        ["humantime_serde"] | ["humantime_serde", "option"] => Schema::typed(JsonType::String),
        ["chrono", "serde", name] if timestamp(name) => {
            Schema::formatted(JsonType::Integer, "int64")
        }
        ["uuid", "serde", "hyphenated" | "urn" | "braced" | "simple"] => {
            Schema::typed(JsonType::String)
        }
        _ => return None,
    };
    Some(schema)
}

fn timestamp(name: &str) -> bool {
    let unit = name.strip_suffix("_option").unwrap_or(name);
    let units = [
        "ts_seconds",
        "ts_milliseconds",
        "ts_microseconds",
        "ts_nanoseconds",
    ];
    units.contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::of_adapter;
    use crate::model::JsonType;

    #[test]
    fn serde_adapter_modules_have_known_schemas() {
        let cases = [
            ("humantime_serde", Some("string")),
            ("humantime_serde::option", Some("string")),
            ("humantime_serde::other", None),
            ("chrono::serde::ts_seconds", Some("integer")),
            ("chrono::serde::ts_nanoseconds_option", Some("integer")),
            ("chrono::serde::ts_option", None),
            ("uuid::serde::simple", Some("string")),
            ("uuid::serde::compact", None),
            ("crate::helper", None),
        ];
        for (path, written) in cases {
            let names: Vec<_> = path.split("::").map(str::to_owned).collect();
            let schema = of_adapter(&names).unwrap_or_default();
            assert_eq!(schema.type_.map(JsonType::as_str), written, "{path}");
        }
    }
}
