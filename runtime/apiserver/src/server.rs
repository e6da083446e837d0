//! [`ApiServer`]: the in-process API server, its clients and its controls for tests.

use std::fmt;
use std::io;
use std::sync::Arc;

use genclient::client;
use genclient::kube::client::Body;
use genclient::kube::{Client, Config};
use http::{Request, Response, Uri};
use tower::{Service, ServiceExt};

use crate::api_response::ResponseBody;
use crate::controllers::Controllers;
use crate::faults::Fault;
use crate::rbac::User;
use crate::recorded_requests::RecordedRequest;
use crate::route::Verb;
use crate::state::ServerState;
use crate::watch_faults::Watches;

/// A Kubernetes API server in this process.
///
/// It is a [`tower::Service`] that handles requests in the task of the caller. Clones share one
/// server. [`client`](Self::client) returns a [`kube::Client`](genclient::kube::Client) that sends
/// its requests to the server.
///
/// As with kube-apiserver, the server responds with 504 if a request takes too long. The limit is
/// 34 s for a write of one object and 60 s for other requests except watches. The query parameter
/// `timeout` shortens it.
///
/// For each request the server logs a [`tracing`] event at the level `debug`, with `method`,
/// `path`, `code` and `duration`. If a [`Fault`] broke the connection or the client canceled the
/// request, the event has `error` in place of `code`. With `RUST_LOG=genclient_apiserver=debug`, a
/// subscriber that reads this variable shows the events.
#[derive(Clone)]
pub struct ApiServer {
    pub(crate) state: Arc<ServerState>,
    pub(crate) controllers: Arc<Controllers>,
}

impl ApiServer {
    /// Returns a client of an administrator, who may do everything.
    ///
    /// The client retries, logs warnings and limits its rate as [`genclient::client::connect`] does
    /// in programs that talk to a cluster.
    ///
    /// # Panics
    ///
    /// If it is called outside of a Tokio runtime. The client is bound to the current runtime.
    pub fn client(&self) -> Client {
        connect_client(self.clone())
    }

    /// Returns a client of a user, such as `system:serviceaccount:default:manager`. The roles and
    /// bindings in the store decide what the user may do; everything else is forbidden, as in a
    /// cluster.
    ///
    /// A role or binding takes effect as soon as it is written. The default roles and bindings of a
    /// cluster exist from the start.
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
    /// If it is called outside of a Tokio runtime. The client is bound to the current runtime.
    pub fn client_as(&self, user: impl Into<User>) -> Client {
        let user = user.into();
        connect_client(self.clone().map_request(move |mut request: Request<Body>| {
            request.extensions_mut().insert(user.clone());
            request
        }))
    }

    /// Returns the received requests for objects, oldest first. They include forbidden requests and
    /// requests that a fault applied to.
    ///
    /// A [`RecordedRequest`] compares equal to its text, such as `create gputasks default`,
    /// `watch gputasks rv=1` or `patch gputasks/status default/a`.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state.requests.lock().clone()
    }

    /// Compacts the store: from now on, reads and watches at older resource versions get 410.
    pub fn compact(&self) {
        self.state.store.compact();
    }

    /// Runs the controllers until all queued work is done. Does not wait for the
    /// [`lag`](crate::ApiServerBuilder::lag) of changes, nor before retries. Event objects are
    /// still deleted only when they expire.
    ///
    /// The controllers collect garbage, empty deleted namespaces, and delete the custom resources
    /// of deleted definitions. Without this call, a change becomes work for the controllers after
    /// its lag, at most 5 ms by default. The work then runs with the next request for objects, or
    /// at once if a watch is open.
    pub async fn settle(&self) {
        self.controllers.run(&self.state, true).await;
    }

    /// Injects a fault into requests with this verb for a resource in any API group, such as
    /// `gputasks` or `gputasks/status`.
    pub fn fail(&self, verb: Verb, resource: &str) -> Fault<'_> {
        self.state.faults.add(Some((verb, resource.to_owned())))
    }

    /// Injects a fault into every request that is not forbidden, including requests for discovery
    /// and other documents.
    ///
    /// `server.outage().refuse()` simulates a server that is down. Open watches continue; to end
    /// them, use [`watches`](Self::watches).
    pub fn outage(&self) -> Fault<'_> {
        self.state.faults.add(None)
    }

    /// Returns the pending faults as text, oldest first.
    ///
    /// A fault with [`times`](Fault::times) is pending until it has applied to that number of
    /// requests. Any other fault is pending until its first request. A fault that is still pending
    /// at the end of a test shows that its resource is misspelt or that an expected retry did not
    /// happen.
    ///
    /// ```
    /// use genclient::kube::api::{Api, ListParams};
    /// use genclient_apiserver::{ApiServer, Verb};
    /// use k8s_openapi::api::core::v1::Pod;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), genclient_apiserver::BuildError> {
    /// let server = ApiServer::builder().build()?;
    /// server.fail(Verb::List, "pods").times(1).status(500);
    /// server.fail(Verb::Update, "gputask").times(2).conflict();
    /// server.fail(Verb::Get, "pods").hang();
    /// let pods: Api<Pod> = Api::default_namespaced(server.client());
    /// pods.list(&ListParams::default()).await.unwrap_err();
    ///
    /// let pending = server.pending_faults();
    /// assert_eq!(pending, ["update gputask: conflict, 2 more times", "get pods: hang, not yet"]);
    /// server.heal();
    /// assert_eq!(server.pending_faults(), [""; 0]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn pending_faults(&self) -> Vec<String> {
        self.state.faults.pending()
    }

    /// Removes all faults of requests, but not those of watches.
    pub fn heal(&self) {
        self.state.faults.clear();
    }

    /// Returns the open watches of a resource in any API group, such as `gputasks`, to inject
    /// faults into them.
    pub fn watches<'a>(&'a self, plural: &'a str) -> Watches<'a> {
        Watches::new(&self.state.watch_faults, plural)
    }

    pub(crate) fn forget_requests(&self) {
        self.state.requests.lock().clear();
    }

    /// Returns the resource version of the newest write.
    pub fn resource_version(&self) -> u64 {
        self.state.store.version()
    }
}

fn connect_client<S>(service: S) -> Client
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

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer")
            .field("version", &self.state.store.version())
            .finish_non_exhaustive()
    }
}
