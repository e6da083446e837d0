//! [`Deletion`]: the result of deleting an object.

use kube::core::Status;

/// The answer to the deletion of one object, by which the object may still be there.
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
    /// The API server answered with the object. It is still there while finalizers or its grace
    /// period delay the deletion. Some built-in kinds, such as Pods and ServiceAccounts, are
    /// answered with their last state when they are gone as well (`ReturnDeletedObject` in
    /// kube-apiserver's registry), so wait for
    /// [`conditions::deleted`](crate::wait::conditions::deleted) to be sure.
    Accepted(K),
    /// The object is gone.
    Completed(Box<Status>),
}
