//! Client wrapper that records writes and ends requests at shutdown.

use std::sync::Arc;

use genclient::kube;
use genclient::kube::client::Body;
use http::Request;
use tower::{BoxError, service_fn};

use crate::ledger::Ledger;
use crate::request_cancellation;

/// Wraps a client to record the writes through it, if there is a ledger, and to end the requests of
/// reconciles at shutdown.
pub(super) fn observe_requests(client: kube::Client, ledger: Option<Arc<Ledger>>) -> kube::Client {
    let namespace = client.default_namespace().to_owned();
    let valid_until = *client.valid_until();
    let service = service_fn(move |request: Request<Body>| {
        let (client, ledger) = (client.clone(), ledger.clone());
        // `send_until_cancelled` reads a task-local of the reconcile. The future is not spawned:
        // the task of the caller polls it, which has this task-local.
        request_cancellation::send_until_cancelled(async move {
            match ledger {
                Some(ledger) => ledger.send(&client, request).await,
                None => client.send(request).await.map_err(BoxError::from),
            }
        })
    });
    kube::Client::new(service, namespace).with_valid_until(valid_until)
}
