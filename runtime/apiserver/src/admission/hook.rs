//! [`AdmissionPlugin`]: admission hooks of a test, which mutate or reject writes.

use std::future::Future;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::request::AdmissionRequest;
use crate::failure::Failure;

/// Hook that mutates or rejects writes, like an admission plug-in of kube-apiserver.
///
/// Hooks run before webhooks, in the order in which they were added. They do not see the objects
/// that the [`ApiServerBuilder`](crate::ApiServerBuilder) creates.
///
/// ```
/// use genclient_apiserver::{AdmissionPlugin, AdmissionRequest, ApiServer, Denied};
/// use serde_json::Value;
///
/// /// Pods of `default` need an owner.
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
    /// Mutates the new state of an object before validation. It is not called for deletions.
    ///
    /// It runs again if the object was written in the meantime, and after webhooks that changed it.
    /// It must therefore be idempotent. `request.object` is the state so far.
    ///
    /// A hook may send requests to the server, but must not wait for
    /// [`settle`](crate::ApiServer::settle).
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

    /// Validates a write after the object is validated and before it is stored.
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

/// Rejection of a write by a hook.
#[derive(Clone, Debug, PartialEq)]
pub struct Denied(Reason);

#[derive(Clone, Debug, PartialEq)]
enum Reason {
    Forbidden(String),
    Status(Box<Value>),
}

impl Denied {
    /// 403 Forbidden with the message of an admission plug-in: `pods "a" is forbidden: REASON`.
    pub fn forbidden(reason: impl Into<String>) -> Self {
        Self(Reason::Forbidden(reason.into()))
    }

    /// A Status with a code and reason of the hook, such as 422 with reason `Invalid`.
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
        Self(Reason::Status(Box::new(status)))
    }

    pub(crate) fn failure(self, request: &AdmissionRequest) -> Failure {
        match self.0 {
            Reason::Forbidden(reason) => forbidden(request, &reason),
            Reason::Status(status) => Failure::sent(*status),
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

/// Returns the failure of a rejection by an admission plug-in (`NewForbidden` in
/// k8s.io/apiserver/pkg/admission).
pub(crate) fn forbidden(request: &AdmissionRequest, reason: &str) -> Failure {
    let object = request.object.as_ref();
    let field = |field: &str| object.and_then(|it| it["metadata"][field].as_str());
    let names = [Some(&*request.name), field("name"), field("generateName")];
    let mut names = names.into_iter().flatten().filter(|it| !it.is_empty());
    let name = names.next().unwrap_or("Unknown");
    let resource = &request.resource;
    Failure::forbidden(&resource.group, &resource.resource, name, reason)
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
