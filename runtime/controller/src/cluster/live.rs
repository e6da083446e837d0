//! [`get_live_metadata`]: the metadata of an object from the API server, to check the state of a
//! cache.

use genclient::cache::ObjectName;
use genclient::client::{GetParams, TypedClient};
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use genclient::kube;
use genclient::kube::core::{ApiResource, DynamicObject, GroupVersionKind};
use genclient::scheme::GroupVersionResource;

/// Requests an object. Returns its metadata; `None` if the object does not exist, or if the request
/// fails.
pub(super) async fn get_live_metadata(
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
