//! OpenAPI documents of discovery: those of `/api`, `/apis` and each built-in group.

use serde_json::{Value, json};

use super::schemas;
use crate::kinds::discovery::ServedGroupVersion;

/// Returns the paths of the documents for some built-in group versions.
pub(super) fn paths<'a>(builtin: impl Iterator<Item = &'a ServedGroupVersion>) -> Vec<String> {
    let groups = builtin.map(|version| &*version.group);
    let groups = groups.filter(|group| !group.is_empty());
    let mut paths: Vec<_> = groups.map(|group| format!("apis/{group}")).collect();
    paths.dedup();
    paths.extend(["api".to_owned(), "apis".to_owned()]);
    paths
}

/// Returns the document of a path.
pub(super) fn document(path: &str) -> Value {
    let name = match path {
        "api" => schemas::API_VERSIONS,
        "apis" => schemas::API_GROUP_LIST,
        _ => schemas::API_GROUP,
    };
    let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
    let content = json!({ "application/json": { "schema": schema } });
    let response = json!({ "description": "OK", "content": content });
    json!({
        "openapi": "3.0.0",
        "info": { "title": "Kubernetes", "version": "1.36" },
        "paths": { format!("/{path}/"): { "get": { "responses": { "200": response } } } },
        "components": { "schemas": schemas::of_discovery(name) },
    })
}
