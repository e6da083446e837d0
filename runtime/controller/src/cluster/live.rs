//! Reads from the API server that check the state of a cache: [`latest_version`] and
//! [`live_metadata`].

use genclient::cache::ObjectName;
use genclient::client::{GetParams, TypedClient};
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::{ListMeta, ObjectMeta};
use genclient::kube;
use genclient::kube::core::{ApiResource, DynamicObject, GroupVersionKind};
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

/// Requests an object. Returns its metadata; `None` if the object does not exist, or if the request
/// fails.
pub(super) async fn live_metadata(
    client: &kube::Client,
    resource: &GroupVersionResource,
    name: &ObjectName,
) -> Option<ObjectMeta> {
    let GroupVersionResource {
        group,
        version,
        resource,
    } = resource;
    // The kind is not part of a path.
    let kind = GroupVersionKind::gvk(group, version, "");
    let types = ApiResource::from_gvk_with_plural(&kind, resource);
    let objects = match name.namespace() {
        Some(namespace) => {
            TypedClient::<DynamicObject>::namespaced_with(client.clone(), namespace, types)
        }
        None => TypedClient::cluster_with(client.clone(), types),
    };
    let object = objects.get(name.name(), &GetParams::default()).await;
    Some(object.ok()?.metadata)
}
