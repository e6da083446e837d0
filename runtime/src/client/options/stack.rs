//! [`Stack`]: service that applies the settings of a client to every request. Its rate limit is
//! client-go's `flowcontrol.RateLimiter`.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::Body as _;
use kube::client::Body;
use tokio::sync::Mutex;
use tokio::time::{Instant, Sleep, sleep};
use tower::{BoxError, Service};

use super::super::resend::discard_response;
use super::defaults::WriteDefaults;
use super::metrics::{MethodMetrics, RequestMetrics};
use super::retries::{MAX_RETRIES, Retries};
use super::timeouts::{RequestLimits, ResponseBody, ResponseDeadline, is_long_running};
use super::warnings::Warnings;
use crate::time::FOR_EVER;
use crate::workqueue::{BucketRateLimiter, RateLimiter};

/// Duration above which a wait for the rate limit is logged, to explain why a program is slow.
const LOGGED_WAIT: Duration = Duration::from_secs(1);
/// Default limit of the wait for a response. The API server itself ends a request after 60 s
/// (`--request-timeout`); its response, a 504 with the reason, should arrive before this limit.
pub(crate) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(65);

pub(super) struct StackSettings {
    pub(super) throttle: Option<Throttle>,
    pub(super) timeout: Option<Duration>,
    pub(super) response_timeout: Option<Duration>,
    pub(super) max_retries: u32,
    pub(super) defaults: WriteDefaults,
    pub(super) warnings: Warnings,
    pub(super) metrics: Option<RequestMetrics>,
}

impl Default for StackSettings {
    fn default() -> Self {
        Self {
            throttle: None,
            timeout: None,
            response_timeout: Some(RESPONSE_TIMEOUT),
            max_retries: MAX_RETRIES,
            defaults: WriteDefaults::default(),
            warnings: Warnings::default(),
            metrics: None,
        }
    }
}

pub(super) struct Stack<S> {
    /// The wrapped service. Locked only while a request is passed to it, so that other requests are
    /// sent while one waits for its response or its retry.
    inner: Arc<Mutex<S>>,
    settings: Arc<StackSettings>,
    token: Option<Token>,
}

/// Token of the rate limit, valid from `due`.
struct Token {
    due: Pin<Box<Sleep>>,
    wait: Duration,
}

type ResponseFuture<B> =
    Pin<Box<dyn Future<Output = Result<Response<ResponseBody<B>>, BoxError>> + Send>>;

/// Token bucket with one token for each request.
pub(super) struct Throttle(parking_lot::Mutex<BucketRateLimiter>);

impl Throttle {
    pub(super) fn new(qps: f64, burst: u32) -> Self {
        Self(parking_lot::Mutex::new(BucketRateLimiter::new(qps, burst)))
    }

    /// Reserves the next token. Returns the time until it is available.
    pub(super) fn reserve(&self) -> Duration {
        let wait = self.0.lock().when(&()).min(FOR_EVER);
        if wait > LOGGED_WAIT {
            tracing::info!(?wait, "request delayed by client-side throttling");
        }
        wait
    }

    pub(super) async fn wait(&self) -> Duration {
        let wait = self.reserve();
        tokio::time::sleep(wait).await;
        wait
    }
}

impl<S> Stack<S> {
    pub(super) fn new(inner: S, settings: Arc<StackSettings>) -> Self {
        Self {
            inner: Arc::new(Mutex::new(inner)),
            settings,
            token: None,
        }
    }
}

impl<S, B> Service<Request<Body>> for Stack<S>
where
    S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
{
    type Response = Response<ResponseBody<B>>;
    type Error = BoxError;
    type Future = ResponseFuture<B>;

    /// Waits for the rate limit. A wait in `call` would let requests overtake each other, since
    /// their futures run concurrently.
    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        if let Some(throttle) = &self.settings.throttle {
            let token = self.token.get_or_insert_with(|| {
                let wait = throttle.reserve();
                let due = Box::pin(sleep(wait));
                Token { due, wait }
            });
            ready!(token.due.as_mut().poll(context));
        }
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let throttled = self.token.take().map(|token| token.wait);
        let settings = Arc::clone(&self.settings);
        let sender = Sender {
            inner: Arc::clone(&self.inner),
            settings: Arc::clone(&settings),
        };
        Box::pin(async move {
            let request = settings.defaults.apply(request)?;
            let endless = is_long_running(&request);
            let limits = if endless {
                RequestLimits::default()
            } else {
                RequestLimits {
                    deadline: settings.timeout.map(ResponseDeadline::after),
                    progress_timeout: settings.response_timeout,
                }
            };
            let (response, method_metrics) = sender.send(request, throttled, limits).await?;
            settings.warnings.handle(response.headers());
            let method_metrics = method_metrics.filter(|_| !endless);
            Ok(response.map(|body| ResponseBody::new(body, limits, method_metrics)))
        })
    }
}

struct Sender<S> {
    inner: Arc<Mutex<S>>,
    settings: Arc<StackSettings>,
}

impl<S, B> Sender<S>
where
    S: Service<Request<Body>, Response = Response<B>> + Send + 'static,
    S::Future: Send + 'static,
    S::Error: Into<BoxError>,
    B: http_body::Body<Data = Bytes> + Send + 'static,
{
    /// Sends a request, and sends it again by the rules of [`Retries`], within `limits`. Returns
    /// the last response, and the instruments of the request's method.
    async fn send(
        &self,
        mut request: Request<Body>,
        mut throttled: Option<Duration>,
        limits: RequestLimits,
    ) -> Result<(Response<B>, Option<Arc<MethodMetrics>>), BoxError> {
        let (start, method) = (Instant::now(), request.method().clone());
        let mut retries = Retries::new(self.settings.max_retries, &request);
        let mut attempt = 1;
        loop {
            let bytes = request.body().size_hint().exact();
            let metrics = self.settings.metrics.as_ref();
            let method_metrics =
                metrics.map(|metrics| metrics.record_request(&method, bytes, throttled));
            let sending = self.try_once(request);
            let result = match limits.attempt_deadline() {
                Some(deadline) => deadline
                    .in_time(sending)
                    .await
                    .unwrap_or_else(|late| Err(late.into())),
                None => sending.await,
            };
            let code = result.as_ref().ok().map(Response::status);
            if let Some(metrics) = metrics {
                metrics.record_response(&method, code, attempt > 1);
            }
            let again = retries.after(&result).filter(|(_, pause)| {
                let end = limits.deadline.map(|deadline| deadline.at);
                end.is_none_or(|end| Instant::now() + *pause < end)
            });
            let Some((next, pause)) = again else {
                if let Some(method_metrics) = &method_metrics {
                    method_metrics
                        .duration
                        .observe(start.elapsed().as_secs_f64());
                }
                return result.map(|response| (response, method_metrics));
            };
            tracing::debug!(%method, ?code, attempt, ?pause, "retrying request");
            if let Ok(response) = result {
                discard_response(response).await;
            }
            sleep(pause).await;
            // As in client-go, retries also wait for the rate limit.
            throttled = match &self.settings.throttle {
                Some(throttle) => Some(throttle.wait().await),
                None => None,
            };
            request = next;
            attempt += 1;
        }
    }

    async fn try_once(&self, request: Request<Body>) -> Result<Response<B>, BoxError> {
        let sending = {
            let mut inner = self.inner.lock().await;
            let ready = poll_fn(|context| inner.poll_ready(context)).await;
            ready.map_err(Into::into)?;
            inner.call(request)
        };
        sending.await.map_err(Into::into)
    }
}
