//! References to objects, as in client-go's package `tools/reference`.
//!
//! ```
//! use genclient::reference::object_reference;
//! use k8s_openapi::api::core::v1::{ObjectReference, Pod};
//! # use genclient::prelude::ObjectMeta;
//!
//! # let pod = Pod {
//! #     metadata: ObjectMeta { name: Some("train".to_owned()), ..ObjectMeta::default() },
//! #     ..Pod::default()
//! # };
//! let reference = object_reference(&pod);
//! assert_eq!(reference.api_version.as_deref(), Some("v1"));
//! assert_eq!(reference.kind.as_deref(), Some("Pod"));
//! assert_eq!(reference.name.as_deref(), Some("train"));
//!
//! // A part of the object, as by `GetPartialReference`.
//! let container = ObjectReference {
//!     field_path: Some("spec.containers{main}".to_owned()),
//!     ..reference
//! };
//! # assert_eq!(container.name.as_deref(), Some("train"));
//! ```

use k8s_openapi::api::core::v1::ObjectReference;
use kube::Resource;

/// Returns a reference to `object`, as client-go's `GetReference`: kind, API version, name,
/// namespace, uid and resource version. Metadata that the object lacks is `None`.
///
/// kube's [`Resource::object_ref`] has no resource version.
#[must_use]
pub fn object_reference<K: Resource<DynamicType = ()>>(object: &K) -> ObjectReference {
    object_reference_with(object, &())
}

/// Like [`object_reference`], for a kind that is described by a value, such as the `ApiResource` of
/// a [`DynamicObject`](kube::core::DynamicObject).
#[must_use]
pub fn object_reference_with<K: Resource>(object: &K, types: &K::DynamicType) -> ObjectReference {
    ObjectReference {
        resource_version: object.meta().resource_version.clone(),
        ..object.object_ref(types)
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::Node;
    use kube::core::{ApiResource, DynamicObject, GroupVersionKind};
    use serde::de::DeserializeOwned;
    use serde_json::{Value, json};

    use super::*;

    fn check<K>(object: Value, types: &K::DynamicType, expected: Value)
    where
        K: Resource + DeserializeOwned,
    {
        let read: K = serde_json::from_value(object).unwrap();
        let reference = object_reference_with(&read, types);
        assert_eq!(serde_json::to_value(reference).unwrap(), expected);
    }

    /// `TestGetReferenceRefVersion` and `TestGetReferenceNilSchemeWithPopulatedGVK`, and the fields
    /// that the Go tests do not compare.
    #[test]
    fn references_have_kind_identity_and_version() {
        let node = json!({"metadata": {"name": "worker"}});
        let expected = json!({"apiVersion": "v1", "kind": "Node", "name": "worker"});
        check::<Node>(node, &(), expected);

        let metadata = json!({
            "name": "web", "namespace": "shop", "uid": "7-8", "resourceVersion": "12",
            "labels": {"app": "web"},
        });
        let expected = |api_version, kind| {
            json!({
                "apiVersion": api_version, "kind": kind, "name": "web", "namespace": "shop",
                "uid": "7-8", "resourceVersion": "12",
            })
        };
        let deployment = json!({"metadata": metadata, "spec": {"selector": {}, "template": {}}});
        check::<Deployment>(deployment, &(), expected("apps/v1", "Deployment"));

        let bar = ApiResource::from_gvk(&GroupVersionKind::gvk("foo.group", "v3", "Bar"));
        let object = json!({"metadata": metadata});
        check::<DynamicObject>(object, &bar, expected("foo.group/v3", "Bar"));
    }
}
