//! [`AdmissionPlugin`]: admission plug-ins that a test adds to the server.

use std::future::Future;

use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::kube::core::{ApiResource, GroupVersionKind, GroupVersionResource};
use serde_json::{Value, json};

use crate::rbac::User;
use crate::rbac::user::MASTERS;
use crate::status_error::StatusError;

/// Admission plug-in: mutates or rejects writes, as the plug-ins of kube-apiserver do.
///
/// Plug-ins run before webhooks, in the order in which they were added. They are not called for the
/// objects that the [`ApiServerBuilder`](crate::ApiServerBuilder) creates.
///
/// ```
/// use genclient_apiserver::{AdmissionPlugin, AdmissionRequest, ApiServer, Denied};
/// use serde_json::Value;
///
/// /// Pods need an owner.
/// struct NeedsOwner;
///
/// impl AdmissionPlugin for NeedsOwner {
///     async fn validate(&self, request: &AdmissionRequest) -> Result<(), Denied> {
///         let owner = request.object.as_ref().map(|it| &it["metadata"]["labels"]["owner"]);
///         match owner {
///             Some(Value::Null) if request.resource.resource == "pods" => {
///                 Err(Denied::forbidden("label `owner` is missing"))
///             }
///             _ => Ok(()),
///         }
///     }
/// }
///
/// let server = ApiServer::builder().admission_plugin(NeedsOwner).build()?;
/// # Ok::<(), genclient_apiserver::BuildError>(())
/// ```
pub trait AdmissionPlugin: Send + Sync + 'static {
    /// Mutates the new state of an object before the API server validates the object. The method is
    /// not called for deletions.
    ///
    /// The server calls the method again if it retries the request after a concurrent write, or if
    /// a webhook changed the object. The method must therefore be idempotent. `object` is the state
    /// to mutate. At first it is equal to `request.object`, which stays the same during the call.
    ///
    /// A plug-in may send requests to the server. But it must not wait for
    /// [`settle`](crate::ApiServer::settle). `settle` waits for the controllers, and a controller
    /// may be waiting for the plug-in.
    ///
    /// # Errors
    ///
    /// [`Denied`] rejects the request.
    fn mutate(
        &self,
        request: &AdmissionRequest,
        object: &mut Value,
    ) -> impl Future<Output = Result<(), Denied>> + Send {
        let _ = (request, object);
        async { Ok(()) }
    }

    /// Checks a write after the API server has validated the object and before the write is stored.
    ///
    /// # Errors
    ///
    /// [`Denied`] rejects the request.
    fn validate(
        &self,
        request: &AdmissionRequest,
    ) -> impl Future<Output = Result<(), Denied>> + Send {
        let _ = request;
        async { Ok(()) }
    }
}

/// Rejection of a write by an admission plug-in.
#[derive(Clone, Debug, PartialEq)]
pub struct Denied(Denial);

#[derive(Clone, Debug, PartialEq)]
enum Denial {
    Forbidden(String),
    Status(Box<Value>),
}

impl Denied {
    /// Rejects with 403 Forbidden and the message of kube-apiserver's plug-ins:
    /// `pods "a" is forbidden: REASON`.
    pub fn forbidden(reason: impl Into<String>) -> Self {
        Self(Denial::Forbidden(reason.into()))
    }

    /// Rejects with a Status of this code, reason and message, such as 422 and `Invalid`.
    pub fn status(code: u16, reason: &str, message: impl Into<String>) -> Self {
        let message: String = message.into();
        let status = json!({
            "kind": "Status",
            "apiVersion": "v1",
            "metadata": {},
            "status": "Failure",
            "message": message,
            "reason": reason,
            "code": code,
        });
        Self(Denial::Status(Box::new(status)))
    }

    pub(crate) fn into_status_error(self, request: &AdmissionRequest) -> StatusError {
        match self.0 {
            Denial::Forbidden(reason) => forbidden_error(request, &reason),
            Denial::Status(status) => StatusError::from_status(*status),
        }
    }
}

impl From<&str> for Denied {
    fn from(reason: &str) -> Self {
        Self::forbidden(reason)
    }
}

impl From<String> for Denied {
    fn from(reason: String) -> Self {
        Self::forbidden(reason)
    }
}

/// Returns the 403 response to a write that an admission plug-in rejects (`NewForbidden` in
/// k8s.io/apiserver/pkg/admission).
pub(crate) fn forbidden_error(request: &AdmissionRequest, reason: &str) -> StatusError {
    let object = request.object.as_ref();
    let metadata_field = |name: &str| object.and_then(|it| it["metadata"][name].as_str());
    let names = [
        Some(&*request.name),
        metadata_field("name"),
        metadata_field("generateName"),
    ];
    let mut names = names.into_iter().flatten().filter(|it| !it.is_empty());
    let name = names.next().unwrap_or("Unknown");
    let resource = &request.resource;
    StatusError::forbidden(&resource.group, &resource.resource, name, reason)
}

/// Dyn-compatible form of [`AdmissionPlugin`].
pub(crate) trait DynAdmissionPlugin: Send + Sync {
    fn mutate<'a>(
        &'a self,
        request: &'a AdmissionRequest,
        object: &'a mut Value,
    ) -> BoxFuture<'a, Result<(), Denied>>;

    fn validate<'a>(&'a self, request: &'a AdmissionRequest) -> BoxFuture<'a, Result<(), Denied>>;
}

impl<A: AdmissionPlugin> DynAdmissionPlugin for A {
    fn mutate<'a>(
        &'a self,
        request: &'a AdmissionRequest,
        object: &'a mut Value,
    ) -> BoxFuture<'a, Result<(), Denied>> {
        AdmissionPlugin::mutate(self, request, object).boxed()
    }

    fn validate<'a>(&'a self, request: &'a AdmissionRequest) -> BoxFuture<'a, Result<(), Denied>> {
        AdmissionPlugin::validate(self, request).boxed()
    }
}

impl std::fmt::Debug for dyn DynAdmissionPlugin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("AdmissionPlugin").finish_non_exhaustive()
    }
}

/// A write of an object, which admission plug-ins may mutate or reject.
///
/// Its fields correspond to `admission.Attributes` in k8s.io/apiserver.
///
/// A unit test of a plug-in can build a request with [`create`](Self::create),
/// [`update`](Self::update) or [`delete`](Self::delete), and then set other fields:
///
/// ```
/// use genclient_apiserver::{AdmissionPlugin, AdmissionRequest, Denied, User};
/// use serde_json::json;
///
/// /// Only administrators may write.
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
    /// The kind of the object; `Scale` for the subresource `scale`, `TokenRequest` for `token`.
    pub kind: GroupVersionKind,
    /// The group, version and plural in the URL.
    pub resource: GroupVersionResource,
    /// The subresource of the URL, such as `status`; usually empty.
    pub subresource: String,
    /// The object's name. If a user deletes a collection, plug-ins are called for each object, and
    /// the name is empty; [`old_object`](Self::old_object) has it. If the server generates the
    /// name, it is empty in `mutate` and set in `validate`.
    pub name: String,
    /// The object's namespace; empty for cluster-scoped objects. For a Namespace, it is the
    /// Namespace's own name.
    pub namespace: String,
    /// The object after the operation; `None` for deletions.
    pub object: Option<Value>,
    /// The object before the operation; `None` for creates.
    pub old_object: Option<Value>,
    /// The options of the request as an object, such as a `CreateOptions`.
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
    /// Returns the operation as in an `AdmissionReview`, such as `CREATE`.
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
    /// Returns a request of an administrator to create an object.
    ///
    /// Kind, name and namespace are those of the object. The resource is the kind's plural by the
    /// usual rule: `pods` for `Pod`.
    pub fn create(object: Value) -> Self {
        Self::new(Operation::Create, Some(object), None)
    }

    /// Returns a request of an administrator to update an object from its old to its new state.
    pub fn update(old_object: Value, object: Value) -> Self {
        Self::new(Operation::Update, Some(object), Some(old_object))
    }

    /// Returns a request of an administrator to delete an object.
    pub fn delete(object: Value) -> Self {
        Self::new(Operation::Delete, None, Some(object))
    }

    fn new(operation: Operation, object: Option<Value>, old_object: Option<Value>) -> Self {
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
            namespace: if is_namespace {
                name.clone()
            } else {
                text("/metadata/namespace")
            },
            name,
            object,
            old_object,
            options: json!({ "kind": options, "apiVersion": "meta.k8s.io/v1" }),
            dry_run: false,
            user: User::new("admin").group(MASTERS).authenticated(),
        }
    }

    /// Returns whether the request is for this resource and not for one of its subresources.
    pub(crate) fn is(&self, group: &str, resource: &str) -> bool {
        self.resource.group == group
            && self.resource.resource == resource
            && self.subresource.is_empty()
    }
}
