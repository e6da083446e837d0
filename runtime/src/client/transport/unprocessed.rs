//! Requests that the server has certainly not processed, which are sent again: `RoundTripOpt` of
//! Go's `http2/transport.go`.

use std::error::Error;
use std::time::Duration;

use h2::Reason;
use http::Request;
use hyper_util::client::legacy;
use kube::client::Body;
use tokio::time::sleep;

use super::super::resend::copy_request;
use super::connection_slot::SlotClosed;
use crate::error_chain::{error_chain, io_kind};
use crate::jitter::jitter;

/// Maximum number of times that a request is sent again: Go's.
const MAX_RESENDS: u32 = 7;
/// Maximum random part of a pause, as a fraction of the pause: Go's.
const RESEND_JITTER: f64 = 0.1;

/// Number of times that one request was sent again.
#[derive(Default)]
pub(super) struct Resends(u32);

impl Resends {
    /// Returns a copy to send if the request fails. `None` if its body is a stream, or if the
    /// request was sent too often.
    pub(super) fn copy(&self, request: &Request<Body>) -> Option<Request<Body>> {
        (self.0 < MAX_RESENDS)
            .then(|| copy_request(request))
            .flatten()
    }

    /// Waits before the request is sent again: not the first time, then 1 s, 2 s, and so on.
    pub(super) async fn pause(&mut self) {
        if let Some(exponent) = self.0.checked_sub(1) {
            sleep(jitter(Duration::from_secs(1 << exponent), RESEND_JITTER)).await;
        }
        self.0 += 1;
    }
}

/// Whether the server has certainly not processed a request that failed with `error`: Go's
/// `canRetryError`. kube-apiserver sends GOAWAY at shutdown, and at random with `--goaway-chance`.
/// `is_going_away` says whether it has done so without an error.
///
/// Go also repeats a request whose stream was reset with PROTOCOL_ERROR. That server may have
/// processed it, so this function does not.
pub(super) fn is_unprocessed(
    error: &(dyn Error + 'static),
    opened_connection: bool,
    is_going_away: bool,
) -> bool {
    error_chain(error).any(|cause| {
        // hyper cancels requests that it has not begun to send: Go's `errClientConnUnusable`.
        if is_going_away && as_hyper_error(cause).is_some_and(hyper::Error::is_canceled) {
            return true;
        }
        let Some(error) = cause.downcast_ref::<h2::Error>() else {
            return cause.is::<SlotClosed>();
        };
        // h2 fails only the requests after the last one that the server announced as processed. A
        // server that refuses the first request of a connection for a reason would refuse it again.
        let is_after_goaway =
            error.is_go_away() && (!opened_connection || error.reason() == Some(Reason::NO_ERROR));
        let is_refused = error.is_reset() && error.reason() == Some(Reason::REFUSED_STREAM);
        error.is_remote() && (is_after_goaway || is_refused)
    })
}

/// Whether the connection of the request could not be opened, or was lost.
pub(super) fn is_connection_lost(error: &legacy::Error) -> bool {
    error.is_connect()
        || error_chain(error).any(|cause| {
            let h2_error = cause.downcast_ref::<h2::Error>();
            let hyper_error = as_hyper_error(cause);
            cause.is::<SlotClosed>()
                || io_kind(cause).is_some()
                || h2_error.is_some_and(h2::Error::is_go_away)
                || hyper_error.is_some_and(|error| {
                    error.is_canceled()
                        || error.is_closed()
                        || error.is_incomplete_message()
                        || error.is_timeout()
                })
        })
}

fn as_hyper_error<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a hyper::Error> {
    cause.downcast_ref()
}

/// Whether the connection of the request accepts no further ones.
pub(super) fn is_connection_closed(error: &(dyn Error + 'static)) -> bool {
    error_chain(error).any(|cause| {
        let h2_error = cause.downcast_ref::<h2::Error>();
        cause.is::<SlotClosed>() || h2_error.is_some_and(h2::Error::is_go_away)
    })
}
