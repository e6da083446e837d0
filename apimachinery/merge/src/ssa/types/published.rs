//! Types of built-in kinds for server-side apply, built from the schemas that the API server
//! publishes.

use std::collections::BTreeMap;
use std::sync::Arc;

use genclient_schema::{JsonType, kubernetes};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Atom, DEDUCED, List, ListMerge, Map, Scalar, TypeId, Types, UNTYPED, scalar, schemaless_atom,
};

/// Published definitions whose type for server-side apply does not follow from their schema.
///
/// Source: kube-openapi, pkg/schemaconv/smd.go.
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";

/// Keywords of a published schema that determine the type for server-side apply.
#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Published<'a> {
    #[serde(rename = "$ref")]
    reference: Option<&'a str>,
    #[serde(rename = "type")]
    type_: Option<&'a str>,
    format: Option<&'a str>,
    default: Option<Value>,
    #[serde(borrow)]
    properties: BTreeMap<&'a str, Published<'a>>,
    required: Vec<&'a str>,
    additional_properties: Option<Box<Published<'a>>>,
    items: Option<Box<Published<'a>>>,
    #[serde(rename = "x-kubernetes-list-type")]
    list_type: Option<&'a str>,
    #[serde(rename = "x-kubernetes-list-map-keys")]
    list_map_keys: Vec<String>,
    #[serde(rename = "x-kubernetes-map-type")]
    map_type: Option<&'a str>,
}

impl Types {
    /// Returns the type of a published definition, such as `io.k8s.api.autoscaling.v1.Scale`, or
    /// the type of schemaless data if the name is unknown.
    pub fn published_type(&mut self, name: &str) -> TypeId {
        if let Some(known) = self.named.get(name) {
            return *known;
        }
        let Some(definition) = definition(name) else {
            return DEDUCED;
        };
        let type_ = self.reserve();
        self.named.insert(name.to_owned(), type_);
        let atom = match name {
            QUANTITY => of_scalar(Scalar::Untyped),
            RAW_EXTENSION => schemaless_atom(UNTYPED, true),
            _ => self.atom_of(&definition),
        };
        self.name(type_, atom);
        type_
    }

    fn atom_of(&mut self, definition: &Published<'_>) -> Atom {
        match definition.type_ {
            None => Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(self.published_list(definition)),
                map: Some(self.published_map(definition)),
                ..Atom::default()
            },
            Some("object") => Atom {
                map: Some(self.published_map(definition)),
                ..Atom::default()
            },
            Some("array") => Atom {
                list: Some(self.published_list(definition)),
                ..Atom::default()
            },
            Some(type_) => {
                let type_ = match type_ {
                    "integer" | "number" => JsonType::Number,
                    "boolean" => JsonType::Boolean,
                    _ => JsonType::String,
                };
                of_scalar(scalar(type_, definition.format))
            }
        }
    }

    /// Returns the type of a field, item or map entry. If `x-kubernetes-map-type` is set beside
    /// `$ref`, it overrides the map type of the referenced definition.
    fn nested_type(&mut self, nested: &Published<'_>) -> TypeId {
        let Some(name) = nested.reference else {
            let atom = self.atom_of(nested);
            return self.add(atom);
        };
        let named = self.published_type(name);
        let Some(map_type) = nested.map_type else {
            return named;
        };
        let mut atom = Atom {
            named: false,
            ..self.atom(named).clone()
        };
        if let Some(map) = &mut atom.map {
            map.atomic = map_type == "atomic";
        }
        self.add(atom)
    }

    fn published_map(&mut self, definition: &Published<'_>) -> Map {
        let mut fields: Vec<(Arc<str>, TypeId)> = Vec::new();
        for (name, property) in &definition.properties {
            fields.push(((*name).into(), self.nested_type(property)));
        }
        let others = match &definition.additional_properties {
            Some(others) => Some(self.nested_type(others)),
            None => fields.is_empty().then_some(DEDUCED),
        };
        Map::new(fields, others, definition.map_type == Some("atomic"))
    }

    fn published_list(&mut self, definition: &Published<'_>) -> List {
        let items = definition.items.as_deref();
        List {
            items: items.map_or(UNTYPED, |items| self.nested_type(items)),
            merge: match definition.list_type {
                Some("set") => ListMerge::Set,
                Some("map") => {
                    let named = items
                        .and_then(|items| items.reference)
                        .and_then(self::definition);
                    let item = named.as_ref().or(items);
                    let default = |name: &str| item.and_then(|item| default(item, name));
                    ListMerge::Map(Self::keys(&definition.list_map_keys, default))
                }
                _ => ListMerge::Atomic,
            },
        }
    }
}

fn definition(name: &str) -> Option<Published<'static>> {
    serde_json::from_str(kubernetes::published(name)?).ok()
}

/// Returns the default of a key field. The API server publishes Go's zero value as the default of
/// required fields. The schemas in `apimachinery/schema/data` omit such defaults; this function
/// adds them.
fn default(item: &Published<'_>, name: &str) -> Option<Value> {
    let property = item.properties.get(name)?;
    let zero = || match property.type_? {
        "string" => Some(json!("")),
        "integer" | "number" => Some(json!(0)),
        "boolean" => Some(json!(false)),
        _ => None,
    };
    let stated = property.default.clone();
    stated.or_else(|| item.required.contains(&name).then(zero).flatten())
}

fn of_scalar(scalar: Scalar) -> Atom {
    Atom {
        scalar: Some(scalar),
        ..Atom::default()
    }
}
