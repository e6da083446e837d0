//! OpenAPI v3: an index, and a document for each group version.
//!
//! They hold what clients read: paths with their verbs, kinds, query parameters and media types,
//! and the schemas of kinds with their descriptions and merge keys. Descriptions of operations,
//! the deprecated paths of watches and made-up defaults are left out.

mod custom;
mod paths;
mod schemas;

use std::sync::Arc;

use http::HeaderMap;
use http::header::{CACHE_CONTROL, ETAG, EXPIRES, IF_NONE_MATCH, LOCATION, VARY};
use serde_json::{Map, Value, json};

use crate::answer::Answer;
use crate::kinds::Kind;
use crate::kinds::discovery::{self, ServedGroupVersion};
use crate::query::Query;
use crate::server::Inner;

/// A day on which no document is fresh any more.
const NEVER: &str = "Fri, 01 Jan 2100 00:00:00 GMT";

/// Answers `/openapi/PATH`.
pub(crate) fn answer(server: &Inner, path: &str, query: &Query, headers: &HeaderMap) -> Answer {
    let Some(path) = path.strip_prefix("v3") else {
        return Answer::plain(404, "404 page not found\n");
    };
    let served = server.kinds.served();
    let path = path.strip_prefix('/').unwrap_or(path);
    if path.is_empty() {
        return Answer::plain(200, index(server, &served).to_string());
    }
    let version = served.iter().find(|version| root(version) == path);
    let Some(version) = version else {
        return Answer::plain(404, "");
    };
    let hash = hash(server, version);
    let etag = format!("\"{hash}\"");
    let asked = query.text("hash");
    let known = headers.get(IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    let answer = if !asked.is_empty() && asked != hash {
        Answer::plain(301, "").header(LOCATION, &location(version, &hash))
    } else if known == Some(&*etag) {
        Answer::plain(304, "")
    } else {
        Answer::value(&document(server, version))
    };
    let answer = answer.header(ETAG, &etag).header(VARY, "Accept");
    match asked == hash {
        true => answer
            .header(CACHE_CONTROL, "public, immutable")
            .header(EXPIRES, NEVER),
        false => answer,
    }
}

/// `api/v1` or `apis/GROUP/VERSION`.
fn root(version: &ServedGroupVersion) -> String {
    match &*version.group {
        "" => format!("api/{}", version.version),
        group => format!("apis/{group}/{}", version.version),
    }
}

fn location(version: &ServedGroupVersion, hash: &str) -> String {
    format!("/openapi/v3/{}?hash={hash}", root(version))
}

/// The documents that there are.
fn index(server: &Inner, served: &[ServedGroupVersion]) -> Value {
    let path = |version: &ServedGroupVersion| {
        let location = location(version, &hash(server, version));
        (root(version), json!({ "serverRelativeURL": location }))
    };
    let paths: Map<_, _> = served.iter().map(path).collect();
    json!({ "paths": paths })
}

/// Differs between documents that differ: those of built-in kinds come with this crate.
fn hash(server: &Inner, version: &ServedGroupVersion) -> String {
    let custom = server.kinds.custom(&version.group, &version.version);
    let source = match custom.is_empty() {
        true => json!([env!("CARGO_PKG_VERSION"), root(version)]),
        false => document(server, version),
    };
    discovery::etag(&source).trim_matches('"').to_owned()
}

fn document(server: &Inner, version: &ServedGroupVersion) -> Value {
    let custom: Vec<Arc<Kind>> = server.kinds.custom(&version.group, &version.version);
    let (info, schemas) = match custom.is_empty() {
        true => (
            json!({ "title": "Kubernetes", "version": "1.36" }),
            schemas::of_builtin(version),
        ),
        false => (
            json!({ "title": "Kubernetes CRD Swagger", "version": "v0.1.0" }),
            custom::all(server, &custom),
        ),
    };
    json!({
        "openapi": "3.0.0",
        "info": info,
        "paths": paths::of(version, !custom.is_empty()),
        "components": { "schemas": schemas },
    })
}
