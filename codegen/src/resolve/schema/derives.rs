//! Schemas of types with derives of `serde_repr` and `serde_with`.

use genclient_syntax::derives;
use serde_json::Value;
use syn::{Item, ItemEnum};

use super::{Resolver, Slot};
use crate::model::{JsonType, Schema};
use crate::resolve::kind::{attributes, derived};
use crate::sources::ModuleId;

impl Resolver<'_, '_> {
    /// Returns the schema of a kube type that derives these traits in place of serde's.
    pub(super) fn derived_otherwise(&mut self, item: &Item, module: ModuleId) -> Option<Slot> {
        let attrs = attributes(item);
        // `use serde_repr::Serialize_repr as SerializeRepr;`
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

    /// Returns the discriminants of the variants; an implicit one is the previous one plus 1.
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
