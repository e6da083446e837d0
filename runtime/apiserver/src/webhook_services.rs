//! [`WebhookServices`]: webhook servers in this process, which stand in for Services of the
//! cluster.

use std::collections::HashMap;
use std::fmt;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::{BoxFuture, poll_fn};
use http::{HeaderMap, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use parking_lot::Mutex;
use tower::{BoxError, Service};

/// Response of a webhook.
#[derive(Debug)]
pub(crate) struct WebhookResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// Webhook server: a function that responds to a call of a webhook.
type WebhookServer = Box<
    dyn Fn(Request<Full<Bytes>>) -> BoxFuture<'static, Result<WebhookResponse, BoxError>>
        + Send
        + Sync,
>;

/// Webhook servers by the namespace and name of the Service.
#[derive(Default)]
pub(crate) struct WebhookServices(HashMap<(String, String), WebhookServer>);

impl WebhookServices {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds the server of a Service, in place of an earlier server of this Service.
    pub(crate) fn insert<S, B>(&mut self, namespace: String, name: String, service: S)
    where
        S: Service<Request<Full<Bytes>>, Response = Response<B>> + Clone + Send + 'static,
        S::Error: Into<BoxError>,
        S::Future: Send + 'static,
        B: http_body::Body + Send + 'static,
        B::Data: Send,
        B::Error: Into<BoxError>,
    {
        let service = Mutex::new(service);
        let serve = move |request| {
            let service = service.lock().clone();
            call_service(service, request).boxed()
        };
        self.0.insert((namespace, name), Box::new(serve));
    }

    pub(crate) fn get(&self, namespace: &str, name: &str) -> Option<&WebhookServer> {
        self.0.get(&(namespace.to_owned(), name.to_owned()))
    }
}

async fn call_service<S, B>(
    mut service: S,
    request: Request<Full<Bytes>>,
) -> Result<WebhookResponse, BoxError>
where
    S: Service<Request<Full<Bytes>>, Response = Response<B>>,
    S::Error: Into<BoxError>,
    B: http_body::Body,
    B::Error: Into<BoxError>,
{
    poll_fn(|cx| service.poll_ready(cx))
        .await
        .map_err(Into::into)?;
    let response = service.call(request).await.map_err(Into::into)?;
    let (head, body) = response.into_parts();
    let body = body.collect().await.map_err(Into::into)?;
    Ok(WebhookResponse {
        status: head.status,
        headers: head.headers,
        body: body.to_bytes(),
    })
}

impl fmt::Debug for WebhookServices {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}
