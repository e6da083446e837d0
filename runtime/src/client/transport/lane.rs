//! [`Lane`]: one HTTP/2 connection to an API server, or any number of HTTP/1.1 connections.

use std::error::Error as StdError;
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use http::{Request, Response};
use hyper::body::Incoming;
use hyper_util::client::legacy::{self, Client};
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::client::Body;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::Instant;
use tower::util::BoxCloneSyncService;
use tower::{BoxError, ServiceExt, service_fn};

use super::connector::Connector;
use super::pings::Pings;
use super::socket::{DEFAULT_STREAMS, Progress};

/// Flow control windows of a connection and of a stream in bytes. An unread watch must not stop
/// other responses, so that the window of a connection is huge, as in Go's HTTP/2 client. That of a
/// stream bounds the memory for a response that is read slowly; Go's has 4 MiB.
const CONNECTION_WINDOW: u32 = 1 << 30;
const STREAM_WINDOW: u32 = 1 << 20;
/// How long requests wait for the settings of a new HTTP/2 connection.
const SETTINGS_PATIENCE: Duration = Duration::from_secs(1);
/// Time without a new request after which a connection is forgotten. hyper counts open watches as
/// idle time, so that this must be longer than the longest watch of an informer (10 minutes). Else
/// each watch would open a connection of its own.
const IDLE: Duration = Duration::from_secs(15 * 60);
/// Maximum number of unused HTTP/1.1 connections: client-go's `MaxIdleConnsPerHost`
/// (`transport/cache.go`).
const MAX_IDLE: usize = 25;

pub(super) struct Lane {
    client: Client<Connector, Body>,
    stage: Arc<Mutex<Stage>>,
    /// Number of requests whose response is not complete. Changed while the lanes of the pool are
    /// locked.
    live: AtomicUsize,
    /// Error of the attempt to connect, for all requests that have waited for it.
    failure: OnceLock<Arc<legacy::Error>>,
}

/// What is known about the connections of a lane.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// There is none. The first request opens one.
    New,
    /// There is one of HTTP/2 since this time. The server's settings are not known.
    Connected(Instant),
    /// The lane can carry this number of concurrent requests: `usize::MAX` for HTTP/1.1, with one
    /// connection for each request.
    Open(usize),
    /// The HTTP/2 connection accepts no more requests, or the lane is not trusted any more.
    Over,
}

/// Error of a request that found the HTTP/2 connection of its lane closed. It was not sent.
#[derive(Debug)]
pub(super) struct LaneOver;

/// Error that several requests share.
#[derive(Debug)]
struct SharedError(Arc<legacy::Error>);

impl Lane {
    /// `changed` is notified when the lane may have room, and when it is over.
    pub(super) fn new(connector: &Connector, pings: Pings, changed: &Arc<Notify>) -> Arc<Self> {
        let stage = Arc::new(Mutex::new(Stage::New));
        let (connector, changed) = (connector.clone(), Arc::clone(changed));
        let stage_of_lane = Arc::clone(&stage);
        let connector = service_fn(move |uri| {
            let (connector, changed) = (connector.clone(), Arc::clone(&changed));
            let stage = Arc::clone(&stage_of_lane);
            async move {
                if stage.lock().is_http2_or_over() {
                    return Err(LaneOver.into());
                }
                let socket = connector.oneshot(uri).await?;
                Ok(socket.observed(move |progress| {
                    stage.lock().advance(progress);
                    changed.notify_waiters();
                }))
            }
        });
        Arc::new(Self {
            client: client(BoxCloneSyncService::new(connector), pings),
            stage,
            live: AtomicUsize::new(0),
            failure: OnceLock::new(),
        })
    }

    pub(super) async fn send(
        &self,
        request: Request<Body>,
    ) -> Result<Response<Incoming>, legacy::Error> {
        self.client.request(request).await
    }

    /// Whether another request may be sent now. The first request opens the connection.
    pub(super) fn has_room(&self) -> bool {
        let room = match *self.stage.lock() {
            Stage::New => 1,
            Stage::Connected(since) if since.elapsed() >= SETTINGS_PATIENCE => DEFAULT_STREAMS,
            Stage::Connected(_) | Stage::Over => 0,
            Stage::Open(capacity) => capacity,
        };
        self.live.load(Ordering::Relaxed) < room
    }

    /// Whether the lane may soon have room for more requests, since its connection is being opened.
    /// The server may turn out to accept no more requests than [`DEFAULT_STREAMS`].
    pub(super) fn is_opening(&self) -> bool {
        self.opening_until().is_some() && self.live.load(Ordering::Relaxed) < DEFAULT_STREAMS
    }

    /// Returns the time at which a lane that is being opened gets room without further news. The
    /// inner value is `None` while there is no connection.
    #[expect(
        clippy::option_option,
        reason = "a lane that is not being opened is another case"
    )]
    pub(super) fn opening_until(&self) -> Option<Option<Instant>> {
        match *self.stage.lock() {
            Stage::New => Some(None),
            Stage::Connected(since) => Some(Some(since + SETTINGS_PATIENCE)),
            Stage::Open(_) | Stage::Over => None,
        }
    }

    pub(super) fn is_new(&self) -> bool {
        matches!(*self.stage.lock(), Stage::New)
    }

    pub(super) fn is_http1(&self) -> bool {
        matches!(*self.stage.lock(), Stage::Open(usize::MAX))
    }

    pub(super) fn is_over(&self) -> bool {
        matches!(*self.stage.lock(), Stage::Over)
    }

    /// Keeps further requests away. Those in progress go on.
    pub(super) fn retire(&self) {
        *self.stage.lock() = Stage::Over;
    }

    pub(super) fn enter(&self) {
        self.live.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn leave(&self) {
        self.live.fetch_sub(1, Ordering::Relaxed);
    }

    /// Fails all requests that wait for the lane's connection. Returns the error for the request
    /// that should have opened it.
    pub(super) fn fail(&self, error: legacy::Error) -> BoxError {
        let error = Arc::new(error);
        let _ = self.failure.set(Arc::clone(&error));
        self.retire();
        SharedError(error).into()
    }

    /// Returns the error of the attempt to connect, if it has failed.
    pub(super) fn failure(&self) -> Option<BoxError> {
        let failure = self.failure.get()?;
        Some(SharedError(Arc::clone(failure)).into())
    }
}

impl Stage {
    fn is_http2_or_over(self) -> bool {
        match self {
            Self::New | Self::Open(usize::MAX) => false,
            Self::Connected(_) | Self::Open(_) | Self::Over => true,
        }
    }

    fn advance(&mut self, progress: Progress) {
        *self = match (*self, progress) {
            (Self::Over, _) | (_, Progress::Ended) => Self::Over,
            (_, Progress::Http1) => Self::Open(usize::MAX),
            (_, Progress::Http2) => Self::Connected(Instant::now()),
            (_, Progress::Streams(capacity)) => Self::Open(capacity),
        };
    }
}

impl fmt::Display for LaneOver {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the connection was closed before the request was sent")
    }
}

impl StdError for LaneOver {}

impl fmt::Display for SharedError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

impl StdError for SharedError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.0.source()
    }
}

pub(super) fn client(connector: Connector, pings: Pings) -> Client<Connector, Body> {
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE)
        .pool_max_idle_per_host(MAX_IDLE)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_keep_alive_interval(pings.idle)
        .http2_keep_alive_timeout(pings.timeout)
        .http2_keep_alive_while_idle(true)
        .build(connector)
}
