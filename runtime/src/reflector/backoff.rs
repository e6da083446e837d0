//! Backoff between attempts to list and watch.

use std::time::Duration;

use tokio::time::Instant;

use crate::wait::jitter;

/// First pause, before jitter: client-go's `defaultBackoffInit` in `tools/cache/reflector.go`.
const INITIAL: Duration = Duration::from_millis(800);
/// Longest pause, before jitter: client-go's `defaultBackoffMax`.
pub(super) const MAX_PAUSE: Duration = Duration::from_secs(30);
/// How long pauses stay [`INITIAL`] before they double. A disturbance that is shorter is over for
/// the reflector two seconds after it is over for the server.
const BRIEF: Duration = Duration::from_secs(12);
/// After refusals that have lasted for this many times the last pause, an answer resets the
/// backoff.
const REFUSALS: u32 = 6;

/// Exponential backoff for a series of failures.
///
/// A series ends with a watch that stands for as long as the last pause, or with an answer after a
/// long time of refusals. A server that fails at once after each success thus meets growing pauses.
/// In client-go, the backoff resets only after two minutes without a failure
/// (`defaultBackoffReset`), so the sixth of six short disturbances within a minute leads to a pause
/// of up to a minute.
#[derive(Debug)]
pub(super) struct WatchBackoff {
    next: Duration,
    /// The last pause, with jitter; zero before the first one.
    pause: Duration,
    /// Start of the series of failures; `None` if the last one has ended.
    since: Option<Instant>,
    /// First answer after the last failure.
    answered: Option<Instant>,
    /// First of the failures without an answer in between.
    refused: Option<Instant>,
}

impl WatchBackoff {
    pub(super) fn new() -> Self {
        Self {
            next: INITIAL,
            pause: Duration::ZERO,
            since: None,
            answered: None,
            refused: None,
        }
    }

    /// Whether the series of failures has lasted for longer than a brief disturbance.
    pub(super) fn is_long(&self) -> bool {
        self.since.is_some_and(|since| since.elapsed() >= BRIEF)
    }

    /// Ends the series of failures.
    pub(super) fn reset(&mut self) {
        *self = Self::new();
    }

    /// Records an answer of the server: a complete list, or a watch that stands.
    pub(super) fn answered(&mut self) {
        let is_rested = |refused: Instant| refused.elapsed() >= self.pause.saturating_mul(REFUSALS);
        if self.refused.take().is_some_and(is_rested) {
            self.reset();
        }
        self.answered.get_or_insert_with(Instant::now);
    }

    /// Records a failure. Returns the pause before the next attempt.
    pub(super) fn pause(&mut self) -> Duration {
        let now = Instant::now();
        match self.answered.take() {
            Some(answered) if now.duration_since(answered) >= self.pause => self.reset(),
            Some(_) => {}
            None => {
                self.refused.get_or_insert(now);
            }
        }
        let since = *self.since.get_or_insert(now);
        self.pause = jittered(self.next);
        if now.duration_since(since) >= BRIEF {
            self.next = MAX_PAUSE.min(self.next * 2);
        }
        self.pause
    }
}

/// Returns a random duration between `duration` and twice as much.
pub(super) fn jittered(duration: Duration) -> Duration {
    jitter(duration, 1.0)
}

#[cfg(test)]
mod tests {
    use tokio::time::{advance, sleep};

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// One attempt after a pause, and its end.
    #[derive(Clone, Copy, Debug)]
    enum Attempt {
        /// Nothing is served.
        Refused,
        /// An answer, and a failure after this time.
        Served(Duration),
    }

    use Attempt::{Refused, Served};

    /// Makes attempts, and pauses between them, for `time`. Returns the last pause.
    async fn last_pause(
        backoff: &mut WatchBackoff,
        time: Duration,
        mut attempts: impl Iterator<Item = Attempt>,
    ) -> Duration {
        let begun = Instant::now();
        loop {
            if let Some(Served(stands)) = attempts.next() {
                backoff.answered();
                sleep(stands).await;
            }
            let pause = backoff.pause();
            if begun.elapsed() >= time {
                return pause;
            }
            sleep(pause).await;
        }
    }

    /// Each case: the attempts, repeated for ten minutes, and the range of the last pause.
    #[tokio::test(start_paused = true)]
    async fn pauses_grow_unless_watches_stand_as_long() {
        let long = |seconds| Served(Duration::from_secs(seconds));
        let grown = MAX_PAUSE..=MAX_PAUSE * 2;
        let first = INITIAL..=INITIAL * 2;
        for (attempts, expected) in [
            (&[Refused][..], grown.clone()),
            (&[long(0)], grown.clone()),
            (&[Served(Duration::from_millis(500))], grown.clone()),
            (&[long(0), Refused], grown.clone()),
            (&[long(0), Refused, Refused], grown),
            (&[long(2)], first.clone()),
            (&[long(60)], first),
        ] {
            let mut backoff = WatchBackoff::new();
            let cycle = attempts.iter().copied().cycle();
            let pause = last_pause(&mut backoff, 600 * SECOND, cycle).await;
            assert!(expected.contains(&pause), "{attempts:?}: {pause:?}");
        }
    }

    /// Disturbances of 12 s, with hardly a moment of health in between.
    #[tokio::test(start_paused = true)]
    async fn brief_disturbances_have_short_pauses_however_many_there_are() {
        let mut backoff = WatchBackoff::new();
        for number in 0..20 {
            let refusals = std::iter::repeat(Refused);
            let pause = last_pause(&mut backoff, BRIEF, refusals).await;
            assert!(pause <= INITIAL * 2, "{number}: {pause:?}");
            sleep(pause).await;
            backoff.answered();
            advance(Duration::from_millis(20)).await;
        }
    }

    #[tokio::test(start_paused = true)]
    async fn pauses_double_to_the_cap_after_a_brief_time() {
        let mut backoff = WatchBackoff::new();
        let begun = Instant::now();
        while begun.elapsed() < BRIEF {
            let pause = backoff.pause();
            assert!(pause >= INITIAL && pause <= INITIAL * 2, "{pause:?}");
            sleep(pause).await;
        }
        for base in [800, 1600, 3200, 6400, 12_800, 25_600, 30_000, 30_000] {
            let base = Duration::from_millis(base);
            let pause = backoff.pause();
            assert!(pause >= base && pause <= base * 2, "{pause:?} for {base:?}");
            sleep(pause).await;
        }
        backoff.reset();
        assert!(backoff.pause() <= INITIAL * 2);
    }
}
