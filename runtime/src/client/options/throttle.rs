//! [`Throttle`]: the rate limit of a client, client-go's `flowcontrol.RateLimiter`.

use std::time::Duration;

use parking_lot::Mutex;

use crate::time::FOR_EVER;
use crate::workqueue::{BucketRateLimiter, RateLimiter};

/// Longer waits are logged, since nothing else shows why a program is slow.
const WORTH_A_LOG: Duration = Duration::from_secs(1);

/// Token bucket with one token for each request.
pub(super) struct Throttle(Mutex<BucketRateLimiter>);

impl Throttle {
    pub(super) fn new(qps: f64, burst: u32) -> Self {
        Self(Mutex::new(BucketRateLimiter::new(qps, burst)))
    }

    /// Reserves the next token. Returns the time until it is available.
    pub(super) fn reserve(&self) -> Duration {
        let wait = self.0.lock().when(&()).min(FOR_EVER);
        if wait > WORTH_A_LOG {
            tracing::info!(?wait, "a request waits for the client's own rate limit");
        }
        wait
    }

    /// Waits for the next token. Returns the time waited.
    pub(super) async fn wait(&self) -> Duration {
        let wait = self.reserve();
        tokio::time::sleep(wait).await;
        wait
    }
}
