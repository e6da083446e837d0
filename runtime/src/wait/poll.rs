//! Polling a condition at a fixed interval (apimachinery, `pkg/util/wait/poll.go`): [`poll_until`].

use std::time::Duration;

use tokio::time::timeout;

use super::WaitError;
use crate::time::{FOR_EVER, every};

/// Minimum period; polling without a pause would occupy a CPU.
const MIN_PERIOD: Duration = Duration::from_millis(1);

/// Calls `condition` immediately and then every `period`, until it returns `Some` or `limit` has
/// passed: apimachinery's `PollUntilContextTimeout` with `immediate`. [`Duration::MAX`] means no
/// limit.
///
/// If a call takes longer than `period`, the next one follows immediately. If `limit` ends during a
/// call, the call is dropped.
///
/// ```
/// use std::time::Duration;
///
/// use genclient::wait;
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let mut asked = 0;
/// let second = wait::poll_until(Duration::from_millis(1), Duration::from_secs(5), async || {
///     asked += 1;
///     Ok::<_, std::io::Error>((asked == 2).then_some("done"))
/// });
/// assert_eq!(second.await.ok(), Some("done"));
/// # }
/// ```
///
/// # Errors
///
/// Returns [`WaitError::TimedOut`] after `limit`, or [`WaitError::Condition`] with the first error
/// of `condition`.
///
/// # Cancel safety
///
/// Dropping the future drops the call in progress.
pub async fn poll_until<T, E>(
    period: Duration,
    limit: Duration,
    mut condition: impl AsyncFnMut() -> Result<Option<T>, E>,
) -> Result<T, WaitError<E>> {
    let polling = async {
        let mut ticks = every(period.clamp(MIN_PERIOD, FOR_EVER));
        loop {
            if let Some(value) = condition().await? {
                return Ok(value);
            }
            ticks.tick().await;
        }
    };
    match timeout(limit.min(FOR_EVER), polling).await {
        Ok(result) => result.map_err(WaitError::Condition),
        Err(_) => Err(WaitError::TimedOut),
    }
}
