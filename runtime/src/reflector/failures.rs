//! Failures of a reflector: the decision to watch again or to relist ([`Failures`]), and the log
//! level of repeated failures ([`FailureLog`]).

use std::time::Duration;

use tokio::time::Instant;

use super::error::ListWatchError;
use crate::causes::causes;

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

/// Last failure of a reflector, so that a repeated one is logged as a warning only once.
#[derive(Debug, Default)]
pub(super) struct FailureLog {
    cause: String,
    /// Number of consecutive failures with the same `cause`.
    times: u32,
}

impl FailureLog {
    /// Resets the count. Called when a watch is healthy.
    pub(super) fn end(&mut self) {
        self.times = 0;
    }

    /// Records a failure. Returns whether to log it as a warning: only if it is the first of
    /// consecutive failures with the same cause. If the API server is not ready to serve the kind,
    /// the second one is logged instead, since this state usually ends within a second.
    pub(super) fn is_news(&mut self, error: &ListWatchError) -> bool {
        let texts: Vec<_> = causes(error).map(ToString::to_string).collect();
        let cause = texts.join(": ");
        if cause != self.cause {
            self.cause = cause;
            self.times = 0;
        }
        self.times = self.times.saturating_add(1);
        self.times == if error.is_initializing() { 2 } else { 1 }
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

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
