//! Conditions for [`for_condition`](super::for_condition): predicates on an object that may be
//! absent.

use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Resource;

/// True if the object was deleted, even if another object has its name now.
///
/// `uid` is the UID of the object. If it is `None`, the condition is true only if there is no
/// object of that name.
///
/// ```no_run
/// use genclient::client::{DeleteParams, Deletion, TypedClient};
/// use genclient::wait::{conditions, for_condition};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # async fn example(pods: TypedClient<Pod>) -> genclient::client::Result<()> {
/// // Another object of this name may follow: the uid tells the two apart.
/// let deletion = pods.delete("train", &DeleteParams::default()).await?;
/// if let Deletion::Accepted(pod) = deletion {
///     for_condition(&pods, "train", conditions::deleted(pod.metadata.uid)).await?;
/// }
/// # Ok(())
/// # }
/// ```
pub fn deleted<K: Resource>(uid: Option<String>) -> impl Fn(Option<&K>) -> bool {
    move |object| match (object, &uid) {
        (None, _) => true,
        (Some(object), Some(uid)) => object.meta().uid.as_ref() != Some(uid),
        (Some(_), None) => false,
    }
}

/// True if the condition `Established` of the CustomResourceDefinition is `True`.
///
/// The API server may still answer the first requests for the custom resources with 429.
#[must_use]
pub fn established(definition: Option<&CustomResourceDefinition>) -> bool {
    let status = definition.and_then(|definition| definition.status.as_ref());
    let mut conditions = status.into_iter().flat_map(|status| {
        let conditions = status.conditions.as_deref();
        conditions.unwrap_or_default()
    });
    conditions.any(|condition| condition.type_ == "Established" && condition.status == "True")
}
