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
const MAX_MEMORY: usize = 256 << 20;
/// Unit in which received bytes are counted.
const MEMORY_UNIT: usize = 1 << 20;
/// The first bytes of each body are not counted. Most reviews are no larger, so they do not wait
/// for others; the number of connections limits their memory.
const UNCOUNTED_BYTES: usize = 64 << 10;
/// Maximum time to receive a body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);
/// Maximum time in which nothing of a body arrives.
const BODY_IDLE_TIMEOUT: Duration = Duration::from_secs(10);

/// Memory of request bodies, which is counted as it is received. An announced length takes none: a
/// client that announces much and sends nothing does not delay others.
#[derive(Clone)]
pub(super) struct Bodies {
    /// Maximum size of one body, in bytes.
    max_bytes: usize,
    /// A permit is one [`MEMORY_UNIT`].
    units: Arc<Semaphore>,
    /// The permit to exceed [`MAX_MEMORY`]. Without it, large bodies that have arrived in part
    /// might all wait for each other.
    excess: Arc<Semaphore>,
}

/// Memory that a body takes until this value is dropped.
#[derive(Default)]
pub(super) struct BodyPermit {
    units: Option<OwnedSemaphorePermit>,
    excess: Option<OwnedSemaphorePermit>,
}

/// Refusal of a request body.
pub(super) struct BodyRejection {
    pub(super) status: StatusCode,
    pub(super) reason: &'static str,
    pub(super) message: String,
}

impl Bodies {
    pub(super) fn up_to(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            units: Arc::new(Semaphore::new(MAX_MEMORY / MEMORY_UNIT)),
            excess: Arc::new(Semaphore::new(1)),
        }
    }

    /// Reads the body of a request.
    pub(super) async fn read_body<B>(
        &self,
        request: Request<B>,
    ) -> Result<(Vec<u8>, BodyPermit), BodyRejection>
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
            return Err(BodyRejection::bad_request(message));
        }
        if request.body().size_hint().lower() > self.max_bytes as u64 {
            return Err(self.too_large());
        }
        let received = timeout(BODY_TIMEOUT, self.receive(request.into_body())).await;
        let (body, permit) =
            received.unwrap_or_else(|_| Err(BodyRejection::timed_out(BODY_TIMEOUT)))?;
        if body.is_empty() {
            return Err(BodyRejection::bad_request("request body is empty"));
        }
        Ok((body, permit))
    }

    async fn receive<B>(&self, body: B) -> Result<(Vec<u8>, BodyPermit), BodyRejection>
    where
        B: Body<Data: Buf + Send, Error: Into<BoxError>> + Send,
    {
        let mut body = Box::pin(body);
        let (mut received, mut permit) = (Vec::new(), BodyPermit::default());
        loop {
            let frame = timeout(BODY_IDLE_TIMEOUT, body.frame()).await;
            let data = match frame.map_err(|_| BodyRejection::timed_out(BODY_IDLE_TIMEOUT))? {
                None => return Ok((received, permit)),
                Some(Ok(frame)) => frame.into_data(),
                Some(Err(error)) => {
                    let error = error.into();
                    return Err(BodyRejection::bad_request(format!(
                        "cannot read the request body: {error}"
                    )));
                }
            };
            let Ok(mut data) = data else {
                continue;
            };
            if received.len() + data.remaining() > self.max_bytes {
                return Err(self.too_large());
            }
            self.reserve(&mut permit, received.len() + data.remaining())
                .await;
            while data.has_remaining() {
                let chunk = data.chunk();
                received.extend_from_slice(chunk);
                let taken = chunk.len();
                data.advance(taken);
            }
        }
    }

    /// Extends the permit of a body to this number of bytes. Waits until there is enough memory.
    async fn reserve(&self, permit: &mut BodyPermit, bytes: usize) {
        let wanted = bytes.saturating_sub(UNCOUNTED_BYTES).div_ceil(MEMORY_UNIT);
        while permit.units() < wanted && permit.excess.is_none() {
            let (units, excess) = (Arc::clone(&self.units), Arc::clone(&self.excess));
            tokio::select! {
                biased;
                Ok(unit) = units.acquire_owned() => match &mut permit.units {
                    Some(units) => units.merge(unit),
                    none => *none = Some(unit),
                },
                Ok(excess) = excess.acquire_owned() => permit.excess = Some(excess),
                // The semaphores are never closed.
                else => return,
            }
        }
    }

    fn too_large(&self) -> BodyRejection {
        BodyRejection {
            status: StatusCode::PAYLOAD_TOO_LARGE,
            reason: "RequestEntityTooLarge",
            message: format!(
                "request entity is too large; limit is {} bytes",
                self.max_bytes
            ),
        }
    }
}

impl BodyPermit {
    fn units(&self) -> usize {
        self.units
            .as_ref()
            .map_or(0, OwnedSemaphorePermit::num_permits)
    }
}

impl BodyRejection {
    fn bad_request(message: impl Into<String>) -> Self {
        Self {
            status: StatusCode::BAD_REQUEST,
            reason: "BadRequest",
            message: message.into(),
        }
    }

    fn timed_out(limit: Duration) -> Self {
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
