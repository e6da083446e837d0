//! Webhook calls: POST of a JSON body to the server in a `clientConfig`.
//!
//! Source: `ClientManager` of k8s.io/apiserver/pkg/util/webhook, and the REST client of
//! k8s.io/client-go.

mod address;
#[cfg(feature = "webhooks")]
mod https;
mod response;
#[cfg(feature = "webhooks")]
mod verifier;

use std::time::Duration;

use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use http::{Method, Request};
use http_body_util::Full;
use serde_json::Value;
use tokio::time::Instant;
use tower::BoxError;

use self::address::{Destination, ServiceReference, WebhookAddress};
use crate::deadline;
use crate::state::ServerState;
use crate::store::{GroupResource, Key};
use crate::webhook_services::WebhookResponse;

/// Error of a webhook call, with kube-apiserver's message for the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum CallError {
    /// The `clientConfig` is invalid, so nothing was sent. An admission webhook's error then has
    /// the words `could not get REST client` before the reason.
    NoClient(String),
    /// The call failed. An admission webhook's error then has the words `failed to call webhook`
    /// before the reason.
    Failed(String),
}

/// Posts a body to the server in a `clientConfig`. Returns the body of a successful response, which
/// is never empty.
///
/// `timeout` limits the call, and the URL states it, as in `?timeout=10s`. For an admission
/// webhook, it is `timeoutSeconds`, or the time until the deadline of the request if that is
/// shorter. For a conversion webhook, it is always 30 s.
///
/// # Errors
///
/// If the configuration is invalid, no tokio runtime is running, the server is unreachable or times
/// out, or the response is a failure or empty.
pub(crate) async fn call(
    state: &ServerState,
    client_config: &Value,
    body: &Value,
    timeout: Duration,
) -> Result<Bytes, CallError> {
    let address = WebhookAddress::parse(client_config).map_err(CallError::NoClient)?;
    let url = address.url(timeout);
    let failed = |reason: &dyn std::fmt::Display| {
        CallError::Failed(format!(
            "Post {}: {reason}",
            genclient_apimachinery::go::quoted(&url)
        ))
    };
    let request = build_request(&url, body).map_err(|error| failed(&error))?;
    if tokio::runtime::Handle::try_current().is_err() {
        return Err(failed(
            &"a webhook can only be called from within a tokio runtime",
        ));
    }
    let response = deadline::run_until(
        Instant::now() + timeout,
        send_to_destination(state, &address, request),
    )
    .await;
    let response = match response {
        Some(Ok(response)) => response,
        Some(Err(error)) => return Err(failed(&error)),
        None => return Err(failed(&"context deadline exceeded")),
    };
    response.into_body().map_err(CallError::Failed)
}

/// Returns the POST request with the headers of kube-apiserver.
fn build_request(url: &str, body: &Value) -> http::Result<Request<Full<Bytes>>> {
    Request::builder()
        .method(Method::POST)
        .uri(url)
        .header(ACCEPT, "application/json, */*")
        .header(CONTENT_TYPE, "application/json")
        .header(USER_AGENT, "kube-apiserver-admission")
        .body(Full::new(body.to_string().into()))
}

async fn send_to_destination(
    state: &ServerState,
    address: &WebhookAddress<'_>,
    request: Request<Full<Bytes>>,
) -> Result<WebhookResponse, BoxError> {
    if let Destination::Service(reference) = address.destination {
        return match state.webhooks.get(reference.namespace, reference.name) {
            Some(service) => service(request).await,
            None => Err(unreachable_error(state, &reference).into()),
        };
    }
    over_network(address, request).await
}

#[cfg(feature = "webhooks")]
async fn over_network(
    address: &WebhookAddress<'_>,
    request: Request<Full<Bytes>>,
) -> Result<WebhookResponse, BoxError> {
    https::send_over_https(request, address.authorities).await
}

#[cfg(not(feature = "webhooks"))]
async fn over_network(
    _address: &WebhookAddress<'_>,
    _request: Request<Full<Bytes>>,
) -> Result<WebhookResponse, BoxError> {
    let message = "the feature `webhooks` of genclient-apiserver is off: enable it, or \
                   replace `url` by a `service` that `ApiServerBuilder::webhook_service` adds";
    Err(message.into())
}

/// Returns the error for a call to a Service that has no webhook server in this process
/// (`ResolveCluster` in k8s.io/apiserver/pkg/util/proxy).
fn unreachable_error(state: &ServerState, reference: &ServiceReference<'_>) -> String {
    let ServiceReference {
        namespace,
        name,
        port,
    } = reference;
    let services = GroupResource::new("", "services");
    let Some(service) = state.store.get(&services, &Key::new(namespace, name)) else {
        return format!("service \"{name}\" not found");
    };
    let spec = service.value()["spec"].take();
    if spec["clusterIP"] == "None" {
        return "cannot route to service with ClusterIP \"None\"".to_owned();
    }
    let mut ports = spec["ports"].as_array().into_iter().flatten();
    if spec["type"] != "ExternalName" && !ports.any(|it| it["port"] == *port) {
        return format!("no service port {port} found for service \"{name}\"");
    }
    format!(
        "service {namespace}/{name} has no webhook server in this process: add a server with \
         `ApiServerBuilder::webhook_service`"
    )
}
