//! [`ConnectionSlot`]: one HTTP/2 connection to an API server, or any number of HTTP/1.1
//! connections.

use std::error::Error as StdError;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use h2::Reason;
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
use crate::error_chain::error_chain;

/// Flow control windows of a connection and of a stream in bytes. An unread watch must not stop
/// other responses, so that the window of a connection is huge, as in Go's HTTP/2 client. That of a
/// stream bounds the memory for a response that is read slowly; Go's has 4 MiB.
const CONNECTION_WINDOW: u32 = 1 << 30;
const STREAM_WINDOW: u32 = 1 << 20;
/// How long requests wait for the settings of a new HTTP/2 connection.
const SETTINGS_TIMEOUT: Duration = Duration::from_secs(1);
/// Time without a new request after which a connection is forgotten. hyper counts open watches as
/// idle time, so that this must be longer than the longest watch of an informer (10 minutes). Else
/// each watch would open a connection of its own.
const IDLE_TIMEOUT: Duration = Duration::from_secs(15 * 60);
/// Maximum number of unused HTTP/1.1 connections: client-go's `MaxIdleConnsPerHost`
/// (`transport/cache.go`).
const MAX_IDLE_CONNECTIONS: usize = 25;

pub(super) struct ConnectionSlot {
    client: Client<Connector, Body>,
    state: Arc<Mutex<SlotState>>,
    /// Number of requests whose response is not complete. Changed while the slots of the pool are
    /// locked.
    active_requests: AtomicUsize,
    /// Whether the request that opens the connection is being sent. Changed like `active_requests`.
    has_opener: AtomicBool,
    /// Error of the attempt to open a connection, for all requests that have waited for it.
    failure: OnceLock<Arc<legacy::Error>>,
}

/// What is known about the connections of a slot.
#[derive(Debug)]
struct SlotState {
    stage: Stage,
    /// Whether the stage has been `Open`.
    was_open: bool,
    /// Whether the HTTP/2 server has announced that it leaves, without an error.
    is_going_away: bool,
    /// Why the HTTP/2 connection ends.
    reason: Option<String>,
}

/// Stage of the connections of a slot.
#[derive(Clone, Copy, Debug)]
enum Stage {
    /// There is none. The first request opens one.
    New,
    /// There is one of HTTP/2 since this time. The server's settings are not known.
    Connected(Instant),
    /// The slot can carry this number of concurrent requests: `usize::MAX` for HTTP/1.1, with one
    /// connection for each request.
    Open(usize),
    /// The HTTP/2 connection accepts no more requests, or the slot is not trusted any more.
    Closed,
}

/// A connection that is being opened.
#[derive(Clone, Copy, Debug)]
pub(super) enum Opening {
    /// There is no connection yet.
    Connecting,
    /// The server's settings are not known. The slot has room at this time, even without them.
    RoomAt(Instant),
}

/// Error of a request that found the HTTP/2 connection of its slot closed. It was not sent.
#[derive(Debug)]
pub(super) struct SlotClosed;

/// Error of a connection. hyper does not report every reason: for example, it cancels requests that
/// it has not begun to send. Several requests may share the source.
#[derive(Debug)]
struct ConnectionError {
    what: &'static str,
    reason: String,
    source: Arc<legacy::Error>,
}

impl ConnectionSlot {
    /// `changed` is notified when the slot may have room, and when it is closed.
    pub(super) fn new(connector: &Connector, pings: Pings, changed: &Arc<Notify>) -> Arc<Self> {
        let state = Arc::new(Mutex::new(SlotState {
            stage: Stage::New,
            was_open: false,
            is_going_away: false,
            reason: None,
        }));
        let (connector, changed) = (connector.clone(), Arc::clone(changed));
        let state_of_slot = Arc::clone(&state);
        let connector = service_fn(move |uri| {
            let (connector, changed) = (connector.clone(), Arc::clone(&changed));
            let state = Arc::clone(&state_of_slot);
            async move {
                if state.lock().stage.is_http2_or_closed() {
                    return Err(SlotClosed.into());
                }
                let socket = connector.oneshot(uri).await?;
                Ok(socket.observed(move |progress| {
                    state.lock().advance(progress);
                    changed.notify_waiters();
                }))
            }
        });
        Arc::new(Self {
            client: build_client(BoxCloneSyncService::new(connector), pings),
            state,
            active_requests: AtomicUsize::new(0),
            has_opener: AtomicBool::new(false),
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
        let room = match self.stage() {
            Stage::New => 1,
            Stage::Connected(since) if since.elapsed() >= SETTINGS_TIMEOUT => DEFAULT_STREAMS,
            Stage::Connected(_) | Stage::Closed => 0,
            Stage::Open(capacity) => capacity,
        };
        self.active_requests.load(Ordering::Relaxed) < room
    }

    /// Whether the slot may soon have room for more requests, since its connection is being opened.
    /// The server may turn out to accept no more requests than [`DEFAULT_STREAMS`].
    pub(super) fn is_opening(&self) -> bool {
        self.opening().is_some() && self.active_requests.load(Ordering::Relaxed) < DEFAULT_STREAMS
    }

    /// Returns how far the opening of the connection is. `None` if it is open or closed.
    pub(super) fn opening(&self) -> Option<Opening> {
        match self.stage() {
            Stage::New => Some(Opening::Connecting),
            Stage::Connected(since) => Some(Opening::RoomAt(since + SETTINGS_TIMEOUT)),
            Stage::Open(_) | Stage::Closed => None,
        }
    }

    pub(super) fn is_http1(&self) -> bool {
        matches!(self.stage(), Stage::Open(usize::MAX))
    }

    pub(super) fn is_closed(&self) -> bool {
        matches!(self.stage(), Stage::Closed)
    }

    /// Whether the connection has ended before it was open, and the error is not known yet.
    pub(super) fn is_failing(&self) -> bool {
        self.is_closed() && !self.was_open() && self.has_opener.load(Ordering::Relaxed)
    }

    /// Whether a connection has been open: if it has HTTP/2, until its settings are known, the
    /// server may still reject the client.
    pub(super) fn was_open(&self) -> bool {
        self.state.lock().was_open
    }

    /// Whether the HTTP/2 server has announced that it leaves, without an error.
    pub(super) fn is_going_away(&self) -> bool {
        self.state.lock().is_going_away
    }

    /// Keeps further requests away. Those in progress go on.
    pub(super) fn retire(&self) {
        self.state.lock().stage = Stage::Closed;
    }

    /// Adds a request. Returns whether it opens the connection.
    pub(super) fn add_request(&self) -> bool {
        self.active_requests.fetch_add(1, Ordering::Relaxed);
        let is_opener = matches!(self.stage(), Stage::New);
        if is_opener {
            self.has_opener.store(true, Ordering::Relaxed);
        }
        is_opener
    }

    pub(super) fn remove_request(&self, is_opener: bool) {
        self.active_requests.fetch_sub(1, Ordering::Relaxed);
        if is_opener {
            self.has_opener.store(false, Ordering::Relaxed);
        }
    }

    /// Fails all requests that wait for the slot's connection. Returns the error for the request
    /// that should have opened it.
    pub(super) fn fail(&self, error: legacy::Error) -> BoxError {
        let error = Arc::new(error);
        let _ = self.failure.set(Arc::clone(&error));
        self.retire();
        self.not_opened(error)
    }

    /// Returns the error of the attempt to open a connection, if it has failed.
    pub(super) fn failure(&self) -> Option<BoxError> {
        let failure = self.failure.get()?;
        Some(self.not_opened(Arc::clone(failure)))
    }

    fn not_opened(&self, error: Arc<legacy::Error>) -> BoxError {
        self.failed("cannot open a connection", error)
    }

    /// Adds the reason to the text of an error of a request whose connection was lost.
    pub(super) fn lost(&self, error: legacy::Error) -> BoxError {
        self.failed("the connection was lost", Arc::new(error))
    }

    fn failed(&self, what: &'static str, source: Arc<legacy::Error>) -> BoxError {
        let known = self.state.lock().reason.clone();
        let reason = known.unwrap_or_else(|| {
            // The first one only says that a request or the attempt to connect failed.
            let causes = error_chain(&*source).skip(1).map(ToString::to_string);
            causes.collect::<Vec<_>>().join(": ")
        });
        ConnectionError {
            what,
            reason,
            source,
        }
        .into()
    }

    fn stage(&self) -> Stage {
        self.state.lock().stage
    }
}

impl Stage {
    fn is_http2_or_closed(self) -> bool {
        match self {
            Self::New | Self::Open(usize::MAX) => false,
            Self::Connected(_) | Self::Open(_) | Self::Closed => true,
        }
    }
}

impl SlotState {
    fn advance(&mut self, progress: Progress) {
        let stage = match progress {
            Progress::Http1 => Stage::Open(usize::MAX),
            Progress::Http2 => Stage::Connected(Instant::now()),
            Progress::Streams(capacity) => Stage::Open(capacity),
            Progress::GoingAway(code) => {
                self.is_going_away = code == Reason::NO_ERROR;
                self.end_for(format!("the server sent GOAWAY ({code:?})"));
                Stage::Closed
            }
            Progress::Failed(reason) => {
                self.end_for(reason);
                return;
            }
            Progress::Ended => Stage::Closed,
        };
        self.was_open |= matches!(stage, Stage::Open(_));
        if !matches!(self.stage, Stage::Closed) {
            self.stage = stage;
        }
    }

    /// Sets the reason of the end. The first reason is the cause of the others.
    fn end_for(&mut self, reason: String) {
        self.reason.get_or_insert(reason);
    }
}

impl fmt::Display for SlotClosed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the connection was closed before the request was sent")
    }
}

impl StdError for SlotClosed {}

impl fmt::Display for ConnectionError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.what, self.reason)
    }
}

impl StdError for ConnectionError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        Some(&*self.source)
    }
}

pub(super) fn build_client(connector: Connector, pings: Pings) -> Client<Connector, Body> {
    Client::builder(TokioExecutor::new())
        .timer(TokioTimer::new())
        .pool_timer(TokioTimer::new())
        .pool_idle_timeout(IDLE_TIMEOUT)
        .pool_max_idle_per_host(MAX_IDLE_CONNECTIONS)
        .http2_initial_connection_window_size(CONNECTION_WINDOW)
        .http2_initial_stream_window_size(STREAM_WINDOW)
        .http2_keep_alive_interval(pings.idle)
        .http2_keep_alive_timeout(pings.timeout)
        .http2_keep_alive_while_idle(true)
        .build(connector)
}
