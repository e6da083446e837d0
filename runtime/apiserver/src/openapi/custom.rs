//! OpenAPI schemas of custom resources.

use std::sync::Arc;

use serde_json::{Value, json};

use super::schemas::{self, DELETE_OPTIONS, LIST_META, OBJECT_META, PATCH, Schemas, list_schema};
use crate::kinds::Kind;
use crate::state::ServerState;
use crate::store::Key;

/// Returns the name of a kind's schema: `io.example.v1.Widget` for `Widget` in the group
/// `example.io`.
pub(super) fn schema_name(group: &str, version: &str, kind: &str) -> String {
    let mut parts: Vec<_> = group.rsplit('.').collect();
    parts.extend([version, kind]);
    parts.join(".")
}

/// Returns the schemas of the kinds in a group version and all schemas that they refer to, by name.
pub(super) fn custom_schemas(server: &ServerState, kinds: &[Arc<Kind>]) -> Value {
    let mut schemas = Schemas::default();
    for kind in kinds {
        let Some(custom) = kind.custom() else {
            continue;
        };
        let (group, version) = (kind.group(), &*kind.version);
        let name = schema_name(group, version, &kind.kind);
        let list = list_schema(&name, group, version, &kind.list_kind);
        schemas.insert(format!("{name}List"), list);
        schemas.insert(name, published_schema(server, kind));
        if custom.scale.is_some() {
            schemas.add_scale();
        }
    }
    for name in [OBJECT_META, LIST_META, PATCH, DELETE_OPTIONS] {
        schemas.add(name);
    }
    schemas.finish()
}

/// Returns the schema in a kind's CustomResourceDefinition, with the fields and extensions that
/// kube-apiserver adds.
fn published_schema(server: &ServerState, kind: &Kind) -> Value {
    let mut schema = declared_schema(server, kind);
    if schema["x-kubernetes-preserve-unknown-fields"] == true && schema["properties"].is_null() {
        schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    }
    if !schema.is_object() {
        schema = json!({ "type": "object" });
    }
    for field in ["apiVersion", "kind", "metadata"] {
        schema["properties"][field] = schemas::object_property(field);
    }
    let custom = kind.custom();
    let selectable = custom.map_or(&[][..], |custom| &custom.selectable_fields);
    if !selectable.is_empty() {
        let field = |path: &String| json!({ "fieldPath": path });
        let fields: Vec<_> = selectable.iter().map(field).collect();
        schema["x-kubernetes-selectable-fields"] = fields.into();
    }
    let (group, version) = (kind.group(), &*kind.version);
    schema["x-kubernetes-group-version-kind"] =
        json!([{ "group": group, "version": version, "kind": kind.kind }]);
    schema
}

/// Returns the schema as the CustomResourceDefinition declares it, including descriptions.
fn declared_schema(server: &ServerState, kind: &Kind) -> Value {
    let name = format!("{}.{}", kind.plural(), kind.group());
    let stored = server.store.get(&server.definitions, &Key::new("", &name));
    let definition = stored.map(|stored| stored.value()).unwrap_or_default();
    let mut versions = definition["spec"]["versions"]
        .as_array()
        .into_iter()
        .flatten();
    let version = versions.find(|version| version["name"] == kind.version.as_str());
    version.map_or(Value::Null, |version| {
        version["schema"]["openAPIV3Schema"].clone()
    })
}
