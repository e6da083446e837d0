//! [`ListWatchError`]: errors of lists and watches, and the classification that decides the
//! reflector's next attempt.

use std::error::Error as StdError;
use std::fmt::Write;
use std::io;
use std::time::Duration;

use kube::core::Status;
use kube::core::response::reason;
use tower::buffer::error::{Closed, ServiceError};

use crate::client::RequestTimeoutError;
use crate::error_chain::{error_chain, io_kind};

/// Message of Kubernetes before 1.18.6 if the requested resource version is newer than the server's
/// latest.
const TOO_LARGE: &str = "Too large resource version";
/// Message while the API server's watch cache is not filled yet.
const INITIALIZING: &str = "storage is (re)initializing";
/// Reason if the API server cannot decode an object in etcd, for example after the deletion of a
/// corrupt object.
const STORAGE_READ_ERROR: &str = "StorageReadError";

/// Error of a list or a watch.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ListWatchError {
    /// The API server answered with an error status, or sent one as a watch event.
    #[error("the API server returned {}", describe(.0))]
    Status(Box<Status>),
    /// The request got no answer, for example because it could not be built, TLS failed, or the
    /// connection was refused or lost.
    #[error("the API server cannot be reached")]
    Request(#[source] kube::Error),
    /// The connection was lost before the end of the answer.
    #[error("the response was interrupted")]
    Interrupted(#[source] kube::Error),
    /// The body is not a list or a watch of the requested kind.
    #[error("the response is not a {expected}: {found}")]
    Body {
        /// The expected body: `list` or `watch`.
        expected: &'static str,
        /// What was found instead.
        found: String,
    },
    /// The API server did not answer the request for this long.
    #[error("the API server did not respond within {} s", .0.as_secs())]
    Unanswered(Duration),
    /// No part of the body arrived for this long.
    #[error("no data received for {} s", .0.as_secs())]
    Silence(Duration),
    /// The watch ended within a second and without an event. Proxies that cannot stream cause this.
    #[error("very short watch: it lasted less than a second and no events were received")]
    VeryShortWatch,
    /// The list was still incomplete after this time.
    #[error("the list is still incomplete after {} s", .0.as_secs())]
    Endless(Duration),
    /// A streamed list ended before it was complete.
    #[error("the stream ended before the list was complete")]
    Incomplete,
    /// The latest resource version of the API server is lower than the one that the watch continues
    /// from. The server would send nothing until it reaches that version. This happens when etcd is
    /// restored from a backup without `--bump-revision`.
    #[error("resource versions went back from {from} to {to}")]
    WentBack {
        /// The version that the watch continues from.
        from: String,
        /// The latest version of the API server.
        to: String,
    },
}

impl ListWatchError {
    /// Whether the requested resource version is gone, so that the reflector has to relist.
    pub(super) fn is_expired(&self) -> bool {
        self.status().is_some_and(|status| {
            matches!(status.reason.as_str(), reason::EXPIRED | reason::GONE) || status.code == 410
        })
    }

    /// Whether the requested resource version is newer than the latest of the server.
    pub(super) fn is_too_large_version(&self) -> bool {
        self.status().is_some_and(|status| {
            let mut causes = status.details.iter().flat_map(|details| &details.causes);
            // Servers before 1.18.6 report it in the message of a cause, those before 1.17 in the
            // message of the status.
            causes.any(|cause| {
                cause.reason == "ResourceVersionTooLarge" || cause.message == TOO_LARGE
            }) || status.message.contains(TOO_LARGE)
        })
    }

    /// Whether the API server is not ready to serve the kind. For about a second after a
    /// CustomResourceDefinition was created or changed, it answers 429 (`errors.NewTooManyRequests`
    /// in `k8s.io/apiserver/pkg/storage/cacher`).
    pub(super) fn is_initializing(&self) -> bool {
        self.status()
            .is_some_and(|status| status.code == 429 && status.message.contains(INITIALIZING))
    }

    /// Whether the server is overloaded or starting: it refused the connection or returned 429. The
    /// reflector then pauses and repeats the watch. It does not relist.
    pub(super) fn is_overload(&self) -> bool {
        match self {
            Self::Request(error) => is_refused_connection(error),
            Self::Status(status) => {
                status.code == 429 || status.reason == reason::TOO_MANY_REQUESTS
            }
            _ => false,
        }
    }

    /// Whether the API server cannot be reached: the connection was refused, or lost before an
    /// answer began. Timeouts do not count, since an overloaded server causes them, too. TLS errors
    /// do not count either.
    pub(super) fn is_out_of_reach(&self) -> bool {
        match self {
            Self::Request(error @ (kube::Error::Service(_) | kube::Error::HyperError(_))) => {
                !self.is_tls_failure()
                    && !error_chain(error).any(|cause| cause.is::<RequestTimeoutError>())
            }
            _ => false,
        }
    }

    /// Whether the connection failed, for example was reset. Refusals and TLS errors do not count.
    fn is_lost_connection(&self) -> bool {
        match self {
            Self::Request(error) => !self.is_permanent_failure() && !is_refused_connection(error),
            Self::Interrupted(_) => true,
            _ => false,
        }
    }

    /// Whether the server sent nothing for too long. It may be overloaded.
    pub(super) fn is_silence(&self) -> bool {
        matches!(self, Self::Unanswered(_) | Self::Silence(_))
    }

    /// Whether a request was sent and got no answer, or only a part of one.
    pub(super) fn is_breakdown(&self) -> bool {
        self.is_lost_connection()
            || matches!(
                self,
                Self::Unanswered(_)
                    | Self::Silence(_)
                    | Self::VeryShortWatch
                    | Self::Endless(_)
                    | Self::Incomplete
            )
    }

    /// Whether the server failed (5xx) or the connection was lost. The next watch may succeed. If
    /// watches keep failing, a list may still succeed.
    pub(super) fn is_server_failure(&self) -> bool {
        let is_failure = |status: &Status| {
            (500..600).contains(&status.code) || status.reason == reason::INTERNAL_ERROR
        };
        self.is_lost_connection() || self.status().is_some_and(is_failure)
    }

    /// Whether a watch from this resource version always fails, since the API server cannot decode
    /// a later event.
    pub(super) fn is_corrupt(&self) -> bool {
        self.status()
            .is_some_and(|status| status.reason == STORAGE_READ_ERROR)
    }

    /// Whether the failure lasts until a user acts: grants a permission, installs a CRD, or
    /// corrects an address.
    pub(crate) fn is_permanent_failure(&self) -> bool {
        match self {
            Self::Status(status) => matches!(status.code, 400 | 401 | 403 | 404 | 405),
            Self::Request(_) => self.is_unsent() || self.is_tls_failure(),
            Self::Body { .. } => true,
            _ => false,
        }
    }

    /// Whether the client can send no more requests. kube's client is a task behind
    /// `tower::buffer`; the task ends when a layer of the client panics or fails to become ready.
    pub(super) fn is_client_closed(&self) -> bool {
        match self {
            Self::Request(kube::Error::Service(cause)) => {
                cause.is::<Closed>() || cause.is::<ServiceError>()
            }
            _ => false,
        }
    }

    /// Whether TLS failed: the server does not speak TLS, or one side rejects the other's
    /// certificate.
    pub(crate) fn is_tls_failure(&self) -> bool {
        match self {
            Self::Request(error) => error_chain(error).any(is_tls_error),
            _ => false,
        }
    }

    /// Whether the request could not be built, so that nothing was sent.
    pub(crate) fn is_unsent(&self) -> bool {
        matches!(self, Self::Request(kube::Error::BuildRequest(_)))
    }

    /// Returns the HTTP status code of the API server, such as 403, if it answered with an error.
    #[must_use]
    pub fn code(&self) -> Option<u16> {
        let code = self.status()?.code;
        (code != 0).then_some(code)
    }

    /// Returns the `Retry-After` of the status, or zero if there is none.
    pub(super) fn retry_after(&self) -> Duration {
        let details = self.status().and_then(|status| status.details.as_ref());
        Duration::from_secs(details.map_or(0, |details| details.retry_after_seconds.into()))
    }

    /// Whether the API server refused a request that had no credentials.
    pub(crate) fn is_anonymous(&self) -> bool {
        self.status()
            .is_some_and(|status| status.message.contains("User \"system:anonymous\""))
    }

    /// Whether a request without TLS has reached a server that expects TLS. The text is that of
    /// Go's `net/http`.
    pub(crate) fn is_plain_http(&self) -> bool {
        self.status().is_some_and(|status| {
            status
                .message
                .contains("sent an HTTP request to an HTTPS server")
        })
    }

    fn status(&self) -> Option<&Status> {
        match self {
            Self::Status(status) => Some(status),
            _ => None,
        }
    }
}

/// Whether the connection was refused. As in client-go, the reflector then repeats a watch without
/// a relist, however long the refusals last.
fn is_refused_connection(error: &kube::Error) -> bool {
    error_chain(error).any(|cause| io_kind(cause) == Some(io::ErrorKind::ConnectionRefused))
}

/// Whether this is a TLS error. rustls reports I/O errors of kind `InvalidData`; OpenSSL's errors
/// are recognized by their text.
fn is_tls_error(error: &(dyn StdError + 'static)) -> bool {
    io_kind(error) == Some(io::ErrorKind::InvalidData)
        || error.to_string().contains("certificate verify failed")
}

/// Describes a status, for example `403 Forbidden: gputasks.falldio.com is forbidden: …`.
fn describe(status: &Status) -> String {
    let mut text = status.code.to_string();
    for (separator, part) in [(" ", &status.reason), (": ", &status.message)] {
        if !part.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(text, "{separator}{part}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: io::ErrorKind) -> ListWatchError {
        ListWatchError::Request(kube::Error::Service(Box::new(io::Error::from(kind))))
    }

    fn unsent() -> ListWatchError {
        let error = kube::core::request::Error::Validation(String::new());
        ListWatchError::Request(kube::Error::BuildRequest(error))
    }

    /// Each case: the error, whether the server is out of reach, whether a connection was lost, and
    /// whether the answer is missing or incomplete.
    #[test]
    fn lost_and_refused_connections_are_distinguished() {
        let interrupted = kube::Error::Service(Box::new(io::Error::from(io::ErrorKind::Other)));
        let refusal = Status::failure("", reason::INVALID);
        let second = Duration::from_secs(1);
        for (error, is_out_of_reach, is_lost, is_breakdown) in [
            (request(io::ErrorKind::ConnectionReset), true, true, true),
            (
                request(io::ErrorKind::ConnectionRefused),
                true,
                false,
                false,
            ),
            // A certificate that is not accepted, as rustls reports it.
            (request(io::ErrorKind::InvalidData), false, false, false),
            (unsent(), false, false, false),
            (ListWatchError::Interrupted(interrupted), false, true, true),
            (
                ListWatchError::Status(Box::new(refusal)),
                false,
                false,
                false,
            ),
            (ListWatchError::Incomplete, false, false, true),
            (ListWatchError::VeryShortWatch, false, false, true),
            (ListWatchError::Unanswered(second), false, false, true),
            (ListWatchError::Silence(second), false, false, true),
            (ListWatchError::Endless(second), false, false, true),
        ] {
            assert_eq!(error.is_out_of_reach(), is_out_of_reach, "{error:?}");
            assert_eq!(error.is_lost_connection(), is_lost, "{error:?}");
            assert_eq!(error.is_breakdown(), is_breakdown, "{error:?}");
        }
    }

    #[test]
    fn expired_errors_are_detected_by_reason_or_code() {
        for (code, reason, expected) in [
            (410, reason::EXPIRED, true),
            (410, reason::GONE, true),
            (410, "", true),
            (0, reason::EXPIRED, true),
            (0, reason::GONE, true),
            (404, reason::NOT_FOUND, false),
        ] {
            let mut status = Status::failure("", reason);
            status.code = code;
            let error = ListWatchError::Status(Box::new(status));
            assert_eq!(error.is_expired(), expected, "{code} {reason}");
        }
    }

    #[test]
    fn code_is_the_status_code_of_the_response() {
        let mut status = Status::failure("", reason::FORBIDDEN);
        for (code, expected) in [(403, Some(403)), (0, None)] {
            status.code = code;
            let error = ListWatchError::Status(Box::new(status.clone()));
            assert_eq!(error.code(), expected);
        }
        assert_eq!(ListWatchError::Incomplete.code(), None);
    }
}
