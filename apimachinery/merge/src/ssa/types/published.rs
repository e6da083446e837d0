//! Types of built-in kinds for server-side apply, built from the schemas that the API server
//! publishes.

use std::sync::Arc;

use genclient_schema::kubernetes::{self, Published};
use genclient_schema::{JsonType, ListType, MapType};
use serde_json::{Value, json};

use super::{
    Atom, DEDUCED, List, ListMerge, Map, Scalar, TypeId, Types, UNTYPED, scalar, schemaless_atom,
};

/// Published definitions whose type for server-side apply does not follow from their schema.
///
/// Source: kube-openapi, pkg/schemaconv/smd.go.
const QUANTITY: &str = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const RAW_EXTENSION: &str = "io.k8s.apimachinery.pkg.runtime.RawExtension";

impl Types {
    /// Returns the type of a published definition, such as `io.k8s.api.autoscaling.v1.Scale`, or
    /// the type of schemaless data if the name is unknown.
    pub fn published_type(&mut self, name: &str) -> TypeId {
        if let Some(known) = self.named.get(name) {
            return *known;
        }
        let Some(definition) = kubernetes::definition(name) else {
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

    fn atom_of(&mut self, definition: &Published) -> Atom {
        match definition.type_ {
            None => Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(self.published_list(definition)),
                map: Some(self.published_map(definition)),
                ..Atom::default()
            },
            Some(JsonType::Object) => Atom {
                map: Some(self.published_map(definition)),
                ..Atom::default()
            },
            Some(JsonType::Array) => Atom {
                list: Some(self.published_list(definition)),
                ..Atom::default()
            },
            Some(type_) => of_scalar(scalar(type_, definition.format.as_deref())),
        }
    }

    /// Returns the type of a field, item or map entry. If `x-kubernetes-map-type` is set beside
    /// `$ref`, it overrides the map type of the referenced definition.
    fn nested_type(&mut self, nested: &Published) -> TypeId {
        let Some(name) = &nested.reference else {
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
            map.atomic = map_type == MapType::Atomic;
        }
        self.add(atom)
    }

    fn published_map(&mut self, definition: &Published) -> Map {
        let mut fields: Vec<(Arc<str>, TypeId)> = Vec::new();
        for (name, property) in &definition.properties {
            fields.push((name.as_str().into(), self.nested_type(property)));
        }
        let others = match &definition.additional_properties {
            Some(others) => Some(self.nested_type(others)),
            None => fields.is_empty().then_some(DEDUCED),
        };
        Map::new(fields, others, definition.map_type == Some(MapType::Atomic))
    }

    fn published_list(&mut self, definition: &Published) -> List {
        let items = definition.items.as_deref();
        List {
            items: items.map_or(UNTYPED, |items| self.nested_type(items)),
            merge: match definition.list_type {
                Some(ListType::Set) => ListMerge::Set,
                Some(ListType::Map) => {
                    let named = items
                        .and_then(|items| items.reference.as_deref())
                        .and_then(kubernetes::definition);
                    let item = named.as_ref().or(items);
                    let default = |name: &str| item.and_then(|item| default(item, name));
                    ListMerge::Map(Self::keys(&definition.list_map_keys, default))
                }
                _ => ListMerge::Atomic,
            },
        }
    }
}

/// Returns the default of a key field. The API server publishes Go's zero value as the default of
/// required fields. The schemas in `apimachinery/schema/data` omit such defaults; this function
/// adds them.
fn default(item: &Published, name: &str) -> Option<Value> {
    let property = item.properties.get(name)?;
    let zero = || match property.type_? {
        JsonType::String => Some(json!("")),
        JsonType::Integer | JsonType::Number => Some(json!(0)),
        JsonType::Boolean => Some(json!(false)),
        JsonType::Array | JsonType::Object => None,
    };
    let stated = property.default.clone();
    stated.or_else(|| item.required.contains(name).then(zero).flatten())
}

fn of_scalar(scalar: Scalar) -> Atom {
    Atom {
        scalar: Some(scalar),
        ..Atom::default()
    }
}
