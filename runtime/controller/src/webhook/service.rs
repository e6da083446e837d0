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
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body;
use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tower::Service;
use tracing::Instrument;

use super::admission::Route;
use super::conversion::{ConversionReview, Conversions};
use super::denied::Denied;
use super::meter::Meter;
use super::review::{AdmissionAnswer, AdmissionReview, Verdict};
use crate::failure::BoxError;
use crate::http_server::{Response, response, text};

/// Maximum size of an admission review, as in controller-runtime. It leaves room for two objects of
/// the maximum size in etcd.
const ADMISSION_BYTES: usize = 7 << 20;
/// Maximum size of a conversion review, and of all concurrent ones together. The API server sends a
/// whole list in one review.
const CONVERSION_BYTES: usize = 256 << 20;
/// Unit in which the sizes of conversion reviews are counted. A smaller review counts as one unit,
/// which limits the number of concurrent reviews.
const UNIT: usize = 1 << 20;
/// Maximum time to receive a body.
const BODY: Duration = Duration::from_secs(30);
/// Maximum timeout of a webhook.
const MAX_TIMEOUT: Duration = Duration::from_secs(30);

/// A [`tower::Service`] that answers the API server's requests and never fails.
///
/// An admission review may have at most 7 MiB, a conversion review at most 256 MiB. A body has to
/// arrive within 30 s. Concurrent conversion reviews may have at most 256 MiB together; further
/// reviews wait.
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
    admission: BTreeMap<String, (Route, Meter)>,
    conversion: Option<(&'static str, Arc<Converter>)>,
}

/// The conversions of a program.
struct Converter {
    conversions: Conversions,
    meter: Meter,
    /// Limits the size of concurrent reviews. A permit is one [`UNIT`].
    units: Arc<Semaphore>,
}

/// Refusal of a request body.
struct Refused {
    status: StatusCode,
    reason: &'static str,
    message: String,
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
            let meter = Meter::admission(metrics, &path);
            (path, (route, meter))
        });
        Self {
            admission: routes.collect(),
            conversion: conversion.map(|(path, conversions)| {
                let meter = Meter::conversion(metrics, path);
                let units = Arc::new(Semaphore::new(CONVERSION_BYTES.div_ceil(UNIT)));
                let converter = Converter {
                    conversions,
                    meter,
                    units,
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
        if let Some((route, meter)) = self.admission.get(path) {
            let _in_flight = meter.begin();
            let response = admit(route, meter, request).await;
            meter.answered(response.status());
            return response;
        }
        match &self.conversion {
            Some((at, converter)) if *at == path => {
                let meter = &converter.meter;
                let _in_flight = meter.begin();
                let response = converter.answer(request).await;
                meter.answered(response.status());
                response
            }
            _ => text(StatusCode::NOT_FOUND, "404 page not found\n"),
        }
    }
}

/// Answers an admission review. The HTTP status is 200 whatever the verdict.
async fn admit<B>(route: &Route, meter: &Meter, request: Request<B>) -> Response
where
    B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
{
    let deadline = deadline(&request);
    let webhook = request.uri().path().to_owned();
    let body = match read(request, ADMISSION_BYTES).await {
        Ok(body) => body,
        Err(refused) => return json(&refused.into_answer()),
    };
    let review = match AdmissionReview::read(&body) {
        Ok(review) => review,
        Err(error) => {
            let message = format!("cannot decode the review: {error}");
            return json(&AdmissionAnswer::unread(400, "BadRequest", message));
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
    let verdict = timeout(deadline, route.verdict(&review, meter).instrument(span)).await;
    let verdict = verdict.unwrap_or_else(|_| {
        let message = format!("the webhook timed out after {} s", deadline.as_secs_f64());
        let timeout = Denied::status(504, "Timeout", message);
        Verdict::denied(timeout.into_status(&review.admission))
    });
    json(&review.answer(verdict))
}

impl Converter {
    /// Answers a conversion review within the timeout of the request.
    async fn answer<B>(self: &Arc<Self>, request: Request<B>) -> Response
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
    {
        let deadline = deadline(&request);
        let stop = CancellationToken::new();
        let _stopped = stop.clone().drop_guard();
        let answered = timeout(deadline, self.convert(request, stop)).await;
        answered.unwrap_or_else(|_| {
            let seconds = deadline.as_secs_f64();
            let message = format!("the conversion timed out after {seconds} s\n");
            text(StatusCode::GATEWAY_TIMEOUT, message)
        })
    }

    /// Waits until the concurrent reviews leave room for the body, then converts the objects on a
    /// blocking thread. Once `stop` is cancelled, no further object is converted.
    async fn convert<B>(self: &Arc<Self>, request: Request<B>, stop: CancellationToken) -> Response
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
    {
        let ended = || {
            text(
                StatusCode::INTERNAL_SERVER_ERROR,
                "the server is shutting down\n",
            )
        };
        let units = units(request.body());
        let Ok(room) = Arc::clone(&self.units).acquire_many_owned(units).await else {
            return ended();
        };
        let body = match read(request, CONVERSION_BYTES).await {
            Ok(body) => body,
            Err(Refused {
                status, message, ..
            }) => return text(status, message),
        };
        let converter = Arc::clone(self);
        let answered = tokio::task::spawn_blocking(move || {
            // The thread keeps the permits, because it may still convert an object after the
            // deadline.
            let _room = room;
            let Self {
                conversions, meter, ..
            } = &*converter;
            match serde_json::from_slice::<ConversionReview<'_>>(&body) {
                Ok(review) => json(&conversions.answer(review, meter, &stop)),
                Err(error) => {
                    let message = format!("cannot decode the review: {error}\n");
                    text(StatusCode::BAD_REQUEST, message)
                }
            }
        });
        answered.await.unwrap_or_else(|_| ended())
    }
}

/// Returns the size of a body in [`UNIT`]s. A body of unknown size counts as the maximum.
fn units(body: &impl Body) -> u32 {
    let most = CONVERSION_BYTES;
    let bytes = body
        .size_hint()
        .upper()
        .and_then(|it| usize::try_from(it).ok());
    let units = bytes.unwrap_or(most).clamp(1, most).div_ceil(UNIT);
    units.try_into().unwrap_or(u32::MAX)
}

async fn read<B>(request: Request<B>, most: usize) -> Result<Bytes, Refused>
where
    B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
{
    let content_type = request.headers().get(CONTENT_TYPE);
    let content_type = content_type
        .and_then(|it| it.to_str().ok())
        .unwrap_or_default();
    let media_type = content_type.split(';').next().unwrap_or_default().trim();
    if !media_type.eq_ignore_ascii_case("application/json") {
        let message =
            format!("expected content of type `application/json`, found `{content_type}`");
        return Err(Refused::bad(message));
    }
    let body = Box::pin(Limited::new(request.into_body(), most).collect());
    match timeout(BODY, body).await {
        Ok(Ok(body)) => Some(body.to_bytes())
            .filter(|body| !body.is_empty())
            .ok_or_else(|| Refused::bad("request body is empty")),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(Refused {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            reason: "RequestEntityTooLarge",
            message: format!("request entity is too large; limit is {most} bytes"),
        }),
        Ok(Err(error)) => Err(Refused::bad(format!(
            "cannot read the request body: {error}"
        ))),
        Err(_) => Err(Refused {
            status: StatusCode::REQUEST_TIMEOUT,
            reason: "Timeout",
            message: format!(
                "reading the request body timed out after {} s",
                BODY.as_secs()
            ),
        }),
    }
}

/// Returns the timeout in the query, such as `?timeout=10s`, capped at 30 s. Default: 30 s.
fn deadline<B>(request: &Request<B>) -> Duration {
    let query = request.uri().query().unwrap_or_default();
    let stated = query
        .split('&')
        .find_map(|pair| pair.strip_prefix("timeout="));
    let stated = stated.and_then(|it| it.parse::<prelude::Duration>().ok());
    let stated = stated.filter(|it| !it.is_negative()).map(Duration::from);
    stated.unwrap_or(MAX_TIMEOUT).min(MAX_TIMEOUT)
}

fn json(answer: &impl Serialize) -> Response {
    match serde_json::to_vec(answer) {
        Ok(json) => response(StatusCode::OK, "application/json", json),
        Err(error) => text(StatusCode::INTERNAL_SERVER_ERROR, format!("{error}\n")),
    }
}

impl Refused {
    fn bad(message: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            reason: "BadRequest",
            message: message.into(),
        }
    }

    fn into_answer(self) -> AdmissionAnswer {
        AdmissionAnswer::unread(self.status.as_u16(), self.reason, self.message)
    }
}

impl fmt::Debug for WebhookService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookService").finish_non_exhaustive()
    }
}
