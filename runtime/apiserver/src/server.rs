//! [`ApiServer`]: requests in, responses out.

use std::fmt;
use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CACHE_CONTROL, ETAG, IF_NONE_MATCH, VARY};
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use parking_lot::Mutex;
use serde_json::Value;
use tower::{BoxError, Service};

use crate::addresses::Addresses;
use crate::answer::{Answer, ResponseBody};
use crate::authorization::{self, Authorization, User};
use crate::builder::ApiServerBuilder;
use crate::clock::Clock;
use crate::controllers::{Controllers, establishing};
use crate::decode::LIMIT;
use crate::failure::Failure;
use crate::faults::{self, Effect, Fault, Faults};
use crate::health;
use crate::kinds::{Kind, Kinds, builtin, discovery};
use crate::openapi;
use crate::query::Query;
use crate::registry::{self, ObjectRequest};
use crate::requests;
use crate::route::{Route, Target, Verb};
use crate::seed::Seed;
use crate::store::{Change, Key, Raced, Resource, Store};
use crate::stored::Stored;
use crate::watches::{Interferences, Watches};

/// A Kubernetes API server in this process.
///
/// It is a [`tower::Service`] that answers in the task of the caller; clones are the same server.
/// [`client`](Self::client) makes a [`kube::Client`](genclient::kube::Client) that talks to it.
#[derive(Clone)]
pub struct ApiServer {
    pub(crate) inner: Arc<Inner>,
}

/// State of a server.
pub(crate) struct Inner {
    pub(crate) store: Store,
    pub(crate) kinds: Kinds,
    pub(crate) clock: Clock,
    pub(crate) authorization: Authorization,
    pub(crate) seed: Seed,
    /// How long watchers wait for a change at most.
    pub(crate) lag: Duration,
    pub(crate) namespaces: Resource,
    pub(crate) definitions: Resource,
    pub(crate) interferences: Interferences,
    pub(crate) controllers: Controllers,
    faults: Faults,
    pub(crate) addresses: Mutex<Addresses>,
    requests: Mutex<Vec<String>>,
}

impl ApiServer {
    /// A server with the built-in kinds and the namespaces that every cluster has; settings are
    /// those of [`ApiServerBuilder`].
    pub fn builder() -> ApiServerBuilder {
        ApiServerBuilder::default()
    }

    pub(crate) fn new(
        clock: Clock,
        seed: u64,
        lag: Duration,
        authorization: Authorization,
        has_manager: bool,
    ) -> Self {
        let resource = |group: &str, plural: &str| Resource {
            group: group.to_owned(),
            plural: plural.to_owned(),
        };
        let inner = Inner {
            store: Store::default(),
            kinds: Kinds::default(),
            clock,
            authorization,
            seed: Seed::new(seed),
            lag,
            namespaces: resource("", "namespaces"),
            definitions: resource("apiextensions.k8s.io", "customresourcedefinitions"),
            interferences: Interferences::default(),
            controllers: Controllers::new(has_manager),
            faults: Faults::default(),
            addresses: Mutex::default(),
            requests: Mutex::default(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The requests that were answered, oldest first: verb, resource, and what it was about.
    ///
    /// `create gputasks default/a`, `watch gputasks rv=1`, `patch gputasks/status default/a`.
    pub fn requests(&self) -> Vec<String> {
        self.inner.requests.lock().clone()
    }

    /// Forgets old versions: reads and watches of them are answered with 410 from now on.
    pub fn compact(&self) {
        self.inner.store.compact();
    }

    /// Lets the controllers do everything that is noted for them, without a delay.
    ///
    /// They collect garbage, delete the contents of namespaces and the objects of definitions.
    /// Otherwise they act as watchers do: some milliseconds after the change, see
    /// [`lag`](ApiServerBuilder::lag).
    pub async fn settle(&self) {
        self.inner.controllers.run(&self.inner, true).await;
    }

    /// Makes requests for a resource fail: `gputasks`, or `gputasks/status`.
    pub fn fail(&self, verb: Verb, resource: &str) -> Fault<'_> {
        self.inner.faults.add(verb, resource)
    }

    /// Ends all faults of requests.
    pub fn heal(&self) {
        self.inner.faults.clear();
    }

    /// The open watches of a resource, such as `gputasks`, to be interfered with.
    pub fn watches<'a>(&'a self, plural: &'a str) -> Watches<'a> {
        Watches::new(&self.inner.interferences, plural)
    }

    /// The version of the newest write.
    pub(crate) fn forget_requests(&self) {
        self.inner.requests.lock().clear();
    }

    /// The version of the newest write.
    pub fn resource_version(&self) -> u64 {
        self.inner.store.version()
    }

    /// Sends a request without a client, for the server's own objects.
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
        let Ok(response) = self.answer(request).await else {
            return (500, Value::Null);
        };
        let code = response.status().as_u16();
        let text = match response.into_body().collect().await {
            Ok(body) => body.to_bytes(),
            Err(_) => return (code, Value::Null),
        };
        (code, serde_json::from_slice(&text).unwrap_or_default())
    }

    async fn answer<B>(&self, request: Request<B>) -> io::Result<Response<ResponseBody>>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        Ok(self.inner.answer(request).await?.response())
    }
}

impl Inner {
    async fn answer<B>(self: &Arc<Self>, request: Request<B>) -> io::Result<Answer>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let (head, body) = request.into_parts();
        let query = Query::parse(head.uri.query().unwrap_or_default());
        let route = Route::of(head.uri.path());
        let is_watch = query.is_set("watch");
        let user = match authorization::admit(self, &head, &query) {
            Ok(user) => user,
            Err(failure) => {
                if let Route::Objects(target) = &route
                    && let Some(verb) = Verb::of(&head.method, target, is_watch)
                {
                    requests::record(&self.requests, verb, target, &query);
                }
                return Ok(Answer::failure(&failure));
            }
        };
        let not_there = || Ok(Answer::plain(404, "404 page not found\n"));
        let target = match route {
            Route::Objects(target) => target,
            Route::Health(check) => return Ok(health::answer(&check, &query)),
            Route::OpenApi(path) => {
                return Ok(openapi::answer(self, &path, &query, &head.headers));
            }
            Route::Version => return Ok(Answer::json(200, builtin::version().into_bytes())),
            Route::Nothing => return not_there(),
            other => return Ok(self.describe(&other, &head.headers)),
        };
        let Some(verb) = Verb::of(&head.method, &target, is_watch) else {
            return Ok(Answer::failure(&Failure::method_not_allowed()));
        };
        requests::record(&self.requests, verb, &target, &query);
        let fault = self.faults.take(verb, &target);
        let is_lost = matches!(fault, Some((Effect::Lose, _)));
        match fault {
            Some((Effect::Answer(code), retry_after)) => {
                return Ok(Answer::failure(&faults::failure(
                    code,
                    &target,
                    retry_after,
                )));
            }
            Some((Effect::Delay(delay), _)) => tokio::time::sleep(delay).await,
            Some((Effect::Hang, _)) => std::future::pending().await,
            Some((Effect::Cut, _)) => return Err(faults::broken()),
            Some((Effect::Lose, _)) | None => {}
        }
        self.controllers.run_due(self).await;
        let answer = self
            .objects(verb, target, query, (head.headers, user), body)
            .await;
        self.controllers.run_due(self).await;
        match is_lost {
            true => Err(faults::broken()),
            false => Ok(answer.unwrap_or_else(|failure| Answer::failure(&failure))),
        }
    }

    /// Answers a request for objects.
    async fn objects<B>(
        self: &Arc<Self>,
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
            .kinds
            .get(&target.group, &target.version, &target.plural)
        else {
            let is_built_in = builtin::has_group(&target.group);
            return match is_built_in {
                true => Err(Failure::no_resource()),
                false => Ok(Answer::plain(404, "404 page not found\n")),
            };
        };
        if target.group == authorization::GROUP {
            authorization::load_bootstrap_policy(self);
        }
        let body = read(body).await?;
        let request = ObjectRequest {
            verb,
            target,
            kind,
            query,
            headers,
            body,
            clock: self.clock,
            user,
            warnings: Mutex::default(),
        };
        Ok(registry::answer(self, request).await)
    }

    /// What the server serves.
    fn describe(&self, route: &Route, headers: &HeaderMap) -> Answer {
        let served = self.kinds.served();
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
            None => Answer::plain(
                404,
                "404 page not found
",
            ),
        }
    }

    /// Writes a state to the store, and serves what a definition defines.
    pub(crate) fn commit(
        &self,
        kind: &Kind,
        key: &Key,
        live: Option<&Arc<Stored>>,
        object: Option<Value>,
        schema_id: u64,
    ) -> Result<Arc<Stored>, Raced> {
        let lag = self.seed.delay(self.lag);
        let write = |version| object.map(|object| Stored::new(object, version, schema_id));
        let observe = |change: &Change| self.controllers.observe(&kind.resource, change);
        let stored = self
            .store
            .commit(&kind.resource, key, live, write, lag, observe)?;
        if kind.resource == self.definitions {
            establishing::settle(self, kind, &stored);
        }
        authorization::aggregate_after(self, kind, lag);
        Ok(stored)
    }
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

/// Aggregated discovery; nothing if the client has this state already.
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
            .field("version", &self.inner.store.version())
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
        Box::pin(async move { server.answer(request).await })
    }
}
