//! [`latest_version`]: the latest resource version of an API server.

use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::ListMeta;
use genclient::kube;
use genclient::scheme::GroupVersionResource;
use http::Request;
use serde::Deserialize;

/// The part of a list that has its resource version.
#[derive(Deserialize)]
struct ListVersion {
    metadata: ListMeta,
}

/// Requests a consistent list of one object. Returns its version, which is the latest of the API
/// server; `None` if the request fails.
pub(super) async fn latest_version(
    client: &kube::Client,
    resource: &GroupVersionResource,
    namespace: Option<&str>,
) -> Option<String> {
    let GroupVersionResource {
        group,
        version,
        resource,
    } = resource;
    let root = if group.is_empty() {
        "/api".to_owned()
    } else {
        format!("/apis/{group}")
    };
    let scope = namespace.map_or_else(String::new, |name| format!("/namespaces/{name}"));
    let request = Request::get(format!("{root}/{version}{scope}/{resource}?limit=1"));
    let list: ListVersion = client.request(request.body(Vec::new()).ok()?).await.ok()?;
    list.metadata.resource_version
}
