//! Every request goes through here.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as _;
use kube::client::Body;
use tokio::time::{Instant, Sleep, sleep, timeout_at};
use tower::{BoxError, Service};

use super::answer::{AnswerBody, Moment, RequestTimeoutError, goes_on};
use super::defaults::WriteDefaults;
use super::measure::RequestMeter;
use super::throttle::Throttle;
use super::warnings::Warnings;
use crate::time::FOR_EVER;

/// What is done to each request, and with each answer.
#[derive(Default)]
pub(super) struct StackSettings {
    pub(super) throttle: Option<Throttle>,
    pub(super) timeout: Option<Duration>,
    pub(super) defaults: WriteDefaults,
    pub(super) warnings: Warnings,
    pub(super) meter: Option<RequestMeter>,
}

/// A service with the settings of a client.
pub(super) struct Stack<S> {
    inner: S,
    settings: Arc<StackSettings>,
    /// The token of the next request.
    token: Option<Token>,
}

/// A token of the rate limit: waited for, or there.
struct Token {
    due: Pin<Box<Sleep>>,
    wait: Duration,
}

type Answering<B> = Pin<Box<dyn Future<Output = Result<Response<AnswerBody<B>>, BoxError>> + Send>>;

impl<S> Stack<S> {
    pub(super) fn new(inner: S, settings: Arc<StackSettings>) -> Self {
        Self {
            inner,
            settings,
            token: None,
        }
    }
}

impl<S, B> Service<Request<Body>> for Stack<S>
where
    S: Service<Request<Body>, Response = Response<B>>,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
{
    type Response = Response<AnswerBody<B>>;
    type Error = BoxError;
    type Future = Answering<B>;

    /// Waits for the rate limit here, so that requests stay in line.
    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        if let Some(throttle) = &self.settings.throttle {
            let token = self.token.get_or_insert_with(|| {
                let wait = throttle.reserve();
                let due = Box::pin(sleep(wait));
                Token { due, wait }
            });
            ready!(token.due.as_mut().poll(context));
        }
        self.inner.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let throttled = self.token.take().map(|token| token.wait);
        let settings = Arc::clone(&self.settings);
        let endless = goes_on(&request);
        let request = match settings.defaults.apply(request) {
            Ok(request) => request,
            Err(error) => return Box::pin(std::future::ready(Err(error))),
        };
        let method = request.method().clone();
        let bytes = request.body().size_hint().exact();
        let meter = settings.meter.as_ref();
        let measured = meter.map(|meter| meter.sent(&method, bytes, throttled));
        let answer = self.inner.call(request);
        Box::pin(async move {
            let start = Instant::now();
            let limit = settings.timeout.filter(|_| !endless);
            let moment = limit.map(|limit| Moment {
                at: start + limit.min(FOR_EVER),
                limit,
            });
            let response = in_time(answer, moment).await;
            if let Some(meter) = &settings.meter {
                let code = response.as_ref().ok().map(Response::status);
                meter.answered(method, code, start.elapsed());
            }
            let response = response?;
            settings.warnings.handle(response.headers());
            let measured = measured.filter(|_| !endless);
            Ok(response.map(|body| AnswerBody::new(body, moment, measured)))
        })
    }
}

async fn in_time<T, E: Into<BoxError>>(
    answer: impl Future<Output = Result<T, E>>,
    moment: Option<Moment>,
) -> Result<T, BoxError> {
    match moment {
        Some(Moment { at, limit }) => match timeout_at(at, answer).await {
            Ok(answer) => answer.map_err(Into::into),
            Err(_) => Err(RequestTimeoutError { limit }.into()),
        },
        None => answer.await.map_err(Into::into),
    }
}
