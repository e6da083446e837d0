//! Asking again and again.

use std::time::Duration;

use tokio::time::timeout;

use super::WaitError;
use crate::time::{FOR_EVER, every};

/// The shortest pause; asking without any would take a processor for itself.
const SHORTEST: Duration = Duration::from_millis(1);

/// Asks for `condition` at once, and then every `period`, for as long as `limit` allows; [`Duration::MAX`] is for ever.
/// Returns the first `Some`. apimachinery's `PollUntilContextTimeout`, immediate.
///
/// A condition that takes longer than `period` is asked for again when it is done. One that is still under way at the end is
/// dropped.
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
/// [`WaitError::TimedOut`] after `limit`; [`WaitError::Condition`] with the first error of
/// `condition`.
///
/// # Cancel safety
///
/// Nothing is kept between tries; a dropped future drops the try that is under way.
pub async fn poll_until<T, E>(
    period: Duration,
    limit: Duration,
    mut condition: impl AsyncFnMut() -> Result<Option<T>, E>,
) -> Result<T, WaitError<E>> {
    let polling = async {
        let mut ticks = every(period.clamp(SHORTEST, FOR_EVER));
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
