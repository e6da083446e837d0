//! Handler of requests. After authentication, authorization and faults, requests for objects go to
//! the registry. All of them except watches have a deadline. Other requests get a document, such as
//! discovery.
//!
//! A nested request is one that an admission plug-in or a webhook sends while the server handles
//! another request. It runs in a separate task.

use std::future::Future;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::{FutureExt, StreamExt, stream};
use genclient_builtins::kind;
use http::header::X_CONTENT_TYPE_OPTIONS;
use http::{HeaderMap, Method, Request, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::task::JoinSet;
use tower::{BoxError, Service};
use tracing::Instrument;

use crate::api_response::{ApiResponse, Events, ResponseBody};
use crate::deadline::RequestDeadline;
use crate::decode::REQUEST_BODY_LIMIT;
use crate::faults::TakenFault;
use crate::query::Query;
use crate::rbac::User;
use crate::request::ObjectRequest;
use crate::request_log::RequestLog;
use crate::route::{RequestInfo, Route, Verb};
use crate::server::ApiServer;
use crate::status_error::StatusError;
use crate::{authorization, documents, rbac, recorded_requests, registry};

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
        Box::pin(run_request(async move {
            let response = server.answer(request).await;
            log.end(&response);
            Ok(response?.into_http())
        }))
    }
}

impl ApiServer {
    /// Handles a request: authentication, impersonation and authorization, then injected faults,
    /// then the document or the objects. An error means that a fault broke the connection.
    async fn answer<B>(&self, request: Request<B>) -> io::Result<ApiResponse>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let (head, body) = request.into_parts();
        let query = Query::parse(head.uri.query().unwrap_or_default());
        let route = Route::parse(head.uri.path());
        let is_watch = query.is_set("watch");
        let sender = authorization::authenticate(&self.state, &head);
        let user = sender
            .clone()
            .and_then(|it| authorization::impersonate(&self.state, it, &head, &query));
        if let Route::Objects(target) = &route
            && let Some(verb) = Verb::from_method(&head.method, target, is_watch)
        {
            // Recorded before authorization, so that tests see forbidden requests too. A request
            // with a forbidden impersonation is the sender's.
            let known = user.as_ref().or(sender.as_ref()).ok().map(AsRef::as_ref);
            recorded_requests::record_request(&self.state.requests, (verb, target), &query, known);
        }
        let allowed = user.and_then(|user| {
            authorization::authorize(&self.state, &user, &head, &query)?;
            Ok(user)
        });
        let user = match allowed {
            Ok(user) => user,
            Err(error) => return Ok(denied_response(&error)),
        };
        let target = match route {
            Route::Objects(target) => target,
            other => {
                let fault = self.state.faults.take(None, &RequestInfo::default());
                return with_fault(fault, &RequestInfo::default(), async {
                    documents::respond(&self.state, &head.method, &other, &query, &head.headers)
                })
                .await;
            }
        };
        let Some(verb) = Verb::from_method(&head.method, &target, is_watch) else {
            return Ok(ApiResponse::from_error(&StatusError::method_not_allowed()));
        };
        let fault = self.state.faults.take(Some(verb), &target);
        let faulty = target.clone();
        with_fault(fault, &faulty, async {
            // Changes that are due are seen by this request; work that it causes without a lag is
            // done before its response.
            self.controllers.run_due(&self.state).await;
            let handled = self.handle_objects(verb, target, query, (head.headers, user), body);
            let response = mark_handling(handled).await;
            self.controllers.run_due(&self.state).await;
            response
                .unwrap_or_else(|error| ApiResponse::from_error(&error))
                .map_events(|events| self.with_controllers(events))
        })
        .await
    }

    /// Handles a request for objects, after authorization.
    async fn handle_objects<B>(
        &self,
        verb: Verb,
        target: RequestInfo,
        query: Query,
        (headers, user): (HeaderMap, Arc<User>),
        body: B,
    ) -> Result<ApiResponse, StatusError>
    where
        B: http_body::Body<Data = Bytes>,
        B::Error: Into<BoxError>,
    {
        let Some(kind) = self
            .state
            .kinds
            .get(&target.group, &target.version, &target.plural)
        else {
            let is_built_in = kind::has_group(&target.group);
            return if is_built_in {
                Err(StatusError::no_resource())
            } else {
                Ok(ApiResponse::plain(404, "404 page not found\n"))
            };
        };
        let mut target = target;
        if kind.custom().is_some() {
            // kube-apiserver ignores path segments after the subresource of a custom resource.
            let end = target.subresource.find('/');
            target
                .subresource
                .truncate(end.unwrap_or(target.subresource.len()));
        }
        if target.group == rbac::GROUP {
            authorization::load_bootstrap_policy(&self.state);
        }
        let deadline = RequestDeadline::from_query(verb, &query)?;
        let handled = Box::pin(async {
            // A body that does not arrive must not count against the limit on concurrent requests.
            let body = read_body(body).await?;
            let _permit = match deadline {
                Some(_) => self.state.in_flight.acquire().await.ok(),
                None => None,
            };
            let request = ObjectRequest {
                verb,
                target,
                kind,
                query,
                headers,
                body,
                clock: self.state.clock,
                user,
                deadline,
                warnings: Mutex::default(),
            };
            Ok(registry::answer(&self.state, request).await)
        });
        match deadline {
            Some(deadline) => deadline.limit(handled).await,
            None => handled.await,
        }
    }

    /// Wraps the event stream of a watch. The controllers have no task of their own, so the stream
    /// runs their due work while the watch waits for its next event.
    fn with_controllers(&self, events: Events) -> Events {
        let server = self.clone();
        let begin = (events, None);
        let events = stream::unfold(begin, move |(mut events, mut work)| {
            let server = server.clone();
            async move {
                loop {
                    let mut current = work
                        .take()
                        .unwrap_or_else(|| server.clone().run_next_work().boxed());
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

    /// Waits until work of the controllers is due, and then runs it.
    async fn run_next_work(self) {
        self.state.controller_queue.due().await;
        self.controllers.run(&self.state, false).await;
    }

    /// Handles a request of the server itself, such as the creation of an initial object.
    pub(crate) async fn send(&self, method: Method, path: &str, body: &Value) -> (u16, Value) {
        let body = match body {
            Value::Null => Bytes::new(),
            body => body.to_string().into(),
        };
        let request = Request::builder()
            .method(method)
            .uri(path)
            .header(http::header::CONTENT_TYPE, "application/json");
        let Ok(request) = request.body(http_body_util::Full::new(body)) else {
            return (400, Value::Null);
        };
        let Ok(response) = self.answer(request).await else {
            return (500, Value::Null);
        };
        let response = response.into_http();
        let code = response.status().as_u16();
        let text = match response.into_body().collect().await {
            Ok(body) => body.to_bytes(),
            Err(_) => return (code, Value::Null),
        };
        (code, serde_json::from_slice(&text).unwrap_or_default())
    }
}

/// Returns the response of a request that failed authentication or authorization.
fn denied_response(error: &StatusError) -> ApiResponse {
    let response = ApiResponse::from_error(error);
    match error.code {
        403 => response.header(X_CONTENT_TYPE_OPTIONS, "nosniff"),
        _ => response,
    }
}

/// Handles a request, with the effect of `fault` before and after it.
async fn with_fault(
    fault: Option<TakenFault>,
    target: &RequestInfo,
    handle: impl Future<Output = ApiResponse>,
) -> io::Result<ApiResponse> {
    let Some(fault) = fault else {
        return Ok(handle.await);
    };
    if let Some(response) = fault.before(target).await? {
        return Ok(response);
    }
    let response = handle.await;
    fault.after().await?;
    Ok(response)
}

async fn read_body<B>(body: B) -> Result<Bytes, StatusError>
where
    B: http_body::Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    match Limited::new(body, REQUEST_BODY_LIMIT).collect().await {
        Ok(body) => Ok(body.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            Err(StatusError::too_large(REQUEST_BODY_LIMIT as u64))
        }
        Err(error) => Err(StatusError::bad_request(error.to_string())),
    }
}

tokio::task_local! {
    /// Set in a task that handles a request. A request that this task sends is nested.
    static HANDLING_REQUEST: ();
}

/// Marks the current task as handling a request. Requests that the future `answer` sends are
/// nested.
async fn mark_handling<T>(answer: impl Future<Output = T>) -> T {
    HANDLING_REQUEST.scope((), answer).await
}

/// Handles a request in the caller's task, or in a new task if the request is nested and there is a
/// Tokio runtime. Requests can nest without limit, for example if a plug-in writes the object that
/// it reviews. In a single task, nested requests would overflow the stack. In either task, the
/// request is aborted if the future is dropped.
async fn run_request<T: Send + 'static>(
    answer: impl Future<Output = io::Result<T>> + Send + 'static,
) -> io::Result<T> {
    let is_nested = HANDLING_REQUEST.try_with(|()| ()).is_ok();
    if !is_nested || Handle::try_current().is_err() {
        return answer.await;
    }
    let mut task = JoinSet::new();
    task.spawn(answer.in_current_span());
    match task.join_next().await {
        Some(Ok(answered)) => answered,
        Some(Err(error)) if error.is_panic() => std::panic::resume_unwind(error.into_panic()),
        _ => Err(io::Error::other("the runtime was shut down")),
    }
}
