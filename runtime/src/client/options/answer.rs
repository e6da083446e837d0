//! Deadlines of requests, and response bodies that fail at the deadline and measure their size.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::Request;
use http_body::{Body, Frame, SizeHint};
use tokio::time::{Instant, Sleep, sleep_until, timeout_at};
use tower::BoxError;

use super::measure::MethodMeter;
use crate::time::FOR_EVER;

/// The response to a request did not arrive in time. This error is the source of a
/// [`kube::Error::Service`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no response within {limit:?}")]
#[non_exhaustive]
pub struct RequestTimeoutError {
    /// The timeout that was exceeded.
    pub limit: Duration,
}

/// Body of a response. After the deadline, if there is one, a read that would wait fails with a
/// [`RequestTimeoutError`]. If there is a meter, it records the size when the body ends.
pub(super) struct AnswerBody<B> {
    body: B,
    timer: Option<DeadlineTimer>,
    size: Option<Size>,
}

/// Number of bytes of a body that have arrived, and the meter that records the final number.
struct Size {
    bytes: u64,
    meter: Arc<MethodMeter>,
}

/// Deadline of a response, and the timeout that it was computed from, for the error message.
#[derive(Clone, Copy)]
pub(crate) struct Deadline {
    pub(super) at: Instant,
    limit: Duration,
}

struct DeadlineTimer {
    over: Pin<Box<Sleep>>,
    limit: Duration,
}

/// Whether a request is long-running: a watch, a followed log, or a protocol upgrade.
pub(super) fn is_long_running<B>(request: &Request<B>) -> bool {
    is_on(request, "watch")
        || is_on(request, "follow")
        || request.headers().contains_key(http::header::UPGRADE)
}

pub(super) fn is_on<B>(request: &Request<B>, parameter: &str) -> bool {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.any(|(name, value)| name == parameter && matches!(value, "true" | "1"))
}

impl Deadline {
    pub(crate) fn after(limit: Duration) -> Self {
        let at = Instant::now() + limit.min(FOR_EVER);
        Self { at, limit }
    }

    pub(crate) async fn in_time<T>(
        self,
        answer: impl Future<Output = T>,
    ) -> Result<T, RequestTimeoutError> {
        let answer = timeout_at(self.at, answer).await;
        answer.map_err(|_| RequestTimeoutError { limit: self.limit })
    }
}

impl<B> AnswerBody<B> {
    pub(super) fn new(
        body: B,
        deadline: Option<Deadline>,
        meter: Option<Arc<MethodMeter>>,
    ) -> Self {
        let timer = deadline.map(|deadline| DeadlineTimer {
            over: Box::pin(sleep_until(deadline.at)),
            limit: deadline.limit,
        });
        let size = meter.map(|meter| Size { bytes: 0, meter });
        Self { body, timer, size }
    }

    /// Adds a frame to the measured size. If `frame` is `None`, the body has ended, and its size is
    /// recorded.
    fn measure<E>(&mut self, frame: Option<&Result<Frame<Bytes>, E>>) {
        match (frame, &mut self.size) {
            (Some(Ok(frame)), Some(size)) => {
                let data = frame.data_ref();
                size.bytes += data.map_or(0, |data| data.len() as u64);
            }
            (None, size) => {
                if let Some(Size { bytes, meter }) = size.take() {
                    meter.response_size.observe(bytes as f64);
                }
            }
            _ => {}
        }
    }
}

impl<B> Body for AnswerBody<B>
where
    B: Body<Data = Bytes> + Unpin,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        if let Poll::Ready(frame) = frame {
            self.measure(frame.as_ref());
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        if let Some(timer) = &mut self.timer
            && timer.over.as_mut().poll(context).is_ready()
        {
            let error = RequestTimeoutError { limit: timer.limit };
            return Poll::Ready(Some(Err(error.into())));
        }
        Poll::Pending
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
