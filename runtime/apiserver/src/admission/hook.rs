//! [`AdmissionPlugin`]: hooks of a test that change or refuse writes.

use std::future::Future;

use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::{Value, json};

use super::request::AdmissionRequest;
use crate::failure::Failure;

/// A hook that changes or refuses writes, as an admission plug-in of kube-apiserver does.
///
/// Hooks run before the webhooks, in the order in which they were added. Objects that the
/// [`ApiServerBuilder`](crate::ApiServerBuilder) creates are not shown to them.
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
    /// Changes the new state of an object before it is validated. Deletions are not shown.
    ///
    /// It runs again if the object was written in the meantime, and after webhooks that changed it:
    /// the same change twice has to be that change once. `request.object` is the state before.
    ///
    /// A hook may send requests to the server, but not wait for
    /// [`settle`](crate::ApiServer::settle).
    ///
    /// # Errors
    ///
    /// The refusal of the request.
    fn mutate(
        &self,
        request: &AdmissionRequest,
        object: &mut Value,
    ) -> impl Future<Output = Result<(), Denied>> + Send {
        let _ = (request, object);
        async { Ok(()) }
    }

    /// Looks at a write after the object was validated, before it is stored.
    ///
    /// # Errors
    ///
    /// The refusal of the request.
    fn validate(
        &self,
        request: &AdmissionRequest,
    ) -> impl Future<Output = Result<(), Denied>> + Send {
        let _ = request;
        async { Ok(()) }
    }
}

/// Why a hook refuses a write.
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

    /// A Status of one's own, such as 422 with reason `Invalid`.
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

/// The refusal of an admission plug-in (`NewForbidden` in k8s.io/apiserver/pkg/admission).
pub(crate) fn forbidden(request: &AdmissionRequest, reason: &str) -> Failure {
    let object = request.object.as_ref();
    let field = |field: &str| object.and_then(|it| it["metadata"][field].as_str());
    let names = [Some(&*request.name), field("name"), field("generateName")];
    let mut names = names.into_iter().flatten().filter(|it| !it.is_empty());
    let name = names.next().unwrap_or("Unknown");
    let resource = &request.resource;
    Failure::forbidden(&resource.group, &resource.resource, name, reason)
}

/// [`AdmissionPlugin`] behind a pointer.
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
