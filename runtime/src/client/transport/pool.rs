//! [`Pool`]: connections to one API server. Requests share HTTP/2 connections as far as the server
//! allows.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::UPGRADE;
use http::{Request, Response, Version};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use kube::Config;
use kube::client::Body;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tower::util::BoxCloneSyncService;
use tower::{BoxError, ServiceExt};

use super::connector::{Connector, Protocols, connector};
use super::pings::Pings;
use super::socket::DEFAULT_STREAMS;
use crate::client::Result;

/// Flow control windows of a connection and of a stream in bytes. An unread watch must not stop
/// other responses, so that the window of a connection is huge, as in Go's HTTP/2 client. That of a
/// stream bounds the memory for a response that is read slowly; Go's has 4 MiB.
const CONNECTION_WINDOW: u32 = 1 << 30;
const STREAM_WINDOW: u32 = 1 << 20;
/// How long a request waits for another one that opens the connection of its lane.
const OPENING: Duration = Duration::from_secs(1);
/// Time without a new request after which a connection is forgotten. hyper counts open watches as
/// idle time, so that this must be longer than the longest watch of an informer (10 minutes). Else
/// each watch would open a connection of its own.
const IDLE: Duration = Duration::from_secs(15 * 60);
/// Maximum number of unused HTTP/1.1 connections: client-go's `MaxIdleConnsPerHost`
/// (`transport/cache.go`).
const MAX_IDLE: usize = 25;
/// Response extension: no pings show whether the connection is alive, since it has HTTP/1.1, or
/// since pings are disabled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unpinged;

/// Connections in lanes. hyper sends every request to a server over one HTTP/2 connection; if the
/// server's limit is exhausted by watches, further requests wait for the end of a watch. Go opens
/// another connection. Here, each lane has a connection, and a request takes the first lane that
/// has room.
pub(super) struct Pool {
    lanes: Mutex<Vec<Arc<Lane>>>,
    /// Notified when a lane may have room.
    changed: Notify,
    connector: Connector,
    /// Client for protocol upgrades, which need HTTP/1.1.
    upgrades: Client<Connector, Body>,
    pings: Pings,
}

struct Lane {
    client: Client<Connector, Body>,
    /// Number of concurrent requests that the lane can carry: 0 until a connection is open,
    /// `usize::MAX` for HTTP/1.1, with one connection for each request.
    capacity: Arc<AtomicUsize>,
    /// Number of requests whose response is not complete. Changed while [`Pool::lanes`] is locked.
    live: AtomicUsize,
}

/// Place of one request in a lane. Dropping it makes room.
struct Seat {
    pool: Arc<Pool>,
    lane: Arc<Lane>,
    /// Time at which something of the response arrived last.
    heard: Instant,
    is_over: bool,
}

/// Body of a response, which occupies its lane until it ends or is dropped.
pub(super) struct PooledBody {
    body: Incoming,
    /// `None` for a protocol upgrade.
    seat: Option<Seat>,
}

impl Pool {
    pub(super) fn new(config: &Config, pings: Pings) -> Result<Arc<Self>> {
        let upgrades = connector(config, Protocols::Http1)?;
        Ok(Arc::new(Self {
            lanes: Mutex::default(),
            changed: Notify::new(),
            connector: connector(config, Protocols::Http2OrHttp1)?,
            upgrades: client(upgrades, pings),
            pings,
        }))
    }

    /// Sends a request.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the server may or may not have executed the request.
    pub(super) async fn send(
        self: &Arc<Self>,
        request: Request<Body>,
    ) -> Result<Response<PooledBody>, BoxError> {
        if request.headers().contains_key(UPGRADE) {
            let response = self.upgrades.request(request).await?;
            return Ok(response.map(|body| PooledBody { body, seat: None }));
        }
        let mut seat = self.seat().await;
        let mut response = seat.lane.client.request(request).await?;
        seat.heard = Instant::now();
        if response.version() < Version::HTTP_2 || self.pings.idle.is_none() {
            response.extensions_mut().insert(Unpinged);
        }
        Ok(response.map(|body| PooledBody {
            body,
            seat: Some(seat),
        }))
    }

    /// Returns a place in the first lane that has room. The first request of a lane opens its
    /// connection. Until this has succeeded or failed, requests that find no other lane wait, but
    /// not for long: an unreachable server must not delay one request after another.
    async fn seat(self: &Arc<Self>) -> Seat {
        let patience = Instant::now() + OPENING;
        let lane = loop {
            let mut changed = pin!(self.changed.notified());
            // From now on, a notification is not missed.
            changed.as_mut().enable();
            if let Some(lane) = self.lane(Instant::now() >= patience) {
                break lane;
            }
            // After the timeout, the loop ends.
            let _ = timeout_at(patience, changed).await;
        };
        Seat {
            pool: Arc::clone(self),
            lane,
            heard: Instant::now(),
            is_over: false,
        }
    }

    /// Takes a place in a lane. If a lane is being opened and no other one has room, `is_impatient`
    /// decides between this lane and `None`.
    fn lane(self: &Arc<Self>, is_impatient: bool) -> Option<Arc<Lane>> {
        let mut lanes = self.lanes.lock();
        let with_room = lanes.iter().find(|lane| lane.has_room());
        let mut opening = lanes.iter().filter(|lane| lane.capacity() == 0);
        // The server may turn out to accept no more requests than this at a time.
        let opening = opening.find(|lane| lane.live.load(Ordering::Relaxed) < DEFAULT_STREAMS);
        let lane = match (with_room, opening) {
            (Some(lane), _) => Arc::clone(lane),
            (None, Some(lane)) if is_impatient => Arc::clone(lane),
            (None, Some(_)) => return None,
            (None, None) => {
                let lane = Arc::new(Lane::new(self));
                lanes.push(Arc::clone(&lane));
                lane
            }
        };
        lane.live.fetch_add(1, Ordering::Relaxed);
        Some(lane)
    }
}

impl Lane {
    fn new(pool: &Arc<Pool>) -> Self {
        let capacity = Arc::new(AtomicUsize::new(0));
        let (known, pool_of_lane) = (Arc::clone(&capacity), Arc::downgrade(pool));
        let connector = pool.connector.clone().map_response(move |socket| {
            let (known, pool) = (Arc::clone(&known), pool_of_lane.clone());
            socket.on_capacity(move |capacity| {
                known.store(capacity, Ordering::Relaxed);
                if let Some(pool) = pool.upgrade() {
                    pool.changed.notify_waiters();
                }
            })
        });
        Self {
            client: client(BoxCloneSyncService::new(connector), pool.pings),
            capacity,
            live: AtomicUsize::new(0),
        }
    }

    fn capacity(&self) -> usize {
        self.capacity.load(Ordering::Relaxed)
    }

    fn has_room(&self) -> bool {
        // The first request opens the connection.
        self.live.load(Ordering::Relaxed) < self.capacity().max(1)
    }

    fn is_http1(&self) -> bool {
        self.capacity() == usize::MAX
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let silence = self.heard.elapsed();
        let is_suspicious = self.lane.is_http1()
            && !self.is_over
            && self.pool.pings.idle.is_some_and(|idle| silence >= idle);
        let mut lanes = self.pool.lanes.lock();
        self.lane.live.fetch_sub(1, Ordering::Relaxed);
        // The request was given up, perhaps since its connection is dead. Idle connections, which
        // no ping checks, may be dead as well, so the next request opens a new one.
        if is_suspicious {
            lanes.retain(|lane| !Arc::ptr_eq(lane, &self.lane));
        }
        drop(lanes);
        self.pool.changed.notify_waiters();
    }
}

fn client(connector: Connector, pings: Pings) -> Client<Connector, Body> {
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

impl HttpBody for PooledBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(context);
        if let (Poll::Ready(frame), Some(seat)) = (&polled, &mut self.seat) {
            seat.heard = Instant::now();
            seat.is_over = !matches!(frame, Some(Ok(_)));
            if seat.is_over {
                self.seat = None;
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
