//! Responses of the API server: an object or a [`Status`], the result of a delete ([`Deletion`]),
//! and the events of a watch ([`WatchStream`]).
//!
//! kube's `Client::request` logs an undecodable body completely, at level `WARN`, even if it
//! contains the data of a Secret. The functions of this module log no body. If they cannot
//! decode an object, the error quotes no value of the object.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use futures::stream::BoxStream;
use futures::{Stream, StreamExt};
use http::header::RETRY_AFTER;
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Limited};
use kube::api::WatchEvent;
use kube::client::Body;
use kube::core::response::StatusDetails;
use kube::{Client, Error};
use serde::Deserialize;
use serde::de::{DeserializeOwned, Error as _};
use tower::BoxError;

use super::options::{
    RESPONSE_TIMEOUT, RequestLimits, ResponseBody, is_from_builder, is_long_running,
};
use super::{Result, Status};
use crate::json::{describe_error, describe_field, from_slice};

/// Maximum size of the body of a successful response: 1 GiB. Larger lists need the
/// [`pager`](crate::pager) or an informer.
const MAX_BODY: usize = 1 << 30;
/// Maximum size of the body of an error response, in bytes.
const MAX_ERROR_BODY: usize = 64 << 10;
/// Time in which the body of an error response has to arrive.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(10);

/// Response to a delete request. The object may still exist afterwards.
///
/// ```no_run
/// use genclient::client::{DeleteParams, Deletion, TypedClient};
/// use genclient::wait::{conditions, for_condition};
/// use k8s_openapi::api::core::v1::Pod;
///
/// # async fn example(pods: TypedClient<Pod>) -> genclient::client::Result<()> {
/// match pods.delete("train", &DeleteParams::default()).await? {
///     Deletion::Accepted(pod) => {
///         for_condition(&pods, "train", conditions::deleted(pod.metadata.uid)).await?;
///     }
///     Deletion::Completed(_) => {}
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub enum Deletion<K> {
    /// The API server responded with the object, which still exists while finalizers or its grace
    /// period delay the deletion. For some built-in kinds, such as Pods and ServiceAccounts, the
    /// API server responds with the last state of the object even if the object is gone
    /// (`ReturnDeletedObject` in kube-apiserver's registry). To be sure that it is gone, wait for
    /// [`conditions::deleted`](crate::wait::conditions::deleted).
    Accepted(K),
    /// The object is gone.
    Completed(Box<Status>),
}

/// Stream of the events of one watch. It ends when the API server ends the watch.
///
/// # Cancel safety
///
/// No event is lost if the future of the next event is dropped. The watch ends when the stream is
/// dropped.
pub struct WatchStream<K> {
    events: BoxStream<'static, Result<WatchEvent<K>>>,
}

pub(super) async fn request_object<T: DeserializeOwned + Send>(
    client: &Client,
    request: Request<Vec<u8>>,
) -> Result<T> {
    parse_body(&request_body(client, request).await?)
}

/// Sends `request` and decodes the response, which is an object or a [`Status`].
pub(super) async fn request_object_or_status<T: DeserializeOwned + Send>(
    client: &Client,
    request: Request<Vec<u8>>,
) -> Result<Deletion<T>> {
    #[derive(Deserialize)]
    struct TypeMetaKind<'a> {
        #[serde(borrow, default)]
        kind: Cow<'a, str>,
    }

    let body = request_body(client, request).await?;
    let is_status =
        matches!(serde_json::from_slice(&body), Ok(TypeMetaKind { kind }) if kind == "Status");
    if is_status {
        return parse_body(&body).map(Deletion::Completed);
    }
    parse_body(&body).map(Deletion::Accepted)
}

/// Returns a client whose requests fail if nothing of their response arrives for 65 s. The error is
/// a [`RequestTimeoutError`](super::RequestTimeoutError). Long-running requests (watches, followed
/// logs, protocol upgrades) have no limit.
///
/// It is for clients that the program has made by other means than [`builder`](super::builder),
/// such as [`Client::try_from`], whose requests wait without a limit. For other clients, the limit
/// of their [builder](super::ClientBuilder::response_timeout) applies. Clientsets and managers
/// limit the requests of their client in this way.
///
/// # Panics
///
/// Outside of a Tokio runtime, which runs the connection.
#[must_use]
pub fn with_response_timeout(client: Client) -> Client {
    if is_from_builder(&client) {
        return client;
    }
    let namespace = client.default_namespace().to_owned();
    let service = tower::service_fn(move |request| {
        let client = client.clone();
        async move { send_with_timeout(&client, request).await }
    });
    Client::new(service, namespace)
}

/// Sends a request. If the connection has no limit of the time without a response, such as one that
/// the program has made with kube, this function limits it.
async fn send_with_timeout(
    client: &Client,
    request: Request<Body>,
) -> Result<Response<ResponseBody<Body>>> {
    let limits = if is_from_builder(client) || is_long_running(&request) {
        RequestLimits::default()
    } else {
        RequestLimits::progress_timeout(RESPONSE_TIMEOUT)
    };
    let sending = client.send(request);
    let response = match limits.attempt_deadline() {
        Some(deadline) => {
            let result = deadline.in_time(sending).await;
            result.map_err(|late| Error::Service(late.into()))??
        }
        None => sending.await?,
    };
    Ok(response.map(|body| ResponseBody::limited(body, limits)))
}

async fn request_body(client: &Client, request: Request<Vec<u8>>) -> Result<Bytes> {
    let response = send_with_timeout(client, request.map(Body::from)).await?;
    if !response.status().is_success() {
        return Err(Error::Api(Box::new(read_error_status(response).await)));
    }
    let body = Limited::new(response.into_body(), MAX_BODY)
        .collect()
        .await
        .map_err(|error| {
            let error = error.downcast::<Error>();
            error.map_or_else(Error::Service, |error| *error)
        })?;
    Ok(body.to_bytes())
}

fn parse_body<T: DeserializeOwned + Send>(json: &[u8]) -> Result<T> {
    from_slice(json).map_err(|error| decode_error(describe_field::<T>(json, &error)))
}

/// Returns the error for a response that cannot be decoded.
pub(super) fn to_decode_error(error: &serde_json::Error) -> Error {
    decode_error(describe_error(error))
}

fn decode_error(description: String) -> Error {
    Error::SerdeError(serde_json::Error::custom(description))
}

/// Returns the `Status` in the body of an error response. If the body is something else, such as
/// the HTML of a proxy, makes a `Status` from the HTTP code and the body.
pub(crate) async fn read_error_status<B>(response: Response<B>) -> Status
where
    B: http_body::Body<Data = Bytes, Error: Into<BoxError>>,
{
    let code = response.status();
    let retry_after = response
        .headers()
        .get(RETRY_AFTER)
        .and_then(|value| value.to_str().ok()?.parse().ok());
    let body = Limited::new(response.into_body(), MAX_ERROR_BODY).collect();
    let body = match tokio::time::timeout(ERROR_BODY_TIMEOUT, body).await {
        Ok(Ok(body)) => body.to_bytes(),
        _ => Bytes::new(),
    };
    let mut status = match serde_json::from_slice::<Status>(&body) {
        Ok(status) if status.is_failure() => status,
        _ => status_from_body(code, &body),
    };
    if status.code == 0 {
        status.code = code.as_u16();
    }
    // The API server sets `retryAfterSeconds` in the body. A proxy can only set the header.
    if let Some(retry_after) = retry_after {
        let details = status.details.get_or_insert_with(no_details);
        if details.retry_after_seconds == 0 {
            details.retry_after_seconds = retry_after;
        }
    }
    status
}

fn no_details() -> StatusDetails {
    StatusDetails {
        name: String::new(),
        group: String::new(),
        kind: String::new(),
        uid: String::new(),
        causes: Vec::new(),
        retry_after_seconds: 0,
    }
}

fn status_from_body(code: StatusCode, body: &[u8]) -> Status {
    let text = String::from_utf8_lossy(body);
    let reason = code.canonical_reason().unwrap_or_default().replace(' ', "");
    Status::failure(text.trim(), &reason)
}

impl<K> WatchStream<K> {
    pub(super) fn new(events: impl Stream<Item = Result<WatchEvent<K>>> + Send + 'static) -> Self {
        let events = events.map(|event| {
            event.map_err(|error| match error {
                Error::SerdeError(error) => to_decode_error(&error),
                error => error,
            })
        });
        Self {
            events: events.boxed(),
        }
    }
}

impl<K> Stream for WatchStream<K> {
    type Item = Result<WatchEvent<K>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.events.poll_next_unpin(context)
    }
}

impl<K> fmt::Debug for WatchStream<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WatchStream").finish_non_exhaustive()
    }
}
