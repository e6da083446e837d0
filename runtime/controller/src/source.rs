//! [`Source`]: requests from outside the API server, such as a channel or a timer.

use std::hash::Hash;
use std::time::Duration;

use futures::{Stream, StreamExt};

use crate::failure::BoxError;
use crate::requests::Requests;

/// Source of requests other than a watch: a message queue, an external webhook, a timer.
///
/// If the replicas [share the objects](crate::ManagerBuilder::shard_by), the source runs on each of
/// them, and a request for an object of another replica is dropped. So each request has to reach
/// all replicas.
///
/// ```
/// use std::time::Duration;
///
/// use genclient_controller::{BoxError, Request, Requests, Source};
/// use genclient::cache::ObjectName;
///
/// struct EachMinute(ObjectName);
///
/// impl Source<Request> for EachMinute {
///     async fn run(self, requests: Requests<Request>) -> Result<(), BoxError> {
///         loop {
///             tokio::time::sleep(Duration::from_secs(60)).await;
///             requests.add(self.0.clone().into());
///         }
///     }
/// }
/// ```
pub trait Source<Q>: Send + 'static {
    /// Enqueues requests until there are no more. The future is dropped when the controller stops.
    ///
    /// # Errors
    ///
    /// Any error. It stops the manager.
    fn run(self, requests: Requests<Q>) -> impl Future<Output = Result<(), BoxError>> + Send;
}

/// Returns a source that enqueues the requests of a stream, such as the receiver of a channel. The
/// end of the stream is not an error.
///
/// ```
/// use genclient::cache::ObjectName;
/// use genclient_controller::{Request, source};
///
/// let names = futures::stream::iter([ObjectName::namespaced("default", "train")]);
/// fn takes(_: impl genclient_controller::Source<Request>) {}
/// takes(source::stream(names));
/// ```
pub fn stream<Q, S>(stream: S) -> impl Source<Q>
where
    S: Stream<Item: Into<Q>> + Send + Unpin + 'static,
    Q: Clone + Eq + Hash + Send + Sync + 'static,
{
    FromStream(stream)
}

/// Returns a source that enqueues a request every `period`, for the first time after one period. If
/// `period` is zero, it enqueues nothing.
pub fn every<Q>(period: Duration, request: impl Into<Q>) -> impl Source<Q>
where
    Q: Clone + Eq + Hash + Send + Sync + 'static,
{
    Every {
        period,
        request: request.into(),
    }
}

struct FromStream<S>(S);

impl<Q, S> Source<Q> for FromStream<S>
where
    S: Stream<Item: Into<Q>> + Send + Unpin + 'static,
    Q: Clone + Eq + Hash + Send + Sync + 'static,
{
    async fn run(mut self, requests: Requests<Q>) -> Result<(), BoxError> {
        while let Some(request) = self.0.next().await {
            requests.add(request.into());
        }
        Ok(())
    }
}

struct Every<Q> {
    period: Duration,
    request: Q,
}

impl<Q: Clone + Eq + Hash + Send + Sync + 'static> Source<Q> for Every<Q> {
    async fn run(self, requests: Requests<Q>) -> Result<(), BoxError> {
        while !self.period.is_zero() {
            tokio::time::sleep(self.period).await;
            requests.add(self.request.clone());
        }
        Ok(())
    }
}
