//! Clients of the in-process API server.

use std::io;

use genclient::client;
use genclient::kube::client::Body;
use genclient::kube::{Client, Config};
use http::{Request, Response, Uri};
use tower::{Service, ServiceExt};

use crate::answer::ResponseBody;
use crate::rbac::User;
use crate::server::ApiServer;

impl ApiServer {
    /// Returns the client of an administrator, who may do everything.
    ///
    /// Retries, warnings and rate limits are those of [`genclient::client::connect`], as in
    /// programs that talk to a cluster.
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which the client is bound to.
    pub fn client(&self) -> Client {
        connect(self.clone())
    }

    /// Returns the client of a user, such as `system:serviceaccount:default:manager`. The roles and
    /// bindings in the store decide what it may do; everything else is forbidden, as in a cluster.
    ///
    /// Roles and bindings take effect when they are written. The default ones of a cluster exist.
    ///
    /// ```
    /// use genclient::kube::api::{Api, ListParams};
    /// use genclient_apiserver::ApiServer;
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), genclient_apiserver::BuildError> {
    /// let server = ApiServer::builder().build()?;
    /// let client = server.client_as("system:serviceaccount:default:manager");
    /// let pods: Api<Pod> = Api::default_namespaced(client);
    /// let refused = pods.list(&ListParams::default()).await.unwrap_err();
    /// assert!(refused.to_string().contains(r#"cannot list resource "pods""#));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Panics
    ///
    /// Outside of a Tokio runtime, which the client is bound to.
    pub fn client_as(&self, user: impl Into<User>) -> Client {
        let user = user.into();
        connect(self.clone().map_request(move |mut request: Request<Body>| {
            request.extensions_mut().insert(user.clone());
            request
        }))
    }
}

fn connect<S>(service: S) -> Client
where
    S: Service<Request<Body>, Response = Response<ResponseBody>, Error = io::Error>,
    S: Send + 'static,
    S::Future: Send + 'static,
{
    let config = Config::new(Uri::from_static("http://apiserver.invalid"));
    let client = client::builder(config).connect_to(service);
    #[expect(
        clippy::expect_used,
        reason = "the user agent is the program's name, escaped"
    )]
    client.expect("the default user agent can be sent")
}
