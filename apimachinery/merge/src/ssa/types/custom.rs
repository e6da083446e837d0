//! Types of custom resources for server-side apply, built from the schemas of their versions.

use std::sync::Arc;

use genclient_schema::{JsonType, ListType, MapType, Schema};

use super::{Atom, DEDUCED, List, ListMerge, Map, Scalar, TypeId, Types, UNTYPED, scalar};

/// Name of the published schema of object metadata.
const OBJECT_META: &str = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta";

impl Types {
    /// Adds the type of a custom resource in one version. `schema` is `None` if the version has
    /// no schema.
    ///
    /// Source: apiextensions-apiserver, pkg/controller/openapi/builder/builder.go,
    /// `buildKubeNative`; kube-openapi, pkg/schemaconv/openapi.go.
    pub fn custom_resource(&mut self, schema: Option<&Schema>) -> TypeId {
        let root = self.reserve();
        let atom = match schema {
            None => of_map(Map::new(Vec::new(), Some(DEDUCED), false)),
            Some(schema) => self.object_type(schema, schema.preserve_unknown_fields, true),
        };
        self.set(root, atom);
        root
    }

    /// Adds the type of a nested schema. `open` means that a schema above preserves unknown fields.
    fn add_schema(&mut self, schema: &Schema, open: bool) -> TypeId {
        let open = open || schema.preserve_unknown_fields;
        let atom = match schema.type_ {
            None => Atom {
                scalar: Some(Scalar::Untyped),
                list: Some(self.list_type(schema, open)),
                ..self.object_type(schema, open, schema.embedded_resource)
            },
            Some(JsonType::Object) => self.object_type(schema, open, schema.embedded_resource),
            Some(JsonType::Array) => Atom {
                list: Some(self.list_type(schema, open)),
                ..Atom::default()
            },
            Some(type_) => Atom {
                scalar: Some(scalar(type_, schema.format.as_deref())),
                ..Atom::default()
            },
        };
        self.add(atom)
    }

    /// Returns the type of an object. If `open` is set or no field is declared, other fields are
    /// allowed. If `resource` is set, adds `apiVersion`, `kind` and `metadata` with their usual
    /// types.
    fn object_type(&mut self, schema: &Schema, open: bool, resource: bool) -> Atom {
        let mut fields: Vec<(Arc<str>, TypeId)> = Vec::new();
        for (name, property) in &schema.properties {
            if !(resource && RESOURCE_FIELDS.contains(&name.as_str())) {
                fields.push((name.as_str().into(), self.add_schema(property, open)));
            }
        }
        if resource {
            let text = self.add_schema(&Schema::typed(JsonType::String), false);
            fields.push(("apiVersion".into(), text));
            fields.push(("kind".into(), text));
            fields.push(("metadata".into(), self.published_type(OBJECT_META)));
        }
        let others = match &schema.additional_properties {
            Some(values) => Some(self.add_schema(values, open)),
            None => (open || fields.is_empty()).then_some(DEDUCED),
        };
        let atomic = schema.map_type == Some(MapType::Atomic);
        of_map(Map::new(fields, others, atomic))
    }

    /// Returns the type of a list, by `x-kubernetes-list-type`.
    fn list_type(&mut self, schema: &Schema, open: bool) -> List {
        let items = schema.items.as_ref();
        List {
            items: items.map_or(UNTYPED, |items| self.add_schema(items, open)),
            merge: match schema.list_type {
                None | Some(ListType::Atomic) => ListMerge::Atomic,
                Some(ListType::Set) => ListMerge::Set,
                Some(ListType::Map) => ListMerge::Map(Self::keys(&schema.list_map_keys, |name| {
                    let field = items.and_then(|items| items.properties.get(name));
                    field.and_then(|field| field.default.clone())
                })),
            },
        }
    }
}

/// Fields that every resource has. The schema's own declarations of them are ignored.
const RESOURCE_FIELDS: [&str; 3] = ["apiVersion", "kind", "metadata"];

fn of_map(map: Map) -> Atom {
    Atom {
        map: Some(map),
        ..Atom::default()
    }
}
