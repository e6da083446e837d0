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

use super::connection_slot::{ConnectionSlot, Opening, build_client};
use super::connector::{Connector, Protocols, build_connector};
use super::pings::Pings;
use super::unprocessed::{Resends, is_connection_closed, is_connection_lost, is_unprocessed};
use crate::client::Result;

/// Response extension: no pings show whether the connection is alive, since it has HTTP/1.1, or
/// since pings are disabled.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Unpinged;

/// Connections in slots. hyper sends every request to a server over one HTTP/2 connection; if the
/// server's limit is exhausted by watches, further requests wait for the end of a watch. Go opens
/// another connection. Here, each slot has a connection, and a request takes the first slot that
/// has room. When a connection is lost, its slot is closed, and the next request opens another one.
pub(super) struct Pool {
    slots: Mutex<Vec<Arc<ConnectionSlot>>>,
    /// Notified when a slot may have room, and when it is closed.
    changed: Arc<Notify>,
    connector: Connector,
    /// Client for protocol upgrades, which need HTTP/1.1.
    upgrades: Client<Connector, Body>,
    pings: Pings,
}

/// Permit of one request in a slot. Dropping it makes room.
struct StreamPermit {
    pool: Arc<Pool>,
    slot: Arc<ConnectionSlot>,
    /// Whether the request opens the connection.
    is_opener: bool,
    /// Time at which something of the response arrived last.
    heard: Instant,
    is_finished: bool,
}

/// Result of the search for a slot with room.
enum SlotLookup {
    Free {
        slot: Arc<ConnectionSlot>,
        is_opener: bool,
    },
    /// No slot has room, but this one is being opened.
    Opening(Arc<ConnectionSlot>),
}

/// Body of a response, which occupies its slot until it ends or is dropped.
pub(super) struct PooledBody {
    body: Incoming,
    /// `None` for a protocol upgrade.
    permit: Option<StreamPermit>,
}

impl Pool {
    pub(super) fn new(config: &Config, pings: Pings) -> Result<Arc<Self>> {
        let upgrades = build_connector(config, Protocols::Http1)?;
        Ok(Arc::new(Self {
            slots: Mutex::default(),
            changed: Arc::default(),
            connector: build_connector(config, Protocols::Http2OrHttp1)?,
            upgrades: build_client(upgrades, pings),
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
            return Ok(response.map(|body| PooledBody { body, permit: None }));
        }
        let mut resends = Resends::default();
        loop {
            let again = resends.copy(&request);
            let permit = self.acquire().await?;
            let (slot, is_opener) = (Arc::clone(&permit.slot), permit.is_opener);
            let error = match permit.send(request).await {
                Ok(response) => return Ok(response),
                Err(error) => error,
            };
            request = match again {
                Some(request) if is_unprocessed(&*error, is_opener, slot.is_going_away()) => {
                    request
                }
                _ => return Err(error),
            };
            drop(slot);
            tracing::debug!(
                error = &*error as &dyn std::error::Error,
                "the server has not processed the request; sending it again"
            );
            resends.pause().await;
        }
    }

    /// Returns a permit of the first slot that has room. The first request of a slot opens its
    /// connection. Until this has succeeded or failed, requests that find no other slot wait.
    ///
    /// # Errors
    ///
    /// If the connection cannot be opened for which this request has waited. As with Go's
    /// `dialCall`, an unreachable server does not delay one request after another. The same goes
    /// for a server that closes each connection after the TLS handshake: with TLS 1.3, it rejects
    /// client certificates in this way.
    async fn acquire(self: &Arc<Self>) -> Result<StreamPermit, BoxError> {
        let mut opening: Option<Arc<ConnectionSlot>> = None;
        loop {
            let mut changed = pin!(self.changed.notified());
            // From now on, a notification is not missed.
            changed.as_mut().enable();
            // In this order: when the slot is no longer failing, its failure is known.
            let failing = opening.clone().filter(|slot| slot.is_failing());
            if let Some(failure) = opening.and_then(|slot| slot.failure()) {
                return Err(failure);
            }
            let slot = match failing {
                Some(failing) => failing,
                None => match self.find_slot() {
                    SlotLookup::Free { slot, is_opener } => {
                        return Ok(StreamPermit {
                            pool: Arc::clone(self),
                            slot,
                            is_opener,
                            heard: Instant::now(),
                            is_finished: false,
                        });
                    }
                    SlotLookup::Opening(slot) => slot,
                },
            };
            match slot.opening() {
                Some(Opening::RoomAt(until)) => drop(timeout_at(until, changed).await),
                Some(Opening::Connecting) | None => changed.await,
            }
            opening = Some(slot);
        }
    }

    fn find_slot(&self) -> SlotLookup {
        let mut slots = self.slots.lock();
        slots.retain(|slot| !slot.is_closed());
        let slot = match slots.iter().find(|slot| slot.has_room()) {
            Some(slot) => Arc::clone(slot),
            None => {
                if let Some(slot) = slots.iter().find(|slot| slot.is_opening()) {
                    return SlotLookup::Opening(Arc::clone(slot));
                }
                let slot = ConnectionSlot::new(&self.connector, self.pings, &self.changed);
                slots.push(Arc::clone(&slot));
                slot
            }
        };
        let is_opener = slot.add_request();
        SlotLookup::Free { slot, is_opener }
    }
}

impl StreamPermit {
    async fn send(mut self, request: Request<Body>) -> Result<Response<PooledBody>, BoxError> {
        let mut response = match self.slot.send(request).await {
            Ok(response) => response,
            Err(error) if !is_connection_lost(&error) => return Err(error.into()),
            Err(error) if self.is_opener && !self.slot.was_open() => {
                return Err(self.slot.fail(error));
            }
            Err(error) => {
                if is_connection_closed(&error) {
                    self.slot.retire();
                }
                return Err(self.slot.lost(error));
            }
        };
        self.heard = Instant::now();
        if response.version() < Version::HTTP_2 || self.pool.pings.idle.is_none() {
            response.extensions_mut().insert(Unpinged);
        }
        Ok(response.map(|body| PooledBody {
            body,
            permit: Some(self),
        }))
    }
}

impl Drop for StreamPermit {
    fn drop(&mut self) {
        let silence = self.heard.elapsed();
        let is_suspicious = self.slot.is_http1()
            && !self.is_finished
            && self.pool.pings.idle.is_some_and(|idle| silence >= idle);
        let slots = self.pool.slots.lock();
        self.slot.remove_request(self.is_opener);
        // The request was given up, perhaps since its connection is dead. Idle connections, which
        // no ping checks, may be dead as well, so the next request opens a new one.
        if is_suspicious {
            self.slot.retire();
        }
        drop(slots);
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
        if let (Poll::Ready(frame), Some(permit)) = (&polled, &mut self.permit) {
            permit.heard = Instant::now();
            permit.is_finished = !matches!(frame, Some(Ok(_)));
            if permit.is_finished {
                self.permit = None;
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
