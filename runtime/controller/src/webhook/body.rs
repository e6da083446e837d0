//! Request bodies: [`Bodies`] limits their size, the time to receive them, and their memory.

use std::sync::Arc;
use std::time::Duration;

use bytes::Buf;
use http::header::CONTENT_TYPE;
use http::{Request, StatusCode};
use http_body_util::BodyExt;
use hyper::body::Body;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::timeout;

use crate::failure::BoxError;

/// Maximum size of all bodies together that are received or in use.
const MEMORY: usize = 256 << 20;
/// Unit in which received bytes are counted.
const UNIT: usize = 1 << 20;
/// The first bytes of each body are not counted. Most reviews are no larger, so they do not wait
/// for others; the number of connections limits their memory.
const UNCOUNTED: usize = 64 << 10;
/// Maximum time to receive a body.
const BODY: Duration = Duration::from_secs(30);
/// Maximum time in which nothing of a body arrives.
const SILENCE: Duration = Duration::from_secs(10);

/// Memory of request bodies, which is counted as it is received. An announced length takes none: a
/// client that announces much and sends nothing does not delay others.
#[derive(Clone)]
pub(super) struct Bodies {
    /// Maximum size of one body, in bytes.
    most: usize,
    /// A permit is one [`UNIT`].
    units: Arc<Semaphore>,
    /// The permit to exceed [`MEMORY`]. Without it, large bodies that have arrived in part might
    /// all wait for each other.
    excess: Arc<Semaphore>,
}

/// Memory that a body takes until this value is dropped.
#[derive(Default)]
pub(super) struct Room {
    units: Option<OwnedSemaphorePermit>,
    excess: Option<OwnedSemaphorePermit>,
}

/// Refusal of a request body.
pub(super) struct Refused {
    pub(super) status: StatusCode,
    pub(super) reason: &'static str,
    pub(super) message: String,
}

impl Bodies {
    pub(super) fn up_to(most: usize) -> Self {
        Self {
            most,
            units: Arc::new(Semaphore::new(MEMORY / UNIT)),
            excess: Arc::new(Semaphore::new(1)),
        }
    }

    /// Reads the body of a request.
    pub(super) async fn read_body<B>(&self, request: Request<B>) -> Result<(Vec<u8>, Room), Refused>
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
    {
        let content_type = request
            .headers()
            .get(CONTENT_TYPE)
            .and_then(|it| it.to_str().ok())
            .unwrap_or_default();
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        if !media_type.eq_ignore_ascii_case("application/json") {
            let message =
                format!("expected content of type `application/json`, found `{content_type}`");
            return Err(Refused::bad(message));
        }
        if request.body().size_hint().lower() > self.most as u64 {
            return Err(self.too_large());
        }
        let received = timeout(BODY, self.receive(request.into_body())).await;
        let (body, room) = received.unwrap_or_else(|_| Err(Refused::late(BODY)))?;
        if body.is_empty() {
            return Err(Refused::bad("request body is empty"));
        }
        Ok((body, room))
    }

    async fn receive<B>(&self, body: B) -> Result<(Vec<u8>, Room), Refused>
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
    {
        let mut body = Box::pin(body);
        let (mut received, mut room) = (Vec::new(), Room::default());
        loop {
            let frame = timeout(SILENCE, body.frame()).await;
            let data = match frame.map_err(|_| Refused::late(SILENCE))? {
                None => return Ok((received, room)),
                Some(Ok(frame)) => frame.into_data(),
                Some(Err(error)) => {
                    let error = error.into();
                    return Err(Refused::bad(format!(
                        "cannot read the request body: {error}"
                    )));
                }
            };
            let Ok(mut data) = data else {
                continue;
            };
            if received.len() + data.remaining() > self.most {
                return Err(self.too_large());
            }
            self.extend(&mut room, received.len() + data.remaining())
                .await;
            while data.has_remaining() {
                let chunk = data.chunk();
                received.extend_from_slice(chunk);
                let taken = chunk.len();
                data.advance(taken);
            }
        }
    }

    /// Extends the room of a body to this number of bytes. Waits until there is enough memory.
    async fn extend(&self, room: &mut Room, bytes: usize) {
        let wanted = bytes.saturating_sub(UNCOUNTED).div_ceil(UNIT);
        while room.units() < wanted && room.excess.is_none() {
            let (units, excess) = (Arc::clone(&self.units), Arc::clone(&self.excess));
            tokio::select! {
                biased;
                Ok(unit) = units.acquire_owned() => match &mut room.units {
                    Some(units) => units.merge(unit),
                    none => *none = Some(unit),
                },
                Ok(excess) = excess.acquire_owned() => room.excess = Some(excess),
                // The semaphores are never closed.
                else => return,
            }
        }
    }

    fn too_large(&self) -> Refused {
        Refused {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            reason: "RequestEntityTooLarge",
            message: format!("request entity is too large; limit is {} bytes", self.most),
        }
    }
}

impl Room {
    fn units(&self) -> usize {
        self.units
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits)
    }
}

impl Refused {
    fn bad(message: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            reason: "BadRequest",
            message: message.into(),
        }
    }

    fn late(limit: Duration) -> Self {
        Self {
            status: StatusCode::REQUEST_TIMEOUT,
            reason: "Timeout",
            message: format!(
                "reading the request body timed out after {} s",
                limit.as_secs()
            ),
        }
    }
}
