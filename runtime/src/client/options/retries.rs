//! Retries of requests, by client-go's rules (`rest/with_retry.go` and `rest/request.go`).

use std::error::Error;
use std::io;
use std::time::Duration;

use http::header::{RETRY_AFTER, UPGRADE};
use http::{Method, Request, Response, StatusCode};
use kube::client::Body;
use tower::BoxError;

use super::super::resend::copy_request;
use super::timeouts::has_true_parameter;
use crate::error_chain::{error_chain, io_kind};

pub(super) const MAX_RETRIES: u32 = 10;
/// Pause after a lost connection: client-go's `retryAfterResponse`.
const LOST_CONNECTION_PAUSE: Duration = Duration::from_secs(1);
/// Maximum `Retry-After` that is honoured, since a proxy may demand hours. client-go has no such
/// maximum. If a response demands more, this module does not retry its request. A reflector, which
/// retries by its own rules, waits as long as this maximum and then retries.
pub(crate) const MAX_RETRY_AFTER: Duration = Duration::from_secs(5 * 60);
/// Request extension for callers that retry by their own rules, such as reflectors: a client of
/// [`builder`](super::builder) does not send such a request again.
#[derive(Clone, Copy, Debug)]
pub struct NotRetried;

/// Remaining retries of one request.
pub(super) struct Retries {
    left: u32,
    /// Copy of the request. `None` if the request has no retries, or if its body is a stream, which
    /// cannot be copied.
    request: Option<Request<Body>>,
}

impl Retries {
    pub(super) fn new(max: u32, request: &Request<Body>) -> Self {
        let is_refused = request.extensions().get::<NotRetried>().is_some()
            || request.headers().contains_key(UPGRADE);
        Self {
            left: max,
            request: (max > 0 && !is_refused)
                .then(|| copy_request(request))
                .flatten(),
        }
    }

    /// Returns the request to send after `result`, and the pause before it. Returns `None` if there
    /// is no retry.
    pub(super) fn after<B>(
        &mut self,
        result: &Result<Response<B>, BoxError>,
    ) -> Option<(Request<Body>, Duration)> {
        let request = self.request.as_ref()?;
        let pause = match result {
            Ok(response) => retry_after(response)?,
            Err(error) => is_retried(request, &**error).then_some(LOST_CONNECTION_PAUSE)?,
        };
        self.left = self.left.checked_sub(1)?;
        Some((copy_request(request)?, pause))
    }
}

/// Returns the `Retry-After` of a 429 or 5xx response, as client-go's `checkWait` does. `None` if
/// it exceeds [`MAX_RETRY_AFTER`].
fn retry_after<B>(response: &Response<B>) -> Option<Duration> {
    let code = response.status();
    if code != StatusCode::TOO_MANY_REQUESTS && !code.is_server_error() {
        return None;
    }
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?;
    let requested = Duration::from_secs(seconds.parse().ok()?);
    (requested <= MAX_RETRY_AFTER).then_some(requested)
}

/// Whether a request may be sent again after `error`. A write may not, since the API server may
/// have executed it. Neither may a request that follows logs.
fn is_retried(request: &Request<Body>, error: &(dyn Error + 'static)) -> bool {
    request.method() == Method::GET
        && !has_true_parameter(request, "follow")
        && (is_lost_connection(error) || has_true_parameter(request, "watch") && is_timeout(error))
}

/// Whether an established connection was lost: apimachinery's `IsConnectionReset`,
/// `IsProbableEOF`, and `IsHTTP2ConnectionLost`, which means that a ping was not answered.
fn is_lost_connection(error: &(dyn Error + 'static)) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset, UnexpectedEof};

    error_chain(error).any(|cause| {
        let lost = [
            BrokenPipe,
            ConnectionAborted,
            ConnectionReset,
            UnexpectedEof,
        ];
        let of_hyper = cause.downcast_ref::<hyper::Error>();
        io_kind(cause).is_some_and(|kind| lost.contains(&kind))
            || of_hyper.is_some_and(|error| error.is_incomplete_message() || error.is_timeout())
    })
}

fn is_timeout(error: &(dyn Error + 'static)) -> bool {
    error_chain(error).any(|cause| io_kind(cause) == Some(io::ErrorKind::TimedOut))
}
