//! [`Pool`]: connections to one API server. Requests share HTTP/2 connections as far as the server
//! allows.

use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::UPGRADE;
use http::{Request, Response, Version};
use http_body::{Body as HttpBody, Frame, SizeHint};
use hyper::body::Incoming;
use hyper_util::client::legacy::Client;
use kube::Config;
use kube::client::Body;
use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};
use tower::BoxError;

use super::connection_slot::{Lane, client};
use super::connector::{Connector, Protocols, connector};
use super::pings::Pings;
use super::unprocessed::{Resends, is_connection_lost, is_connection_over, is_unprocessed};
use crate::client::Result;

/// Response extension: no pings show whether the connection is alive, since it has HTTP/1.1, or
/// since pings are disabled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unpinged;

/// Connections in lanes. hyper sends every request to a server over one HTTP/2 connection; if the
/// server's limit is exhausted by watches, further requests wait for the end of a watch. Go opens
/// another connection. Here, each lane has a connection, and a request takes the first lane that
/// has room. When a connection is lost, its lane is over, and the next request opens another one.
pub(super) struct Pool {
    lanes: Mutex<Vec<Arc<Lane>>>,
    /// Notified when a lane may have room, and when it is over.
    changed: Arc<Notify>,
    connector: Connector,
    /// Client for protocol upgrades, which need HTTP/1.1.
    upgrades: Client<Connector, Body>,
    pings: Pings,
}

/// Place of one request in a lane. Dropping it makes room.
struct Seat {
    pool: Arc<Pool>,
    lane: Arc<Lane>,
    /// Whether the request opens the connection.
    is_opener: bool,
    /// Time at which something of the response arrived last.
    heard: Instant,
    is_over: bool,
}

/// Place for a request that asks for one.
enum Found {
    Place {
        lane: Arc<Lane>,
        is_opener: bool,
    },
    /// No lane has room, but this one is being opened.
    Opening(Arc<Lane>),
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
            changed: Arc::default(),
            connector: connector(config, Protocols::Http2OrHttp1)?,
            upgrades: client(upgrades, pings),
            pings,
        }))
    }

    /// Sends a request. If the server has certainly not processed it, sends it again, if its body
    /// is in memory.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the server may or may not have executed the request.
    pub(super) async fn send(
        self: &Arc<Self>,
        mut request: Request<Body>,
    ) -> Result<Response<PooledBody>, BoxError> {
        if request.headers().contains_key(UPGRADE) {
            let response = self.upgrades.request(request).await?;
            return Ok(response.map(|body| PooledBody { body, seat: None }));
        }
        let mut resends = Resends::default();
        loop {
            let again = resends.copy(&request);
            let seat = self.seat().await?;
            let (lane, is_opener) = (Arc::clone(&seat.lane), seat.is_opener);
            let error = match seat.send(request).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            request = match again {
                Some(request) if is_unprocessed(&*error, is_opener, lane.is_left()) => request,
                _ => return Err(error),
            };
            drop(lane);
            tracing::debug!(
                error = &*error as &dyn std::error::Error,
                "the server has not processed the request; sending it again"
            );
            resends.pause().await;
        }
    }

    /// Returns a place in the first lane that has room. The first request of a lane opens its
    /// connection. Until this has succeeded or failed, requests that find no other lane wait.
    ///
    /// # Errors
    ///
    /// If the connection cannot be opened for which this request has waited. As with Go's
    /// `dialCall`, an unreachable server does not delay one request after another. The same goes
    /// for a server that closes each connection after the TLS handshake: with TLS 1.3, it rejects
    /// client certificates in this way.
    async fn seat(self: &Arc<Self>) -> Result<Seat, BoxError> {
        let mut opening: Option<Arc<Lane>> = None;
        loop {
            let mut changed = pin!(self.changed.notified());
            // From now on, a notification is not missed.
            changed.as_mut().enable();
            // In this order: when the lane is no longer failing, its failure is known.
            let failing = opening.clone().filter(|lane| lane.is_failing());
            if let Some(failure) = opening.and_then(|lane| lane.failure()) {
                return Err(failure);
            }
            let lane = match failing {
                Some(failing) => failing,
                None => match self.find() {
                    Found::Place { lane, is_opener } => {
                        return Ok(Seat {
                            pool: Arc::clone(self),
                            lane,
                            is_opener,
                            heard: Instant::now(),
                            is_over: false,
                        });
                    }
                    Found::Opening(lane) => lane,
                },
            };
            match lane.opening_until().flatten() {
                // After the timeout, the lane has room.
                Some(until) => drop(timeout_at(until, changed).await),
                None => changed.await,
            }
            opening = Some(lane);
        }
    }

    fn find(&self) -> Found {
        let mut lanes = self.lanes.lock();
        lanes.retain(|lane| !lane.is_over());
        let lane = match lanes.iter().find(|lane| lane.has_room()) {
            Some(lane) => Arc::clone(lane),
            None => {
                if let Some(lane) = lanes.iter().find(|lane| lane.is_opening()) {
                    return Found::Opening(Arc::clone(lane));
                }
                let lane = Lane::new(&self.connector, self.pings, &self.changed);
                lanes.push(Arc::clone(&lane));
                lane
            }
        };
        let is_opener = lane.enter();
        Found::Place { lane, is_opener }
    }
}

impl Seat {
    async fn send(mut self, request: Request<Body>) -> Result<Response<PooledBody>, BoxError> {
        let mut response = match self.lane.send(request).await {
            Ok(response) => response,
            Err(error) if !is_connection_lost(&error) => return Err(error.into()),
            Err(error) if self.is_opener && !self.lane.was_open() => {
                return Err(self.lane.fail(error));
            }
            Err(error) => {
                if is_connection_over(&error) {
                    self.lane.retire();
                }
                return Err(self.lane.lost(error));
            }
        };
        self.heard = Instant::now();
        if response.version() < Version::HTTP_2 || self.pool.pings.idle.is_none() {
            response.extensions_mut().insert(Unpinged);
        }
        Ok(response.map(|body| PooledBody {
            body,
            seat: Some(self),
        }))
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let silence = self.heard.elapsed();
        let is_suspicious = self.lane.is_http1()
            && !self.is_over
            && self.pool.pings.idle.is_some_and(|idle| silence >= idle);
        let lanes = self.pool.lanes.lock();
        self.lane.leave(self.is_opener);
        // The request was given up, perhaps since its connection is dead. Idle connections, which
        // no ping checks, may be dead as well, so the next request opens a new one.
        if is_suspicious {
            self.lane.retire();
        }
        drop(lanes);
        self.pool.changed.notify_waiters();
    }
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
