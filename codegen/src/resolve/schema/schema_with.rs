//! `#[schemars(schema_with = "..")]` and hand-written `JsonSchema`, whose code makes the schema.

use genclient_syntax::{Spanned, derives};
use serde_json::{Map, Value};
use syn::{Block, ImplItem, Item, Type};

use super::{Resolver, Slot, generics};
use crate::model::Schema;
use crate::resolve::kind::attributes;
use crate::resolve::paths;
use crate::sources::ModuleId;

impl<'a> Resolver<'a, '_> {
    /// The schema that the function makes, as far as its source is the schema.
    pub(super) fn made_by(&mut self, function: &Spanned<String>) -> Schema {
        if let Some(schema) = self.written_in(&function.value) {
            return schema;
        }
        self.report(
            &function.span,
            format!(
                "what `{}` makes of the schema is known only when the program runs",
                function.value
            ),
            "let it return `json_schema!({ .. })` and nothing else, or state the schema: `#[crd(schema = { .. })]` below a derived `CrdSchema`",
        );
        Schema::default()
    }

    fn written_in(&mut self, function: &str) -> Option<Schema> {
        let path = syn::parse_str(function).ok()?;
        schema(self.returned(&path)?)
    }

    /// The schema of a type of kube's that implements `JsonSchema` by hand, if its source tells.
    pub(super) fn described_by_hand(&mut self, item: &'a Item, module: ModuleId) -> Option<Slot> {
        let is_derived = |name: &&str| derives(attributes(item), name);
        let is_of_kube = self.from_kube && !["JsonSchema", "CrdSchema"].iter().any(is_derived);
        let generics = generics::of_item(item);
        let is_one = generics.is_none_or(|generics| generics.params.is_empty());
        let block = self.json_schema_of(item, module);
        let block = block.filter(|_| is_of_kube && is_one)?;
        self.schema_of_block(block, module)
            .and_then(schema)
            .map(Slot::of)
    }

    /// The body of `json_schema` in the `impl JsonSchema` of a type.
    fn json_schema_of(&self, item: &Item, module: ModuleId) -> Option<&'a Block> {
        let name = paths::item_name(item)?;
        let mut items = self.sources[module].items.iter();
        let members = items.find_map(|item| {
            let Item::Impl(block) = item else { return None };
            let (of, _) = block.trait_.as_ref()?;
            let Type::Path(this) = &*block.self_ty else {
                return None;
            };
            let is_of_type = this.path.segments.last()?.ident == name;
            (is_of_type && of.segments.last()?.ident == "JsonSchema").then_some(&block.items)
        })?;
        members.iter().find_map(|member| match member {
            ImplItem::Fn(function) if function.sig.ident == "json_schema" => Some(&function.block),
            _ => None,
        })
    }
}

fn schema(value: Value) -> Option<Schema> {
    serde_json::from_value(without_unknown(value)).ok()
}

/// Keys that no CRD has are left out, as kube does.
fn without_unknown(value: Value) -> Value {
    let Value::Object(members) = value else {
        return value;
    };
    let mut kept = Map::new();
    for (key, value) in members {
        let value = match (key.as_str(), value) {
            ("properties", Value::Object(properties)) => {
                let properties = properties.into_iter();
                Value::Object(
                    properties
                        .map(|(name, schema)| (name, without_unknown(schema)))
                        .collect(),
                )
            }
            ("items" | "additionalProperties" | "not", schema) => without_unknown(schema),
            ("allOf" | "anyOf" | "oneOf", Value::Array(schemas)) => {
                schemas.into_iter().map(without_unknown).collect()
            }
            (_, value) => value,
        };
        let alone = Value::Object(Map::from_iter([(key.clone(), value.clone())]));
        let known = serde_json::from_value::<Schema>(alone);
        let unknown = known.is_err_and(|error| error.to_string().starts_with("unknown field"));
        if !unknown && !value.is_null() {
            kept.insert(key, value);
        }
    }
    Value::Object(kept)
}
