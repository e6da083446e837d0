//! [`Deletion`]: the result of deleting an object or a collection.

use kube::core::Status;

/// Response to a deletion. The object may still exist after it.
///
/// ```no_run
/// use genclient::client::{DeleteParams, Deletion, TypedClient};
/// use genclient::wait::{conditions, for_condition};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # async fn example(pods: TypedClient<Pod>) -> genclient::client::Result<()> {
/// match pods.delete("train", &DeleteParams::default()).await? {
///     Deletion::Accepted(pod) => {
///         for_condition(&pods, "train", conditions::deleted(pod.metadata.uid)).await?;
///     }
///     Deletion::Completed(_) => {}
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub enum Deletion<K> {
    /// The API server responded with the object. It still exists while finalizers or its grace
    /// period delay the deletion. Some built-in kinds, such as Pods and ServiceAccounts, are
    /// returned in their last state even if they are gone (`ReturnDeletedObject` in
    /// kube-apiserver's registry). To be sure, wait for
    /// [`conditions::deleted`](crate::wait::conditions::deleted).
    Accepted(K),
    /// The object is gone.
    Completed(Box<Status>),
}
