//! Pauses that grow: apimachinery's `wait.Backoff`.

use std::time::Duration;

use tokio::time::sleep;

use super::WaitError;
use super::jitter::jitter;
use crate::time::FOR_EVER;

/// How long to pause between tries, and how often to try.
///
/// ```
/// use std::time::Duration;
///
/// use genclient::wait::Backoff;
///
/// let mut backoff = Backoff { duration: Duration::from_secs(1), factor: 2.0, steps: 3, ..Backoff::default() };
/// let pauses: Vec<u64> = (0..4).map(|_| backoff.step().as_secs()).collect();
/// assert_eq!(pauses, [1, 2, 4, 8]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The first pause.
    pub duration: Duration,
    /// What a pause is multiplied by to get the next one; zero stands for 1. Default: 0.
    pub factor: f64,
    /// Which part of a pause is added to it at most, by chance. Default: 0, none.
    pub jitter: f64,
    /// How many tries there are, and how often the pause grows. Default: 0.
    pub steps: u32,
    /// The longest pause, before chance is added. Where the next pause would be longer, there are no steps left: it is this long and
    /// grows no more, and [`exponential_backoff`] ends before the one that leads there. Default: none.
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
    /// The next pause. Once there are no steps left, pauses no longer grow.
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

/// Tries `condition` up to `backoff.steps` times, with pauses between: apimachinery's `ExponentialBackoffWithContext`.
/// Returns the first `Some`. Unlike there, nothing is waited for after the last try.
///
/// # Errors
///
/// [`WaitError::TimedOut`] after the last try; [`WaitError::Condition`] with the first error of
/// `condition`.
///
/// # Cancel safety
///
/// Nothing is kept between tries; a dropped future drops the try that is under way.
pub async fn exponential_backoff<T, E>(
    mut backoff: Backoff,
    mut condition: impl AsyncFnMut() -> Result<Option<T>, E>,
) -> Result<T, WaitError<E>> {
    while backoff.steps > 0 {
        if let Some(value) = condition().await.map_err(WaitError::Condition)? {
            return Ok(value);
        }
        let pause = backoff.step();
        // A pause that no try follows, as after the cap, would be time lost.
        if backoff.steps > 0 {
            sleep(pause).await;
        }
    }
    Err(WaitError::TimedOut)
}
