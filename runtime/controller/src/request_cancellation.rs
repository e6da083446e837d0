//! End of the requests of reconciles, so that a shutdown does not wait for responses.
//!
//! In controller-runtime, a request ends with the context of its reconcile. Here, the worker sets a
//! task-local token for each reconcile, and the connection of a cluster observes it. So requests of
//! clientsets end as well; requests of tasks that a reconcile spawns do not.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use futures::future;
use genclient::kube::client::Body;
use http::Response;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::task_local;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tower::BoxError;

task_local! {
    /// Cancelled when the requests of this task's reconcile have to end.
    static CANCELLATION: Arc<CancellationToken>;
}

/// Error of a request that the shutdown of its controller, or the loss of the lease, has ended.
#[derive(Debug, thiserror::Error)]
#[error("the controller is being shut down")]
pub(crate) struct RequestCancelled;

/// Response body that fails when the requests of its reconcile have to end.
pub(crate) struct CancellableBody {
    body: Body,
    /// `None` outside of a reconcile.
    cancelled: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

/// Runs a reconcile whose requests end when `end` is cancelled.
pub(crate) async fn run_until_cancelled<T>(
    end: Arc<CancellationToken>,
    reconcile: impl Future<Output = T>,
) -> T {
    CANCELLATION.scope(end, reconcile).await
}

/// Runs work that several tasks share. Its requests do not end with the reconcile that polls it.
pub(crate) async fn run_detached<T>(work: impl Future<Output = T>) -> T {
    CANCELLATION.scope(Arc::default(), work).await
}

/// Waits until the requests of this task's reconcile have to end. Outside of a reconcile, and in
/// [`run_detached`] work, never resolves.
pub(crate) async fn wait_until_cancelled() {
    match CANCELLATION.try_with(Arc::clone) {
        Ok(end) => end.cancelled().await,
        Err(_) => future::pending().await,
    }
}

/// Sends a request of this task's reconcile, if there is one, until the requests have to end.
pub(crate) async fn send_until_cancelled(
    sent: impl Future<Output = Result<Response<Body>, BoxError>>,
) -> Result<Response<CancellableBody>, BoxError> {
    let Ok(end) = CANCELLATION.try_with(Arc::clone) else {
        let response = sent.await?;
        return Ok(response.map(|body| CancellableBody {
            body,
            cancelled: None,
        }));
    };
    let answered = end.run_until_cancelled(sent).await;
    let response = answered.ok_or(RequestCancelled)??;
    Ok(response.map(|body| {
        let end = CancellationToken::clone(&end);
        let cancelled = (!body.is_end_stream()).then(|| Box::pin(end.cancelled_owned()));
        CancellableBody { body, cancelled }
    }))
}

impl HttpBody for CancellableBody {
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        match &mut self.cancelled {
            Some(cancelled) => cancelled
                .as_mut()
                .poll(cx)
                .map(|()| Some(Err(RequestCancelled.into()))),
            None => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
