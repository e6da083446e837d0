//! Exponential backoff: apimachinery's `wait.Backoff`.

use std::time::Duration;

use tokio::time::sleep;

use super::WaitError;
use crate::jitter::jitter;
use crate::time::FOR_EVER;

/// Backoff parameters: pauses between tries, and the number of tries.
///
/// ```
/// use std::time::Duration;
///
/// use genclient::wait::Backoff;
///
/// let duration = Duration::from_secs(1);
/// let mut backoff = Backoff { duration, factor: 2.0, steps: 3, ..Backoff::default() };
/// let pauses: Vec<u64> = (0..4).map(|_| backoff.step().as_secs()).collect();
/// assert_eq!(pauses, [1, 2, 4, 8]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// First pause.
    pub duration: Duration,
    /// Factor by which pauses grow; zero counts as 1. Default: 0.
    pub factor: f64,
    /// Maximum random part that is added to a pause, as a fraction of the pause. Default: 0, no
    /// jitter.
    pub jitter: f64,
    /// Maximum number of tries; also the number of times that the pause grows. Default: 0.
    pub steps: u32,
    /// Limit of the growth of pauses, before jitter. A pause that would grow beyond it becomes
    /// `cap`, and `steps` becomes 0: all later pauses are `cap`, and [`exponential_backoff`] makes
    /// no further try. Default: none.
    pub cap: Option<Duration>,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            duration: Duration::ZERO,
            factor: 0.0,
            jitter: 0.0,
            steps: 0,
            cap: None,
        }
    }
}

impl Backoff {
    /// Returns the next pause. After `steps` calls, the pauses no longer grow.
    pub fn step(&mut self) -> Duration {
        let pause = self.duration;
        if self.steps > 0 {
            self.steps -= 1;
            self.grow();
        }
        if self.jitter > 0.0 {
            jitter(pause, self.jitter)
        } else {
            pause
        }
    }

    fn grow(&mut self) {
        if self.factor == 0.0 {
            return;
        }
        let next = self.duration.as_secs_f64() * self.factor;
        let next = Duration::try_from_secs_f64(next).map_or(FOR_EVER, |next| next.min(FOR_EVER));
        self.duration = match self.cap {
            Some(cap) if next > cap => {
                self.steps = 0;
                cap
            }
            _ => next,
        };
    }
}

/// Calls `condition` until it returns `Some`, up to `backoff.steps` times, with pauses between the
/// calls: apimachinery's `ExponentialBackoffWithContext`. Unlike in apimachinery, no pause follows
/// the last call if `cap` ends the tries.
///
/// # Errors
///
/// Returns [`WaitError::TimedOut`] after the last call, or [`WaitError::Condition`] with the first
/// error of `condition`.
///
/// # Cancel safety
///
/// Dropping the future drops the call in progress.
pub async fn exponential_backoff<T, E>(
    mut backoff: Backoff,
    mut condition: impl AsyncFnMut() -> Result<Option<T>, E>,
) -> Result<T, WaitError<E>> {
    while backoff.steps > 0 {
        if let Some(value) = condition().await.map_err(WaitError::Condition)? {
            return Ok(value);
        }
        let pause = backoff.step();
        // `steps` is 0 after the last try, or once `cap` limits the pause.
        if backoff.steps > 0 {
            sleep(pause).await;
        }
    }
    Err(WaitError::TimedOut)
}
