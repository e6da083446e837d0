//! What follows the end of a watch.

use std::time::Duration;

use tokio::time::Instant;

use super::error::ListWatchError;

/// Failures of the server without a healthy watch in between, however long each of them took: client-go's `RetryWithDeadline`,
/// for every 5xx and for lost connections.
#[derive(Debug)]
pub(super) struct Failures {
    /// How long a server that fails is asked to watch before it is asked to list.
    max: Duration,
    first: Option<Instant>,
}

/// What follows the end of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    /// Another watch.
    Watch,
    /// Another watch, after a pause.
    WatchLater,
    /// A new round.
    List,
}

impl Failures {
    pub(super) fn new(max: Duration) -> Self {
        Self { max, first: None }
    }

    /// A watch is healthy.
    pub(super) fn end(&mut self) {
        self.first = None;
    }

    /// What follows a watch that `ended` like this.
    pub(super) fn next(&mut self, ended: &Result<(), ListWatchError>) -> Next {
        match ended {
            Ok(()) => {
                self.end();
                Next::Watch
            }
            // An open watch that fell silent is replaced at once: the time it took is pause enough.
            Err(ListWatchError::Silence(_)) => Next::Watch,
            Err(error) if error.is_client_closed() => Next::List,
            Err(error) if error.is_overload() => Next::WatchLater,
            Err(error) if error.is_too_large_version() || error.is_corrupt() => Next::List,
            Err(error) if error.is_server_failure() => self.count(Instant::now()),
            Err(_) => Next::List,
        }
    }

    fn count(&mut self, now: Instant) -> Next {
        let first = *self.first.get_or_insert(now);
        if self.max.is_zero() || now.duration_since(first) > self.max {
            Next::List
        } else {
            Next::WatchLater
        }
    }
}

#[cfg(test)]
mod tests {
    use kube::core::Status;

    use super::*;

    const INTERNAL: Option<&str> = Some("InternalError");

    fn failed(reason: &str) -> ListWatchError {
        ListWatchError::Status(Box::new(Status::failure("", reason)))
    }

    /// Each step: seconds that pass, how the watch ends then, and what follows.
    async fn check(max: u64, steps: &[(u64, Option<&str>, Next)]) {
        let mut failures = Failures::new(Duration::from_secs(max));
        for (step, (seconds, reason, expected)) in steps.iter().enumerate() {
            tokio::time::advance(Duration::from_secs(*seconds)).await;
            let ended = reason.map_or(Ok(()), |reason| Err(failed(reason)));
            assert_eq!(failures.next(&ended), *expected, "step {step}");
        }
    }

    /// client-go's `TestRetryWithDeadline`.
    #[tokio::test(start_paused = true)]
    async fn retry_with_deadline() {
        use Next::{List, Watch, WatchLater};

        // Never when the duration is zero.
        let other = Some("NotFound");
        check(
            0,
            &[(1, None, Watch), (0, INTERNAL, List), (1, other, List)],
        )
        .await;
        // Only within the duration.
        check(
            1,
            &[
                (1, INTERNAL, WatchLater),
                (1, INTERNAL, WatchLater),
                (1, INTERNAL, List),
            ],
        )
        .await;
        // Other errors are no reason to go on watching, here not even amid internal ones: a watch that is not found is not
        // found a second later.
        check(
            1,
            &[
                (1, INTERNAL, WatchLater),
                (0, other, List),
                (1, INTERNAL, WatchLater),
            ],
        )
        .await;
        // A healthy watch ends the count. In client-go, a minute without failures does.
        check(
            1,
            &[
                (1, INTERNAL, WatchLater),
                (1, None, Watch),
                (1, INTERNAL, WatchLater),
            ],
        )
        .await;
    }

    #[tokio::test(start_paused = true)]
    async fn corrupt_storage_is_listed_at_once_and_a_busy_server_never() {
        check(30, &[(0, Some("StorageReadError"), Next::List)]).await;
        check(
            30,
            &[
                (0, Some("TooManyRequests"), Next::WatchLater),
                (90, Some("TooManyRequests"), Next::WatchLater),
                (0, Some("Expired"), Next::List),
            ],
        )
        .await;
    }
}
