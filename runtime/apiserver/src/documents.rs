//! Documents that describe a server: discovery, OpenAPI, version and health.

use genclient_builtins::kind;
use http::header::{ACCEPT, CACHE_CONTROL, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, Method};
use serde_json::{Value, json};

use crate::api_response::ApiResponse;
use crate::discovery;
use crate::query::Query;
use crate::route::Route;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::{health, openapi};

/// Handles a request for a document.
pub(crate) fn respond(
    server: &ServerState,
    method: &Method,
    route: &Route,
    query: &Query,
    headers: &HeaderMap,
) -> ApiResponse {
    // go-restful routes these by method; the handlers of the other documents accept every method.
    let is_get_only = match route {
        Route::Version | Route::CoreVersions => true,
        Route::Resources { group, .. } => kind::has_group(group),
        _ => false,
    };
    if is_get_only && method != Method::GET {
        return ApiResponse::from_error(&StatusError::method_not_allowed());
    }
    match route {
        Route::Root => list_paths(server),
        Route::Health(check) => health::respond(check, query),
        Route::OpenApi(path) => openapi::respond(server, path, query, headers),
        Route::Version => ApiResponse::json(200, kind::version_response().into_bytes()),
        other => discovery_document(server, other, headers),
    }
}

/// Responds with the paths of all documents.
fn list_paths(server: &ServerState) -> ApiResponse {
    let mut paths = discovery::paths(&discovery::served(&server.kinds));
    let documents = ["/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"];
    paths.extend(documents.map(str::to_owned));
    paths.extend(health::check_paths());
    paths.sort();
    paths.dedup();
    ApiResponse::value(&json!({ "paths": paths }))
}

/// Responds with a discovery document.
fn discovery_document(server: &ServerState, route: &Route, headers: &HeaderMap) -> ApiResponse {
    let served = discovery::served(&server.kinds);
    let accept = headers
        .get(ACCEPT)
        .and_then(|it| it.to_str().ok())
        .unwrap_or_default();
    let is_aggregated = accept.contains("as=APIGroupDiscoveryList");
    let document = match route {
        Route::CoreVersions | Route::Groups if is_aggregated => {
            let is_core = *route == Route::CoreVersions;
            return aggregated_discovery(&discovery::aggregated(&served, is_core), headers);
        }
        Route::CoreVersions => Some(discovery::api_versions(&served, "127.0.0.1")),
        Route::Groups => Some(discovery::group_list(&served)),
        Route::Group(name) => discovery::group(&served, name),
        Route::Resources { group, version } => {
            let mut all = served.iter();
            let found = all.find(|it| it.group == *group && it.version == *version);
            found.map(discovery::resource_list)
        }
        _ => None,
    };
    match document {
        Some(document) => ApiResponse::value(&document),
        None => match route {
            Route::Resources { group, .. } if kind::has_group(group) => {
                ApiResponse::from_error(&StatusError::no_resource())
            }
            _ => ApiResponse::plain(404, "404 page not found\n"),
        },
    }
}

/// Responds with aggregated discovery, or with 304 if the client's `If-None-Match` has the current
/// ETag.
fn aggregated_discovery(document: &Value, headers: &HeaderMap) -> ApiResponse {
    let etag = discovery::etag(document);
    let known = headers.get(IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    let response = if known == Some(&*etag) {
        ApiResponse::plain(304, "")
    } else {
        ApiResponse::value(document).media_type(discovery::AGGREGATED)
    };
    response
        .header(ETAG, &etag)
        .header(VARY, "Accept")
        .header(CACHE_CONTROL, "public")
}
