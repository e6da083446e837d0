//! HTTP connections to an API server: [`build_service`] sends requests with the credentials and the
//! TLS and proxy settings of kube's [`Config`].
//!
//! kube's own client has neither HTTP/2 nor keepalive, and reads most credentials once. client-go's
//! counterparts are its package `transport` and apimachinery's `util/net/http.go`.

mod connection_slot;
mod connector;
mod credentials;
mod exec;
mod pings;
mod pool;
mod socket;
mod unprocessed;

use std::sync::Arc;

use bytes::Bytes;
use http::header::AUTHORIZATION;
use http::{Request, Response, StatusCode};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;
use kube::Config;
use kube::client::{Body, ConfigExt};
use tower::util::BoxCloneSyncService;
use tower::{BoxError, Layer, ServiceExt, service_fn};
use tracing::Instrument;
use tracing::field::Empty;

use super::Result;
use super::resend::{copy_request, discard_response};
use credentials::{Credentials, Session};
use pings::Pings;
use pool::PooledBody;

pub(crate) use pool::Unpinged;

type ReceivedBody = UnsyncBoxBody<Bytes, BoxError>;

/// Returns a service that sends requests to the API server of `config`. No request is sent yet, but
/// an exec plugin is run.
pub(super) fn build_service(
    config: Config,
) -> Result<BoxCloneSyncService<Request<Body>, Response<ReceivedBody>, BoxError>> {
    build_service_with(config, Pings::from_env())
}

fn build_service_with(
    config: Config,
    pings: Pings,
) -> Result<BoxCloneSyncService<Request<Body>, Response<ReceivedBody>, BoxError>> {
    let (base_uri, headers) = (config.base_uri_layer(), config.extra_headers_layer()?);
    #[cfg(feature = "gzip")]
    let decompression =
        tower_http::decompression::DecompressionLayer::new().gzip(!config.disable_compression);
    let credentials = Arc::new(Credentials::new(config, pings)?);
    let service = headers.layer(service_fn(move |request| {
        send_with_renewal(Arc::clone(&credentials), request)
    }));
    #[cfg(feature = "gzip")]
    let service = decompression.layer(service);
    let service = base_uri
        .layer(service)
        .map_response(|response| response.map(|body| body.map_err(Into::into).boxed_unsync()));
    Ok(BoxCloneSyncService::new(service))
}

/// Sends a request. If the API server rejects the credentials, renews them, if their source can
/// have changed, and sends the request again, if its body is in memory. A write may be sent again
/// as well, since a rejected one was not executed.
async fn send_with_renewal(
    credentials: Arc<Credentials>,
    request: Request<Body>,
) -> Result<Response<PooledBody>, BoxError> {
    let session = credentials.session().await;
    // As in client-go, the caller's own header says nothing about these credentials.
    let is_callers = request.headers().contains_key(AUTHORIZATION);
    if is_callers || !credentials.is_renewable() {
        return send_once(&session, request).await;
    }
    let again = copy_request(&request);
    let result = send_once(&session, request).await;
    if !is_unauthorized(&result) {
        return result;
    }
    let Some(renewed) = credentials.renew(session).await else {
        return result;
    };
    let Some(request) = again else {
        return result;
    };
    if let Ok(response) = result {
        discard_response(response).await;
    }
    send_once(&renewed, request).await
}

/// Whether the API server, or a proxy in front of it, rejected the credentials: with 401, or by a
/// TLS alert about the client certificate.
fn is_unauthorized<B>(result: &Result<Response<B>, BoxError>) -> bool {
    match result {
        Ok(response) => response.status() == StatusCode::UNAUTHORIZED,
        Err(error) => connector::is_certificate_rejected(&**error),
    }
}

/// Target of the span and the event of a request: kube's, so that filters of programs apply.
const TARGET: &str = "kube_client::client";

/// Sends a request once, in the span that kube's client has.
async fn send_once(
    session: &Session,
    mut request: Request<Body>,
) -> Result<Response<PooledBody>, BoxError> {
    // As in client-go, a header that the caller has set takes precedence.
    if !request.headers().contains_key(AUTHORIZATION)
        && let Some(authorization) = session.authorization().await?
    {
        request.headers_mut().insert(AUTHORIZATION, authorization);
    }
    let verb = request.extensions().get::<&'static str>();
    let span = tracing::debug_span!(
        target: TARGET,
        "HTTP",
        http.method = %request.method(),
        http.url = %request.uri(),
        http.status_code = Empty,
        otel.name = verb.unwrap_or(&"HTTP"),
        otel.kind = "client",
        otel.status_code = Empty,
    );
    let sending = session.pool().send(request);
    let sent = async {
        tracing::debug!(target: TARGET, "requesting");
        sending.await
    };
    let result = sent.instrument(span.clone()).await;
    let status = result.as_ref().ok().map(Response::status);
    if let Some(status) = status {
        span.record("http.status_code", status.as_u16());
    }
    if status.is_none_or(|status| status.is_client_error() || status.is_server_error()) {
        span.record("otel.status_code", "ERROR");
    }
    result
}

#[cfg(test)]
mod tests;
