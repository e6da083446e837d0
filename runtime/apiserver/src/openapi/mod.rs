//! OpenAPI documents: of version 3, an index, and documents for group versions and for discovery
//! paths (`apis/apps`); of version 2, a document without contents.
//!
//! The documents contain what clients read: paths (with verbs, kinds, query parameters and media
//! types) and schemas (with descriptions and merge keys). Unlike the documents of kube-apiserver,
//! they lack descriptions of operations, deprecated watch paths, and defaults that equal Go's zero
//! value.

mod custom;
mod paths;
mod schemas;
mod v2;

use std::sync::Arc;

use http::HeaderMap;
use http::header::{CACHE_CONTROL, ETAG, EXPIRES, IF_NONE_MATCH, LOCATION, VARY};
use serde_json::{Map, Value, json};

use self::paths::version_path;
use crate::api_response::ApiResponse;
use crate::discovery::{self, ServedGroupVersion};
use crate::kinds::Kind;
use crate::query::Query;
use crate::state::ServerState;

/// `Expires` header of a document that is requested by its hash. Such a document never changes.
const NEVER_EXPIRES: &str = "Fri, 01 Jan 2100 00:00:00 GMT";

/// Responds to a request for `/openapi/PATH`.
pub(crate) fn respond(
    server: &ServerState,
    path: &str,
    query: &Query,
    headers: &HeaderMap,
) -> ApiResponse {
    if path == "v2" {
        return v2::respond(headers);
    }
    let Some(path) = path.strip_prefix("v3") else {
        return ApiResponse::plain(404, "404 page not found\n");
    };
    let served = discovery::served(&server.kinds);
    let path = path.strip_prefix('/').unwrap_or(path);
    if path.is_empty() {
        return ApiResponse::plain(200, document_index(server, &served).to_string());
    }
    let Some(document) = all_documents(server, &served).find(|document| document.path() == path)
    else {
        return ApiResponse::plain(404, "");
    };
    let hash = document.hash(server);
    let etag = format!("\"{hash}\"");
    let asked = query.text("hash");
    let known = headers.get(IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    let response = if !asked.is_empty() && asked != hash {
        ApiResponse::plain(301, "").header(LOCATION, &document_url(path, &hash))
    } else if known == Some(&*etag) {
        ApiResponse::plain(304, "")
    } else {
        ApiResponse::value(&document.value(server))
    };
    let response = response.header(ETAG, &etag).header(VARY, "Accept");
    if asked == hash {
        response
            .header(CACHE_CONTROL, "public, immutable")
            .header(EXPIRES, NEVER_EXPIRES)
    } else {
        response
    }
}

fn document_url(path: &str, hash: &str) -> String {
    format!("/openapi/v3/{path}?hash={hash}")
}

/// OpenAPI document of a discovery path, such as `apis/apps`, or of a group version.
enum Document<'a> {
    Discovery(String),
    GroupVersion(&'a ServedGroupVersion),
}

impl Document<'_> {
    fn path(&self) -> String {
        match self {
            Self::Discovery(path) => path.clone(),
            Self::GroupVersion(version) => version_path(version),
        }
    }

    fn value(&self, server: &ServerState) -> Value {
        match self {
            Self::Discovery(path) => discovery_document(path),
            Self::GroupVersion(version) => version_document(server, version),
        }
    }

    /// Returns the hash in the URL of the document. A document without custom resources changes
    /// only with the version of this crate, so its hash is that of the version and the path.
    fn hash(&self, server: &ServerState) -> String {
        let source = match self {
            Self::GroupVersion(version) if is_custom(server, version) => self.value(server),
            _ => json!([env!("CARGO_PKG_VERSION"), self.path()]),
        };
        discovery::etag(&source).trim_matches('"').to_owned()
    }
}

fn is_custom(server: &ServerState, version: &ServedGroupVersion) -> bool {
    let custom = server.kinds.custom(&version.group, &version.version);
    !custom.is_empty()
}

/// Returns all documents. A group of custom resources has a document for each version but, unlike a
/// built-in group, none for the group itself.
fn all_documents<'a>(
    server: &ServerState,
    served: &'a [ServedGroupVersion],
) -> impl Iterator<Item = Document<'a>> {
    let builtin = served.iter().filter(|version| !is_custom(server, version));
    let discovery = discovery_paths(builtin)
        .into_iter()
        .map(Document::Discovery);
    discovery.chain(served.iter().map(Document::GroupVersion))
}

/// Returns the index: the URL of each document by its path.
fn document_index(server: &ServerState, served: &[ServedGroupVersion]) -> Value {
    let path = |document: Document<'_>| {
        let path = document.path();
        let location = document_url(&path, &document.hash(server));
        (path, json!({ "serverRelativeURL": location }))
    };
    let paths: Map<_, _> = all_documents(server, served).map(path).collect();
    json!({ "paths": paths })
}

fn version_document(server: &ServerState, version: &ServedGroupVersion) -> Value {
    let custom: Vec<Arc<Kind>> = server.kinds.custom(&version.group, &version.version);
    let (info, schemas) = if custom.is_empty() {
        (
            json!({ "title": "Kubernetes", "version": "1.36" }),
            schemas::builtin_schemas(version),
        )
    } else {
        (
            json!({ "title": "Kubernetes CRD Swagger", "version": "v0.1.0" }),
            custom::custom_schemas(server, &custom),
        )
    };
    json!({
        "openapi": "3.0.0",
        "info": info,
        "paths": paths::openapi_paths(version, !custom.is_empty()),
        "components": { "schemas": schemas },
    })
}

/// Returns the discovery paths that have a document: `apis/GROUP` for each built-in group, `api`
/// and `apis`.
fn discovery_paths<'a>(builtin: impl Iterator<Item = &'a ServedGroupVersion>) -> Vec<String> {
    let groups = builtin
        .map(|version| &*version.group)
        .filter(|group| !group.is_empty());
    let mut paths: Vec<_> = groups.map(|group| format!("apis/{group}")).collect();
    paths.dedup();
    paths.extend(["api".to_owned(), "apis".to_owned()]);
    paths
}

fn discovery_document(path: &str) -> Value {
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
        "components": { "schemas": schemas::discovery_schemas(name) },
    })
}
