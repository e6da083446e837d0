//! Sending a request again: its copy, and the disposal of the response to the first attempt.

use std::time::Duration;

use http::{Request, Response};
use http_body_util::BodyExt;
use kube::client::Body;
use tokio::time::timeout;

/// Maximum size in bytes of a body that is read so that its connection can be reused: client-go's
/// `maxBodySlurpSize`.
const SMALL_BODY: u64 = 2 << 10;
const SMALL_BODY_TIMEOUT: Duration = Duration::from_secs(1);

/// Reads the body of a small response, so that its connection can be reused.
pub(super) async fn discard_response<B: http_body::Body>(response: Response<B>) {
    let body = response.into_body();
    if body
        .size_hint()
        .upper()
        .is_some_and(|size| size <= SMALL_BODY)
    {
        // If this fails, the connection is not reused, which is harmless.
        let _ = timeout(SMALL_BODY_TIMEOUT, body.collect()).await;
    }
}

/// Returns a copy of a request. `None` if its body is a stream, which cannot be copied.
pub(super) fn copy_request(request: &Request<Body>) -> Option<Request<Body>> {
    let mut copy = Request::new(request.body().try_clone()?);
    *copy.method_mut() = request.method().clone();
    *copy.uri_mut() = request.uri().clone();
    *copy.version_mut() = request.version();
    copy.headers_mut().clone_from(request.headers());
    copy.extensions_mut().clone_from(request.extensions());
    Some(copy)
}
