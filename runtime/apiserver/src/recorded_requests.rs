//! [`RecordedRequest`]: a received request for objects, recorded for the assertions of a test.

use std::fmt;

use parking_lot::Mutex;

use crate::query::Query;
use crate::rbac::User;
use crate::route::{RequestInfo, Verb};

/// Received request for objects, from [`ApiServer::requests`](crate::ApiServer::requests).
///
/// `Display` is the line `VERB RESOURCE[/SUBRESOURCE] [NAMESPACE/]NAME [rv=VERSION]`, in which
/// empty parts are omitted. A request equals the text of its line:
///
/// ```
/// use genclient::kube::api::{Api, ListParams};
/// use genclient_apiserver::{ApiServer, Verb};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = ApiServer::builder().build()?;
/// let pods: Api<Pod> = Api::default_namespaced(server.client());
/// pods.list(&ListParams::default()).await?;
/// pods.get_opt("web").await?;
///
/// assert_eq!(server.requests(), ["list pods default", "get pods default/web"]);
/// let get = &server.requests()[1];
/// assert_eq!((get.verb, &*get.resource, &*get.user), (Verb::Get, "pods", "admin"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecordedRequest {
    /// The verb as RBAC names it: a server-side apply is a [`Verb::Patch`].
    pub verb: Verb,
    /// The API group; empty for the core group.
    pub group: String,
    /// The plural, such as `pods`.
    pub resource: String,
    /// The subresource, such as `status`; empty for the object itself.
    pub subresource: String,
    /// The namespace in the path; empty for all namespaces and for cluster-scoped objects.
    pub namespace: String,
    /// The name in the path; empty for a collection and for the creation of an object.
    pub name: String,
    /// The query parameter `resourceVersion`; empty if it is absent.
    pub resource_version: String,
    /// The name of the user: `admin` for a request without credentials, the impersonated user for a
    /// permitted impersonation, and empty for an unknown token.
    pub user: String,
}

impl RecordedRequest {
    fn new(verb: Verb, target: &RequestInfo, query: &Query, user: Option<&User>) -> Self {
        Self {
            verb,
            group: target.group.clone(),
            resource: target.plural.clone(),
            subresource: target.subresource.clone(),
            namespace: target.namespace.clone(),
            name: target.name.clone(),
            resource_version: query.text("resourceVersion").to_owned(),
            user: user.map(User::name).unwrap_or_default().to_owned(),
        }
    }
}

impl fmt::Display for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb.as_str(), self.resource)?;
        if !self.subresource.is_empty() {
            write!(f, "/{}", self.subresource)?;
        }
        match (&*self.namespace, &*self.name) {
            ("", "") => {}
            (namespace, "") => write!(f, " {namespace}")?,
            ("", name) => write!(f, " {name}")?,
            (namespace, name) => write!(f, " {namespace}/{name}")?,
        }
        if !self.resource_version.is_empty() {
            write!(f, " rv={}", self.resource_version)?;
        }
        Ok(())
    }
}

impl fmt::Debug for RecordedRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "\"{self}\" by {:?}", self.user)
    }
}

impl PartialEq<str> for RecordedRequest {
    fn eq(&self, line: &str) -> bool {
        let own = self.to_string();
        own == line
    }
}

impl PartialEq<&str> for RecordedRequest {
    fn eq(&self, line: &&str) -> bool {
        self == *line
    }
}

/// Adds a request to the list. `user` is `None` if the token of the request is unknown.
pub(crate) fn record_request(
    requests: &Mutex<Vec<RecordedRequest>>,
    (verb, target): (Verb, &RequestInfo),
    query: &Query,
    user: Option<&User>,
) {
    let request = RecordedRequest::new(verb, target, query, user);
    requests.lock().push(request);
}
