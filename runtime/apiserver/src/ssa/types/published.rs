//! Types of Kubernetes' own kinds, from the definitions that its API server publishes.

use std::sync::Arc;

use genclient_schema::{JsonType, kubernetes};
use serde_json::{Value, json};

use super::{
    Atom, DEDUCED, List, ListMerge, Map, Scalar, TypeId, Types, UNTYPED, anything, scalar,
};

/// Definitions whose type is not what they say.
///
/// Source: kube-openapi, pkg/schemaconv/smd.go.
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";

impl Types {
    /// The type of a published definition, as `io.k8s.api.autoscaling.v1.Scale`. An unknown name is
    /// data without a schema.
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
            RAW_EXTENSION => anything(UNTYPED, true),
            _ => self.atom_of(&definition),
        };
        self.name(type_, atom);
        type_
    }

    fn atom_of(&mut self, definition: &Value) -> Atom {
        let type_ = definition["type"].as_str();
        match type_ {
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
                of_scalar(scalar(type_, definition["format"].as_str()))
            }
        }
    }

    /// The type of a place; a reference may say there whether the map is atomic.
    fn place(&mut self, place: &Value) -> TypeId {
        let Some(name) = place["$ref"].as_str() else {
            let atom = self.atom_of(place);
            return self.add(atom);
        };
        let named = self.published_type(name);
        let Some(map_type) = place["x-kubernetes-map-type"].as_str() else {
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

    fn published_map(&mut self, definition: &Value) -> Map {
        let mut fields: Vec<(Arc<str>, TypeId)> = Vec::new();
        for (name, property) in definition["properties"].as_object().into_iter().flatten() {
            fields.push((name.as_str().into(), self.place(property)));
        }
        let others = match &definition["additionalProperties"] {
            Value::Object(_) => Some(self.place(&definition["additionalProperties"])),
            _ => fields.is_empty().then_some(DEDUCED),
        };
        Map::new(
            fields,
            others,
            definition["x-kubernetes-map-type"] == "atomic",
        )
    }

    fn published_list(&mut self, definition: &Value) -> List {
        let items = &definition["items"];
        List {
            items: match items {
                Value::Object(_) => self.place(items),
                _ => UNTYPED,
            },
            merge: match definition["x-kubernetes-list-type"].as_str() {
                Some("set") => ListMerge::Set,
                Some("map") => {
                    let names = definition["x-kubernetes-list-map-keys"].as_array();
                    let names = names.into_iter().flatten().filter_map(Value::as_str);
                    let names: Vec<_> = names.map(str::to_owned).collect();
                    let item = items["$ref"].as_str().and_then(self::definition);
                    let item = item.as_ref().unwrap_or(items);
                    ListMerge::Map(Self::keys(&names, |name| default(item, name)))
                }
                _ => ListMerge::Atomic,
            },
        }
    }
}

fn definition(name: &str) -> Option<Value> {
    serde_json::from_str(kubernetes::published(name)?).ok()
}

/// The default of a key. Go's zero values are published as defaults of required fields, and left
/// out of the data here.
fn default(item: &Value, name: &str) -> Option<Value> {
    let property = &item["properties"][name];
    let stated = property.get("default").cloned();
    let required = item["required"].as_array().into_iter().flatten();
    let is_required = required.into_iter().any(|required| required == name);
    let zero = || match property["type"].as_str()? {
        "string" => Some(json!("")),
        "integer" | "number" => Some(json!(0)),
        "boolean" => Some(json!(false)),
        _ => None,
    };
    stated.or_else(|| is_required.then(zero).flatten())
}

fn of_scalar(scalar: Scalar) -> Atom {
    Atom {
        scalar: Some(scalar),
        ..Atom::default()
    }
}
