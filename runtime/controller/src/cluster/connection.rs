//! [`connection`]: the connection of a cluster, which observes the requests of the program.

use std::sync::Arc;

use genclient::kube;
use genclient::kube::client::Body;
use http::Request;
use tower::{BoxError, service_fn};

use crate::ledger::Ledger;
use crate::request_cancellation;

/// Wraps a connection to record the writes through it, if there is a ledger, and to end the
/// requests of reconciles at shutdown.
pub(super) fn connection(client: kube::Client, ledger: Option<Arc<Ledger>>) -> kube::Client {
    let namespace = client.default_namespace().to_owned();
    let valid_until = *client.valid_until();
    let service = service_fn(move |request: Request<Body>| {
        let (client, ledger) = (client.clone(), ledger.clone());
        // The caller's task polls this future, so that the reconcile is known.
        request_cancellation::send(async move {
            match ledger {
                Some(ledger) => ledger.send(&client, request).await,
                None => client.send(request).await.map_err(BoxError::from),
            }
        })
    });
    kube::Client::new(service, namespace).with_valid_until(valid_until)
}
