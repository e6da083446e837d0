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

use super::metrics::MethodMetrics;
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

/// Limits of the time that a request may take.
#[derive(Clone, Copy, Default)]
pub(crate) struct RequestLimits {
    /// Deadline of all attempts together, and of the response.
    pub(super) deadline: Option<ResponseDeadline>,
    /// Maximum time of each attempt without progress: until its response begins, and between two
    /// parts of the response.
    pub(super) progress_timeout: Option<Duration>,
}

/// Body of a response. After a limit, a read that would wait fails with a [`RequestTimeoutError`].
/// If it has metrics, they record the size when the body ends.
pub(crate) struct ResponseBody<B> {
    body: B,
    timer: Option<DeadlineTimer>,
    /// Timer of the wait for the next part.
    progress_timer: Option<DeadlineTimer>,
    /// Whether a part has arrived since the timer was set.
    has_progress: bool,
    size: Option<Size>,
}

/// Number of bytes of a body that have arrived, and the metrics that record the final number.
struct Size {
    bytes: u64,
    metrics: Arc<MethodMetrics>,
}

/// Deadline of a response, and the timeout that it was computed from, for the error message.
#[derive(Clone, Copy)]
pub(crate) struct ResponseDeadline {
    pub(super) at: Instant,
    limit: Duration,
}

struct DeadlineTimer {
    over: Pin<Box<Sleep>>,
    limit: Duration,
}

/// Whether a request is long-running: a watch, a followed log, or a protocol upgrade.
pub(crate) fn is_long_running<B>(request: &Request<B>) -> bool {
    has_true_parameter(request, "watch")
        || has_true_parameter(request, "follow")
        || request.headers().contains_key(http::header::UPGRADE)
}

pub(super) fn has_true_parameter<B>(request: &Request<B>, parameter: &str) -> bool {
    let query = request.uri().query().unwrap_or_default();
    let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs.any(|(name, value)| name == parameter && matches!(value, "true" | "1"))
}

impl ResponseDeadline {
    pub(crate) fn after(limit: Duration) -> Self {
        let at = Instant::now() + limit.min(FOR_EVER);
        Self { at, limit }
    }

    pub(crate) async fn in_time<T>(
        self,
        response: impl Future<Output = T>,
    ) -> Result<T, RequestTimeoutError> {
        let result = timeout_at(self.at, response).await;
        result.map_err(|_| RequestTimeoutError { limit: self.limit })
    }
}

impl RequestLimits {
    /// Limits without a deadline.
    pub(crate) fn progress_timeout(progress_timeout: Duration) -> Self {
        Self {
            deadline: None,
            progress_timeout: Some(progress_timeout),
        }
    }

    /// Returns the deadline of an attempt that begins now.
    pub(crate) fn attempt_deadline(self) -> Option<ResponseDeadline> {
        let attempt = self.progress_timeout.map(ResponseDeadline::after);
        let deadlines = [self.deadline, attempt].into_iter().flatten();
        deadlines.min_by_key(|deadline| deadline.at)
    }
}

impl From<ResponseDeadline> for DeadlineTimer {
    fn from(deadline: ResponseDeadline) -> Self {
        Self {
            over: Box::pin(sleep_until(deadline.at)),
            limit: deadline.limit,
        }
    }
}

impl DeadlineTimer {
    /// Sets the timer again, to its limit from now on.
    fn restart(&mut self) {
        self.over
            .as_mut()
            .reset(ResponseDeadline::after(self.limit).at);
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<RequestTimeoutError> {
        let error = RequestTimeoutError { limit: self.limit };
        self.over.as_mut().poll(context).map(|()| error)
    }
}

impl<B> ResponseBody<B> {
    pub(crate) fn limited(body: B, limits: RequestLimits) -> Self {
        Self::new(body, limits, None)
    }

    pub(super) fn new(body: B, limits: RequestLimits, metrics: Option<Arc<MethodMetrics>>) -> Self {
        Self {
            body,
            timer: limits.deadline.map(DeadlineTimer::from),
            progress_timer: limits
                .progress_timeout
                .map(|progress_timeout| ResponseDeadline::after(progress_timeout).into()),
            has_progress: false,
            size: metrics.map(|metrics| Size { bytes: 0, metrics }),
        }
    }

    /// Returns the error of the limit that is exceeded. Otherwise, the task wakes when one is.
    fn poll_limits(&mut self, context: &mut Context<'_>) -> Poll<RequestTimeoutError> {
        if std::mem::take(&mut self.has_progress) {
            self.progress_timer
                .iter_mut()
                .for_each(DeadlineTimer::restart);
        }
        for timer in [&mut self.timer, &mut self.progress_timer]
            .into_iter()
            .flatten()
        {
            if let Poll::Ready(error) = timer.poll(context) {
                return Poll::Ready(error);
            }
        }
        Poll::Pending
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
                if let Some(Size { bytes, metrics }) = size.take() {
                    metrics.response_size.observe(bytes as f64);
                }
            }
            _ => {}
        }
    }
}

impl<B> Body for ResponseBody<B>
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
            self.has_progress = true;
            self.measure(frame.as_ref());
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        let late = self.poll_limits(context);
        late.map(|error| Some(Err(error.into())))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
