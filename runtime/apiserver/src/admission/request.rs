//! [`AdmissionRequest`]: a write as admission sees it.

use genclient::kube::core::{ApiResource, GroupVersionKind, GroupVersionResource};
use serde_json::{Value, json};

use crate::rbac::User;
use crate::rbac::user::MASTERS;

/// A write that admission may change or refuse.
///
/// Its fields are those of `admission.Attributes` in k8s.io/apiserver.
///
/// Tests of a plug-in make requests by [`create`](Self::create), [`update`](Self::update) and
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
    /// What is to happen to the object.
    pub operation: Operation,
    /// The kind of the object: that of the resource, or `Scale` for the subresource `scale`.
    pub kind: GroupVersionKind,
    /// The resource of the URL.
    pub resource: GroupVersionResource,
    /// The subresource of the URL, such as `status`; mostly empty.
    pub subresource: String,
    /// The object's name; empty while the server is to generate one, and if a collection is
    /// deleted.
    pub name: String,
    /// The object's namespace; a Namespace has its own name there.
    pub namespace: String,
    /// The new state. Deletions have none.
    pub object: Option<Value>,
    /// The state before. Creates have none.
    pub old_object: Option<Value>,
    /// The options of the operation, such as a `CreateOptions`.
    pub options: Value,
    /// Whether nothing is stored.
    pub dry_run: bool,
    /// The user who sends the request.
    pub user: User,
}

/// What is to happen to an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operation {
    /// It is created.
    Create,
    /// It is updated, patched or applied.
    Update,
    /// It is deleted.
    Delete,
}

impl Operation {
    /// The name in the API: `CREATE`.
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
    /// The creation of an object by an administrator, as plug-ins see it.
    ///
    /// Kind, name and namespace are those of the object. The resource is named after the kind, as
    /// most are: `Pod` and `pods`.
    pub fn create(object: Value) -> Self {
        Self::of(Operation::Create, Some(object), None)
    }

    /// An update from the old state of an object to a new one, likewise.
    pub fn update(old_object: Value, object: Value) -> Self {
        Self::of(Operation::Update, Some(object), Some(old_object))
    }

    /// The deletion of an object, likewise.
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

    /// Whether the object is of a built-in resource, and not a subresource of it.
    pub(crate) fn is(&self, group: &str, resource: &str) -> bool {
        self.resource.group == group
            && self.resource.resource == resource
            && self.subresource.is_empty()
    }
}
