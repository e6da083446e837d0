//! Exponential backoff between attempts to list and watch.

use std::time::Duration;

use tokio::time::Instant;

use crate::client::MAX_RETRY_AFTER;
use crate::wait::jitter;

/// First pause, before jitter.
const INITIAL: Duration = Duration::from_millis(800);
/// Longest pause, before jitter.
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// If the last pause ended longer ago than this, the next one is [`INITIAL`] again.
const RESET_AFTER: Duration = Duration::from_secs(120);

/// client-go's exponential backoff with jitter and reset.
#[derive(Debug)]
pub(super) struct WatchBackoff {
    next: Duration,
    /// End of the last pause, or its start if it has not ended.
    last_pause: Option<Instant>,
}

impl WatchBackoff {
    pub(super) fn new() -> Self {
        Self {
            next: INITIAL,
            last_pause: None,
        }
    }

    /// Makes the next pause [`INITIAL`] again.
    pub(super) fn reset(&mut self) {
        *self = Self::new();
    }

    /// Sleeps for the next pause, or for `retry_after` if that is longer. Limits `retry_after` to
    /// [`MAX_RETRY_AFTER`].
    pub(super) async fn pause(&mut self, retry_after: Duration) {
        let pause = self.next_pause(Instant::now());
        tokio::time::sleep(pause.max(retry_after.min(MAX_RETRY_AFTER))).await;
        // Because of `Retry-After`, the pause may have been longer than [`RESET_AFTER`]. Its end is
        // recorded so that the next pause does not start at [`INITIAL`].
        self.last_pause = Some(Instant::now());
    }

    fn next_pause(&mut self, now: Instant) -> Duration {
        if self
            .last_pause
            .is_some_and(|last| now.duration_since(last) > RESET_AFTER)
        {
            self.next = INITIAL;
        }
        self.last_pause = Some(now);
        let pause = self.next;
        self.next = MAX_PAUSE.min(pause * 2);
        jittered(pause)
    }
}

/// Returns a random duration between `duration` and twice as much.
pub(super) fn jittered(duration: Duration) -> Duration {
    jitter(duration, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn backoff_doubles_to_the_cap_and_resets_when_healthy() {
        let mut backoff = WatchBackoff::new();
        let mut now = Instant::now();
        for base in [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000] {
            let base = Duration::from_millis(base);
            let pause = backoff.next_pause(now);
            assert!(pause >= base && pause <= base * 2, "{pause:?} for {base:?}");
            now += pause;
        }
        let pause = backoff.next_pause(now + Duration::from_secs(121));
        assert!(pause <= INITIAL * 2, "{pause:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn backoff_restarts_after_a_reset() {
        let mut backoff = WatchBackoff::new();
        let now = Instant::now();
        for _ in 0..4 {
            backoff.next_pause(now);
        }
        backoff.reset();
        let pause = backoff.next_pause(now);
        assert!(pause <= INITIAL * 2, "{pause:?}");
    }

    /// A pause is not healthy time, even if `Retry-After` makes it longer than [`RESET_AFTER`].
    #[tokio::test(start_paused = true)]
    async fn long_retry_after_does_not_reset_the_backoff() {
        let mut backoff = WatchBackoff::new();
        for _ in 0..4 {
            backoff.pause(Duration::from_secs(200)).await;
        }
        let begun = Instant::now();
        backoff.pause(Duration::ZERO).await;
        assert!(begun.elapsed() >= INITIAL * 16, "{:?}", begun.elapsed());
    }
}
