//! [`ApiServer`]: the in-process API server as a [`tower::Service`].

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::{FutureExt, StreamExt, stream};
use http::header::{ACCEPT, CACHE_CONTROL, ETAG, IF_NONE_MATCH, VARY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tower::{BoxError, Service};

use crate::answer::{Answer, Events, ResponseBody};
use crate::authorization;
use crate::controllers::Controllers;
use crate::deadline::Deadline;
use crate::decode::LIMIT;
use crate::failure::Failure;
use crate::faults::{Fault, TakenFault};
use crate::health;
use crate::kinds::{builtin, discovery};
use crate::nested;
use crate::openapi;
use crate::query::Query;
use crate::rbac;
use crate::rbac::User;
use crate::registry;
use crate::request::ObjectRequest;
use crate::request_log::RequestLog;
use crate::requests::{self, RecordedRequest};
use crate::route::{Route, Target, Verb};
use crate::state::State;
use crate::watches::Watches;

/// A Kubernetes API server in this process.
///
/// It is a [`tower::Service`] that handles requests in the task of the caller; clones share one
/// server. [`client`](Self::client) returns a [`kube::Client`](genclient::kube::Client) that talks
/// to it.
///
/// As with kube-apiserver, a write may take 34 s and any other request 60 s; `timeout` sets another
/// limit. After that the response is 504.
///
/// Each request is an event of [`tracing`] at the level `debug`, with `method`, `path`, `code` and
/// `duration`, or the `error` of a connection that a [`Fault`] broke. A subscriber that reads
/// `RUST_LOG` shows them with `RUST_LOG=genclient_apiserver=debug`.
#[derive(Clone)]
pub struct ApiServer {
    pub(crate) state: Arc<State>,
    pub(crate) controllers: Arc<Controllers>,
}

impl ApiServer {
    /// Returns the requests for objects so far, oldest first, including refused ones and those that
    /// met a fault.
    ///
    /// Each equals the text of its line: `create gputasks default`, `watch gputasks rv=1`,
    /// `patch gputasks/status default/a`.
    pub fn requests(&self) -> Vec<RecordedRequest> {
        self.state.requests.lock().clone()
    }

    /// Compacts the store: reads and watches at older resource versions get 410 from now on.
    pub fn compact(&self) {
        self.state.store.compact();
    }

    /// Runs the controllers until all queued work is done, without a delay.
    ///
    /// They collect garbage, and delete the contents of namespaces and the objects of definitions.
    /// Otherwise they see a change when watchers do, some milliseconds later, see
    /// [`lag`](crate::ApiServerBuilder::lag).
    pub async fn settle(&self) {
        self.controllers.run(&self.state, true).await;
    }

    /// Injects a fault into requests for a resource: `gputasks` or `gputasks/status`.
    pub fn fail(&self, verb: Verb, resource: &str) -> Fault<'_> {
        self.state.faults.add(Some((verb, resource.to_owned())))
    }

    /// Injects a fault into every request, including those for discovery and other documents.
    ///
    /// `server.outage().refuse()` simulates a server that is down. Open watches continue, see
    /// [`watches`](Self::watches).
    pub fn outage(&self) -> Fault<'_> {
        self.state.faults.add(None)
    }

    /// Returns the faults that still expect requests, as text, oldest first.
    ///
    /// Those are faults with [`times`](Fault::times) that have requests left, and faults until
    /// [`heal`](Self::heal) that no request has met. At the end of a test they reveal a misspelt
    /// resource or a retry that did not happen.
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

    /// Ends all faults of requests.
    pub fn heal(&self) {
        self.state.faults.clear();
    }

    /// Returns the open watches of a resource, such as `gputasks`, for fault injection.
    pub fn watches<'a>(&'a self, plural: &'a str) -> Watches<'a> {
        Watches::new(&self.state.interferences, plural)
    }

    pub(crate) fn forget_requests(&self) {
        self.state.requests.lock().clear();
    }

    /// Returns the resource version of the newest write.
    pub fn resource_version(&self) -> u64 {
        self.state.store.version()
    }

    /// Sends a request without a client, to create the server's own objects.
    pub(crate) async fn send(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let body = match body {
            Value::Null => Bytes::new(),
            body => body.to_string().into(),
        };
        let request = Request::builder().method(method).uri(path);
        let request = request.header(http::header::CONTENT_TYPE, "application/json");
        let Ok(request) = request.body(http_body_util::Full::new(body)) else {
            return (400, Value::Null);
        };
        let Ok(answer) = self.answer(request).await else {
            return (500, Value::Null);
        };
        let response = answer.response();
        let code = response.status().as_u16();
        let text = match response.into_body().collect().await {
            Ok(body) => body.to_bytes(),
            Err(_) => return (code, Value::Null),
        };
        (code, serde_json::from_slice(&text).unwrap_or_default())
    }

    async fn answer<B>(&self, request: Request<B>) -> io::Result<Answer>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let (head, body) = request.into_parts();
        let query = Query::parse(head.uri.query().unwrap_or_default());
        let route = Route::of(head.uri.path());
        let is_watch = query.is_set("watch");
        let sender = authorization::authenticate(&self.state, &head);
        let user = sender.clone();
        let user = user.and_then(|it| authorization::impersonate(&self.state, it, &head, &query));
        if let Route::Objects(target) = &route
            && let Some(verb) = Verb::of(&head.method, target, is_watch)
        {
            let known = user.as_ref().or(sender.as_ref()).ok();
            let known = known.map(AsRef::as_ref);
            requests::record(&self.state.requests, (verb, target), &query, known);
        }
        let allowed = user.and_then(|user| {
            authorization::authorize(&self.state, &user, &head, &query)?;
            Ok(user)
        });
        let user = match allowed {
            Ok(user) => user,
            Err(failure) => return Ok(not_admitted(&failure)),
        };
        let target = match route {
            Route::Objects(target) => target,
            other => {
                let fault = self.state.faults.take(None, &Target::default());
                return with_fault(fault, &Target::default(), async {
                    self.document(&head.method, &other, &query, &head.headers)
                })
                .await;
            }
        };
        let Some(verb) = Verb::of(&head.method, &target, is_watch) else {
            return Ok(Answer::failure(&Failure::method_not_allowed()));
        };
        let fault = self.state.faults.take(Some(verb), &target);
        let faulty = target.clone();
        with_fault(fault, &faulty, async {
            self.controllers.run_due(&self.state).await;
            let answer = self.objects(verb, target, query, (head.headers, user), body);
            let answer = nested::answering(answer).await;
            self.controllers.run_due(&self.state).await;
            let answer = answer.unwrap_or_else(|failure| Answer::failure(&failure));
            answer.map_events(|events| self.with_controllers(events))
        })
        .await
    }

    /// Wraps the events of a watch: while it waits for one, due work of the controllers runs.
    fn with_controllers(&self, events: Events) -> Events {
        let server = self.clone();
        let begin = (events, None);
        let events = stream::unfold(begin, move |(mut events, mut work)| {
            let server = server.clone();
            async move {
                loop {
                    let mut current = work.take().unwrap_or_else(|| server.clone().work().boxed());
                    tokio::select! {
                        biased;
                        () = &mut current => {}
                        event = events.next() => return Some((event?, (events, Some(current)))),
                    }
                }
            }
        });
        Box::pin(events)
    }

    /// Waits until work of the controllers is due and runs it.
    async fn work(self) {
        self.state.observations.due().await;
        self.controllers.run(&self.state, false).await;
    }

    /// Handles a request for objects.
    async fn objects<B>(
        &self,
        verb: Verb,
        target: Target,
        query: Query,
        (headers, user): (HeaderMap, Arc<User>),
        body: B,
    ) -> Result<Answer, Failure>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let Some(kind) = self
            .state
            .kinds
            .get(&target.group, &target.version, &target.plural)
        else {
            let is_built_in = builtin::has_group(&target.group);
            return match is_built_in {
                true => Err(Failure::no_resource()),
                false => Ok(Answer::plain(404, "404 page not found\n")),
            };
        };
        let mut target = target;
        if kind.custom().is_some() {
            // Path segments after a subresource are ignored.
            let end = target.subresource.find('/');
            target
                .subresource
                .truncate(end.unwrap_or(target.subresource.len()));
        }
        if target.group == rbac::GROUP {
            authorization::load_bootstrap_policy(&self.state);
        }
        let deadline = Deadline::of(verb, &query)?;
        let answer = Box::pin(async {
            let _seat = match deadline {
                Some(_) => self.state.seats.acquire().await.ok(),
                None => None,
            };
            let request = ObjectRequest {
                verb,
                target,
                kind,
                query,
                headers,
                body: read(body).await?,
                clock: self.state.clock,
                user,
                deadline,
                warnings: Mutex::default(),
            };
            Ok(registry::answer(&self.state, request).await)
        });
        match deadline {
            Some(deadline) => deadline.limit(answer).await,
            None => answer.await,
        }
    }

    /// Handles a request for a document: discovery, OpenAPI, version or health.
    fn document(
        &self,
        method: &Method,
        route: &Route,
        query: &Query,
        headers: &HeaderMap,
    ) -> Answer {
        let is_get_only = match route {
            Route::Version | Route::CoreVersions => true,
            Route::Resources { group, .. } => builtin::has_group(group),
            _ => false,
        };
        if is_get_only && method != Method::GET {
            return Answer::failure(&Failure::method_not_allowed());
        }
        match route {
            Route::Root => self.paths(),
            Route::Health(check) => health::answer(check, query),
            Route::OpenApi(path) => openapi::answer(&self.state, path, query, headers),
            Route::Version => Answer::json(200, builtin::version().into_bytes()),
            other => self.describe(other, headers),
        }
    }

    /// Lists the paths of all documents.
    fn paths(&self) -> Answer {
        let mut paths = discovery::paths(&self.state.kinds.served());
        let documents = ["/openapi/v2", "/openapi/v3", "/openapi/v3/", "/version"];
        paths.extend(documents.map(str::to_owned));
        paths.extend(health::paths());
        paths.sort();
        paths.dedup();
        Answer::value(&json!({ "paths": paths }))
    }

    /// Returns a discovery document.
    fn describe(&self, route: &Route, headers: &HeaderMap) -> Answer {
        let served = self.state.kinds.served();
        let accept = headers
            .get(ACCEPT)
            .and_then(|it| it.to_str().ok())
            .unwrap_or_default();
        let is_aggregated = accept.contains("as=APIGroupDiscoveryList");
        let document = match route {
            Route::CoreVersions | Route::Groups if is_aggregated => {
                let is_core = *route == Route::CoreVersions;
                return aggregated(&discovery::aggregated(&served, is_core), headers);
            }
            Route::CoreVersions => Some(discovery::api_versions(&served, "127.0.0.1")),
            Route::Groups => Some(discovery::group_list(&served)),
            Route::Group(name) => discovery::group(&served, name),
            Route::Resources { group, version } => {
                let mut all = served.iter();
                let found = all.find(|it| it.group == *group && it.version == *version);
                found.map(discovery::resource_list)
            }
            _ => None,
        };
        match document {
            Some(document) => Answer::value(&document),
            None => match route {
                Route::Resources { group, .. } if builtin::has_group(group) => {
                    Answer::failure(&Failure::no_resource())
                }
                _ => Answer::plain(404, "404 page not found\n"),
            },
        }
    }
}

/// Returns the response of a request that failed authentication or authorization.
fn not_admitted(failure: &Failure) -> Answer {
    let answer = Answer::failure(failure);
    match failure.code {
        403 => answer.header(X_CONTENT_TYPE_OPTIONS, "nosniff"),
        _ => answer,
    }
}

/// Handles a request with the fault that applies to it.
async fn with_fault(
    fault: Option<TakenFault>,
    target: &Target,
    handle: impl Future<Output = Answer>,
) -> io::Result<Answer> {
    let Some(fault) = fault else {
        return Ok(handle.await);
    };
    if let Some(answer) = fault.before(target).await? {
        return Ok(answer);
    }
    let answer = handle.await;
    fault.after().await?;
    Ok(answer)
}

async fn read<B>(body: B) -> Result<Bytes, Failure>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    match Limited::new(body, LIMIT).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => Err(Failure::too_large(LIMIT as u64)),
        Err(error) => Err(Failure::bad_request(error.to_string())),
    }
}

/// Returns aggregated discovery, or 304 if the client has the current document.
fn aggregated(document: &Value, headers: &HeaderMap) -> Answer {
    let etag = discovery::etag(document);
    let known = headers.get(IF_NONE_MATCH).and_then(|it| it.to_str().ok());
    let answer = match known == Some(&*etag) {
        true => Answer::plain(304, ""),
        false => Answer::value(document).media_type(discovery::AGGREGATED),
    };
    answer
        .header(ETAG, &etag)
        .header(VARY, "Accept")
        .header(CACHE_CONTROL, "public")
}

impl fmt::Debug for ApiServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ApiServer")
            .field("version", &self.state.store.version())
            .finish_non_exhaustive()
    }
}

impl<B> Service<Request<B>> for ApiServer
where
    B: http_body::Body<Data = Bytes> + Send + 'static,
    B::Error: Into<BoxError>,
{
    type Response = Response<ResponseBody>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let server = self.clone();
        let log = RequestLog::begin(&request);
        Box::pin(nested::run(async move {
            let answered = server.answer(request).await;
            log.end(&answered);
            Ok(answered?.response())
        }))
    }
}
