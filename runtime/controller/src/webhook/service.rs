//! [`WebhookService`]: answers to the API server's HTTP requests.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fmt;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::metrics::Provider;
use genclient::prelude;
use http::{Request, StatusCode};
use hyper::body::Body;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::Service;
use tracing::Instrument;

use super::admission::Route;
use super::body::{Bodies, BodyPermit, BodyRejection};
use super::conversion::{ConversionReview, Conversions};
use super::denied::Denied;
use super::metrics::WebhookMetrics;
use super::review::{AdmissionResponse, AdmissionReview, AdmissionReviewResponse};
use crate::failure::BoxError;
use crate::http_listener::{Response, build_response, text_response};

/// Maximum size of an admission review, as in controller-runtime. It leaves room for two objects of
/// the maximum size in etcd.
const MAX_ADMISSION_BYTES: usize = 7 << 20;
/// Maximum size of a conversion review. The API server sends a whole list in one review.
const MAX_CONVERSION_BYTES: usize = 256 << 20;
/// Maximum number of threads that convert objects.
const MAX_CONVERSION_THREADS: usize = 256;
/// Maximum timeout of a webhook.
const MAX_TIMEOUT: Duration = Duration::from_secs(30);

/// A [`tower::Service`] that answers the API server's requests and never fails.
///
/// An admission review may have at most 7 MiB, a conversion review at most 256 MiB. A body has to
/// arrive within 30 s, without a pause of 10 s. The bodies of all conversion reviews together may
/// have 256 MiB, and so may those of all admission reviews; what exceeds this is not received until
/// other requests are answered, but one body at a time may exceed it. Bytes count when they are
/// received, from the first 64 KiB of a body on.
///
/// A request is dropped when the caller disconnects, or after the `timeout` in its query, which is
/// capped at 30 s. The API server sets `timeout` to the timeout of the webhook. A conversion runs
/// in its own thread, which cannot be interrupted. When the request is dropped, the thread still
/// completes the object that it is converting.
#[derive(Clone)]
pub struct WebhookService {
    pub(super) handler: Arc<WebhookHandler>,
}

/// The webhooks of a program by path.
pub(super) struct WebhookHandler {
    admission: BTreeMap<String, (Route, WebhookMetrics)>,
    admission_bodies: Bodies,
    conversion: Option<(&'static str, Arc<Converter>)>,
}

/// The conversions of a program.
struct Converter {
    conversions: Conversions,
    metrics: WebhookMetrics,
    bodies: Bodies,
    /// Limits the number of concurrent conversions.
    threads: Arc<Semaphore>,
}

impl<B> Service<Request<B>> for WebhookService
where
    B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Self::Response, Infallible>>;

    fn poll_ready(&mut self, _cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let handler = Arc::clone(&self.handler);
        async move { Ok(handler.answer(request).await) }.boxed()
    }
}

impl WebhookHandler {
    pub(super) fn new(
        routes: BTreeMap<String, Route>,
        conversion: Option<(&'static str, Conversions)>,
        metrics: &dyn Provider,
    ) -> Self {
        let routes = routes.into_iter().map(|(path, route)| {
            let metrics = WebhookMetrics::admission(metrics, &path);
            (path, (route, metrics))
        });
        Self {
            admission: routes.collect(),
            admission_bodies: Bodies::up_to(MAX_ADMISSION_BYTES),
            conversion: conversion.map(|(path, conversions)| {
                let metrics = WebhookMetrics::conversion(metrics, path);
                let converter = Converter {
                    conversions,
                    metrics,
                    bodies: Bodies::up_to(MAX_CONVERSION_BYTES),
                    threads: Arc::new(Semaphore::new(MAX_CONVERSION_THREADS)),
                };
                (path, Arc::new(converter))
            }),
        }
    }

    pub(super) async fn answer<B>(&self, request: Request<B>) -> Response
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
    {
        let path = request.uri().path();
        if let Some((route, metrics)) = self.admission.get(path) {
            let _in_flight = metrics.begin();
            let response = self.admit(route, metrics, request).await;
            metrics.answered(response.status());
            return response;
        }
        match &self.conversion {
            Some((at, converter)) if *at == path => {
                let metrics = &converter.metrics;
                let _in_flight = metrics.begin();
                let response = converter.answer(request).await;
                metrics.answered(response.status());
                response
            }
            _ => text_response(StatusCode::NOT_FOUND, "404 page not found\n"),
        }
    }

    /// Answers an admission review. The HTTP status is 200 even if the request is denied.
    async fn admit<B>(
        &self,
        route: &Route,
        metrics: &WebhookMetrics,
        request: Request<B>,
    ) -> Response
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
    {
        let timeout_after = request_timeout(&request);
        let webhook = request.uri().path().to_owned();
        let (body, permit) = match self.admission_bodies.read_body(request).await {
            Ok(received) => received,
            Err(BodyRejection {
                status,
                reason,
                message,
            }) => {
                let answer = AdmissionReviewResponse::unread(status.as_u16(), reason, message);
                return json_response(&answer, BodyPermit::default());
            }
        };
        let review = match AdmissionReview::parse(&body) {
            Ok(review) => review,
            Err(error) => {
                let message = format!("cannot decode the review: {error}");
                return json_response(
                    &AdmissionReviewResponse::unread(400, "BadRequest", message),
                    permit,
                );
            }
        };
        let admission = &review.admission;
        let span = tracing::debug_span!(
            "admission",
            webhook,
            uid = admission.uid,
            operation = ?admission.operation,
            kind = admission.kind.kind,
            namespace = admission.namespace,
            name = admission.name,
            user = admission.user_info.username,
        );
        let response = timeout(
            timeout_after,
            route.admit(&review, metrics).instrument(span),
        )
        .await
        .unwrap_or_else(|_| {
            let message = format!(
                "the webhook timed out after {} s",
                timeout_after.as_secs_f64()
            );
            let timeout = Denied::status(504, "Timeout", message);
            AdmissionResponse::denied(timeout.into_status(&review.admission))
        });
        json_response(&review.answer(response), permit)
    }
}

impl Converter {
    /// Answers a conversion review within the timeout of the request.
    async fn answer<B>(self: &Arc<Self>, request: Request<B>) -> Response
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
    {
        let timeout_after = request_timeout(&request);
        let stop = CancellationToken::new();
        let _stopped = stop.clone().drop_guard();
        let answered = timeout(timeout_after, self.convert(request, stop)).await;
        answered.unwrap_or_else(|_| {
            let seconds = timeout_after.as_secs_f64();
            let message = format!("the conversion timed out after {seconds} s\n");
            text_response(StatusCode::GATEWAY_TIMEOUT, message)
        })
    }

    /// Receives the review, then converts its objects on a blocking thread. Once `stop` is
    /// cancelled, no further object is converted.
    async fn convert<B>(self: &Arc<Self>, request: Request<B>, stop: CancellationToken) -> Response
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
    {
        let ended = || {
            text_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the server is shutting down\n",
            )
        };
        let (body, permit) = match self.bodies.read_body(request).await {
            Ok(received) => received,
            Err(BodyRejection {
                status, message, ..
            }) => return text_response(status, message),
        };
        // The wait for a thread is part of the timeout of the request. The semaphore is never
        // closed.
        let Ok(thread) = Arc::clone(&self.threads).acquire_owned().await else {
            return ended();
        };
        let converter = Arc::clone(self);
        tokio::task::spawn_blocking(move || {
            // The thread keeps its permit, because it may still convert an object after the
            // deadline.
            let _thread = thread;
            let Self {
                conversions,
                metrics,
                ..
            } = &*converter;
            match serde_json::from_slice::<ConversionReview<'_>>(&body) {
                Ok(review) => json_response(&conversions.answer(review, metrics, &stop), permit),
                Err(error) => {
                    let message = format!("cannot decode the review: {error}\n");
                    text_response(StatusCode::BAD_REQUEST, message)
                }
            }
        })
        .await
        // `Conversions::convert` catches panics, so an error means that the runtime is shutting
        // down.
        .unwrap_or_else(|_| ended())
    }
}

/// Returns the timeout in the query, such as `?timeout=10s`, capped at 30 s. Default: 30 s.
fn request_timeout<B>(request: &Request<B>) -> Duration {
    let query = request.uri().query().unwrap_or_default();
    let requested = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("timeout="))
        .and_then(|it| it.parse::<prelude::Duration>().ok())
        .filter(|it| !it.is_negative())
        .map(Duration::from);
    requested.unwrap_or(MAX_TIMEOUT).min(MAX_TIMEOUT)
}

/// Returns a response that holds the permit of its request until it is sent.
fn json_response(answer: &impl Serialize, permit: BodyPermit) -> Response {
    match serde_json::to_vec(answer) {
        Ok(json) => {
            let json = Bytes::from_owner(SentJson {
                json,
                _permit: permit,
            });
            build_response(StatusCode::OK, "application/json", json)
        }
        Err(error) => text_response(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
    }
}

/// JSON of a response, with the memory of its request.
struct SentJson {
    json: Vec<u8>,
    _permit: BodyPermit,
}

impl AsRef<[u8]> for SentJson {
    fn as_ref(&self) -> &[u8] {
        &self.json
    }
}

impl fmt::Debug for WebhookService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookService").finish_non_exhaustive()
    }
}
