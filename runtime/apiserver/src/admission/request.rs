//! [`AdmissionRequest`]: attributes of a write under admission.

use genclient::kube::core::{ApiResource, GroupVersionKind, GroupVersionResource};
use serde_json::{Value, json};

use crate::rbac::User;
use crate::rbac::user::MASTERS;

/// Write that admission may mutate or reject.
///
/// Its fields are those of `admission.Attributes` in k8s.io/apiserver.
///
/// Tests of a plug-in build requests by [`create`](Self::create), [`update`](Self::update) and
/// [`delete`](Self::delete), and set other fields:
///
/// ```
/// use genclient_apiserver::{AdmissionPlugin, AdmissionRequest, Denied, User};
/// use serde_json::json;
///
/// /// Only administrators delete namespaces.
/// struct Kept;
///
/// impl AdmissionPlugin for Kept {
///     async fn validate(&self, request: &AdmissionRequest) -> Result<(), Denied> {
///         let is_admin = request.user.groups().iter().any(|group| group == "system:masters");
///         match is_admin {
///             true => Ok(()),
///             false => Err(Denied::forbidden("it is kept")),
///         }
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let namespace = json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": "a" } });
/// let mut request = AdmissionRequest::delete(namespace);
/// assert_eq!(request.resource.resource, "namespaces");
/// assert!(Kept.validate(&request).await.is_ok());
/// request.user = User::new("alice");
/// assert_eq!(Kept.validate(&request).await, Err("it is kept".into()));
/// # }
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct AdmissionRequest {
    /// The operation on the object.
    pub operation: Operation,
    /// The kind of the object: that of the resource, or `Scale` for the subresource `scale`.
    pub kind: GroupVersionKind,
    /// The resource of the URL.
    pub resource: GroupVersionResource,
    /// The subresource of the URL, such as `status`; usually empty.
    pub subresource: String,
    /// The object's name; empty if the server generates it or a collection is deleted.
    pub name: String,
    /// The object's namespace; for a Namespace, its own name.
    pub namespace: String,
    /// The new state; `None` for deletions.
    pub object: Option<Value>,
    /// The state before; `None` for creates.
    pub old_object: Option<Value>,
    /// The options of the operation, such as a `CreateOptions`.
    pub options: Value,
    /// Whether this is a dry run, which stores nothing.
    pub dry_run: bool,
    /// The user who sends the request.
    pub user: User,
}

/// Operation on an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// The object is created.
    Create,
    /// The object is updated, patched or applied.
    Update,
    /// The object is deleted.
    Delete,
}

impl Operation {
    /// Returns the name in the API, such as `CREATE`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Create => "CREATE",
            Self::Update => "UPDATE",
            Self::Delete => "DELETE",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Create => "Create",
            Self::Update => "Update",
            Self::Delete => "Delete",
        }
    }
}

impl AdmissionRequest {
    /// Returns the request of an administrator to create an object.
    ///
    /// Kind, name and namespace are those of the object. The resource is derived from the kind by
    /// the usual rule: `Pod` and `pods`.
    pub fn create(object: Value) -> Self {
        Self::of(Operation::Create, Some(object), None)
    }

    /// Returns the request of an administrator to update an object from its old to its new state.
    pub fn update(old_object: Value, object: Value) -> Self {
        Self::of(Operation::Update, Some(object), Some(old_object))
    }

    /// Returns the request of an administrator to delete an object.
    pub fn delete(object: Value) -> Self {
        Self::of(Operation::Delete, None, Some(object))
    }

    fn of(operation: Operation, object: Option<Value>, old_object: Option<Value>) -> Self {
        let known = object.as_ref().or(old_object.as_ref());
        let text = |pointer: &str| {
            let found = known.and_then(|it| it.pointer(pointer));
            found.and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let api_version = text("/apiVersion");
        let (group, version) = api_version.split_once('/').unwrap_or(("", &api_version));
        let kind = GroupVersionKind::gvk(group, version, &text("/kind"));
        let plural = ApiResource::from_gvk(&kind).plural;
        let name = text("/metadata/name");
        let is_namespace = group.is_empty() && plural == "namespaces";
        let options = format!("{}Options", operation.title());
        Self {
            operation,
            resource: GroupVersionResource::gvr(group, version, &plural),
            kind,
            subresource: String::new(),
            namespace: match is_namespace {
                true => name.clone(),
                false => text("/metadata/namespace"),
            },
            name,
            object,
            old_object,
            options: json!({ "kind": options, "apiVersion": "meta.k8s.io/v1" }),
            dry_run: false,
            user: User::new("admin").group(MASTERS).authenticated(),
        }
    }

    /// Returns whether the request is for a resource itself, not for a subresource.
    pub(crate) fn is(&self, group: &str, resource: &str) -> bool {
        self.resource.group == group
            && self.resource.resource == resource
            && self.subresource.is_empty()
    }
}
