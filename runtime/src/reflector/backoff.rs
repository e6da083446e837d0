//! Reaction to failures of lists and watches: the pause before the next attempt ([`WatchBackoff`]),
//! the decision to watch again or to relist ([`Failures`]), and the log level of repeated failures
//! ([`FailureLog`]).

use std::time::Duration;

use tokio::time::Instant;

use super::error::ListWatchError;
use crate::error_chain::error_chain;
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

/// Series of server failures without a healthy watch in between. If it lasts too long, the
/// reflector relists: client-go's `RetryWithDeadline`, extended to every 5xx and to lost
/// connections.
#[derive(Debug)]
pub(super) struct Failures {
    /// How long watches of a failing server are retried before the reflector relists.
    max: Duration,
    first: Option<Instant>,
}

/// Next step of a reflector after the end of a watch.
#[derive(Debug)]
pub(super) enum Next {
    /// Watches again without a backoff. An error means that the watch was silent for too long. It
    /// is logged at debug level, and not reported to the store.
    Watch(Option<ListWatchError>),
    /// Reports the error, and watches again after a pause.
    WatchLater(ListWatchError),
    /// Starts a new round after a pause: streams the initial list, or requests a paged list.
    List(ListWatchError),
}

/// Last failure of a reflector, so that a repeated one is logged as a warning only once.
#[derive(Debug, Default)]
pub(super) struct FailureLog {
    cause: String,
    /// Number of consecutive failures with the same `cause`.
    times: u32,
}

// === impl WatchBackoff ===

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

// === impl Failures ===

impl Failures {
    pub(super) fn new(max: Duration) -> Self {
        Self { max, first: None }
    }

    /// Ends the series of failures. Called when a watch is healthy.
    pub(super) fn end(&mut self) {
        self.first = None;
    }

    /// Returns the next step after a watch with the result `ended`.
    pub(super) fn next(&mut self, ended: Result<(), ListWatchError>) -> Next {
        let Err(error) = ended else {
            self.end();
            return Next::Watch(None);
        };
        // After silence, watches again at once: the silence was a pause already.
        if matches!(error, ListWatchError::Silence(_)) {
            return Next::Watch(Some(error));
        }
        let lists = error.is_client_closed()
            || !error.is_overload()
                && (error.is_too_large_version()
                    || error.is_corrupt()
                    || !error.is_server_failure()
                    || self.have_lasted(Instant::now()));
        if lists {
            Next::List(error)
        } else {
            Next::WatchLater(error)
        }
    }

    /// Records a failure. Returns whether failures have lasted for longer than `max`; always true
    /// if `max` is zero.
    fn have_lasted(&mut self, now: Instant) -> bool {
        let first = *self.first.get_or_insert(now);
        self.max.is_zero() || now.duration_since(first) > self.max
    }
}

// === impl FailureLog ===

impl FailureLog {
    /// Resets the count. Called when a watch is healthy.
    pub(super) fn end(&mut self) {
        self.times = 0;
    }

    /// Records a failure. Returns whether to log it as a warning: only if it is the first of
    /// consecutive failures with the same cause. If the API server is not ready to serve the kind,
    /// the second one is logged instead, since this state usually ends within a second.
    pub(super) fn is_news(&mut self, error: &ListWatchError) -> bool {
        let texts: Vec<_> = error_chain(error).map(ToString::to_string).collect();
        let cause = texts.join(": ");
        if cause != self.cause {
            self.cause = cause;
            self.times = 0;
        }
        self.times = self.times.saturating_add(1);
        self.times == if error.is_initializing() { 2 } else { 1 }
    }
}

/// Returns a random duration between `duration` and twice as much.
pub(super) fn jittered(duration: Duration) -> Duration {
    jitter(duration, 1.0)
}

#[cfg(test)]
mod tests {
    use kube::core::Status;
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

    const INTERNAL: Option<&str> = Some("InternalError");
    const WATCH: &str = "watch";
    const LATER: &str = "watch later";
    const LIST: &str = "list";

    fn failed(reason: &str) -> ListWatchError {
        ListWatchError::Status(Box::new(Status::failure("", reason)))
    }

    /// Each step: seconds that pass before the watch ends, the reason with which it fails (`None`
    /// if it ends normally), and the expected next step.
    async fn check(max: u64, steps: &[(u64, Option<&str>, &str)]) {
        let mut failures = Failures::new(Duration::from_secs(max));
        for (step, (seconds, reason, expected)) in steps.iter().enumerate() {
            tokio::time::advance(Duration::from_secs(*seconds)).await;
            let ended = reason.map_or(Ok(()), |reason| Err(failed(reason)));
            let next = match failures.next(ended) {
                Next::Watch(_) => WATCH,
                Next::WatchLater(_) => LATER,
                Next::List(_) => LIST,
            };
            assert_eq!(next, *expected, "step {step}");
        }
    }

    /// client-go's `TestRetryWithDeadline`.
    #[tokio::test(start_paused = true)]
    async fn retry_with_deadline() {
        // With a duration of zero, the watch is not retried.
        let other = Some("NotFound");
        check(
            0,
            &[(1, None, WATCH), (0, INTERNAL, LIST), (1, other, LIST)],
        )
        .await;
        // The watch is retried only within the duration.
        check(
            1,
            &[
                (1, INTERNAL, LATER),
                (1, INTERNAL, LATER),
                (1, INTERNAL, LIST),
            ],
        )
        .await;
        // An error other than `InternalError` is not retried, even within the duration: a missing
        // resource is still missing a second later.
        check(
            1,
            &[(1, INTERNAL, LATER), (0, other, LIST), (1, INTERNAL, LATER)],
        )
        .await;
        // A healthy watch ends the series. In client-go, a minute without failures does.
        check(
            1,
            &[(1, INTERNAL, LATER), (1, None, WATCH), (1, INTERNAL, LATER)],
        )
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn corrupt_storage_relists_and_a_busy_server_does_not() {
        check(30, &[(0, Some("StorageReadError"), LIST)]).await;
        check(
            30,
            &[
                (0, Some("TooManyRequests"), LATER),
                (90, Some("TooManyRequests"), LATER),
                (0, Some("Expired"), LIST),
            ],
        )
        .await;
    }

    fn status(code: u16, message: &str) -> ListWatchError {
        let mut status = Status::failure(message, "Some");
        status.code = code;
        ListWatchError::Status(Box::new(status))
    }

    #[test]
    fn repeated_causes_are_logged_once() {
        let mut log = FailureLog::default();
        for (code, message, expected) in [
            (403, "forbidden", true),
            (403, "forbidden", false),
            (403, "forbidden", false),
            (404, "not found", true),
            (403, "forbidden", true),
            (429, "storage is (re)initializing", false),
            (429, "storage is (re)initializing", true),
            (429, "storage is (re)initializing", false),
        ] {
            assert_eq!(log.is_news(&status(code, message)), expected, "{message}");
        }
        log.end();
        assert!(log.is_news(&status(403, "forbidden")));
    }
}
