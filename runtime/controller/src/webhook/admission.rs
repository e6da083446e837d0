//! [`Admission`]: an admission request without its objects.

use genclient::k8s_openapi::api::authentication::v1::UserInfo;
use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use serde::Deserialize;
use serde_json::Value;

/// An admission request without its objects, which are separate arguments of a webhook.
///
/// Fields are those of `AdmissionRequest` in `admission.k8s.io/v1`.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Admission {
    /// Identifies this call; the API server logs it.
    pub uid: String,
    /// The operation on the object.
    pub operation: Operation,
    /// The kind of the object as it was sent to the webhook.
    pub kind: GroupVersionKind,
    /// The resource of the object as it was sent to the webhook.
    pub resource: GroupVersionResource,
    /// The subresource, such as `status` or `scale`.
    #[serde(rename = "subResource")]
    pub subresource: Option<String>,
    /// The kind that the user sent. It differs from [`kind`](Self::kind) if the webhook matches
    /// another version, and the API server converted the object.
    pub request_kind: Option<GroupVersionKind>,
    /// The resource that the user sent.
    pub request_resource: Option<GroupVersionResource>,
    /// The subresource that the user sent.
    #[serde(rename = "requestSubResource")]
    pub request_subresource: Option<String>,
    /// The object's name. Empty if the API server has to generate one.
    #[serde(default)]
    pub name: String,
    /// The object's namespace, if its kind has one.
    pub namespace: Option<String>,
    /// The user.
    pub user_info: UserInfo,
    /// Whether this is a dry run. If so, the webhook must not have side effects.
    #[serde(default)]
    pub dry_run: bool,
    /// The options of the operation, such as a `CreateOptions`.
    pub options: Option<Value>,
}

/// Operation on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "UPPERCASE")]
#[non_exhaustive]
pub enum Operation {
    /// The object is created.
    Create,
    /// The object is updated or patched.
    Update,
    /// The object is deleted.
    Delete,
    /// A connection to the object is opened, such as by `kubectl exec`.
    Connect,
}
