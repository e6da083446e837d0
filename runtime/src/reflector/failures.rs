//! What follows the end of a watch.

use std::time::Duration;

use tokio::time::Instant;

use super::error::Error;

/// How long a server that fails is asked to watch before it is asked to list.
const MAX_SERVER_FAILURE: Duration = Duration::from_secs(30);
/// Failures further apart have nothing to do with each other.
const FAILURES_END_AFTER: Duration = Duration::from_secs(60);

/// Failures of the server, one after the other.
pub(super) struct Failures {
    first: Instant,
    last: Instant,
}

/// What follows the end of a watch.
pub(super) enum Next {
    /// Another watch.
    Watch,
    /// Another watch, after a pause.
    WatchLater,
    /// A new round.
    List,
}

/// What follows a watch that `ended` like this, after `failures`.
pub(super) fn next(ended: &Result<(), Error>, failures: &mut Option<Failures>) -> Next {
    match ended {
        Ok(()) => Next::Watch,
        // An open watch that fell silent is replaced at once: the time it took is pause enough.
        Err(error @ Error::Silence(_)) => {
            tracing::debug!(%error, "watch given up");
            Next::Watch
        }
        Err(error) if error.is_overload() => Next::WatchLater,
        Err(error) if error.is_server_failure() && !error.is_too_large_version() => {
            Failures::count(failures, Instant::now())
        }
        Err(_) => Next::List,
    }
}

impl Failures {
    fn count(failures: &mut Option<Self>, now: Instant) -> Next {
        let known = failures.take();
        let known = known.filter(|known| now <= known.last + FAILURES_END_AFTER);
        let first = known.map_or(now, |known| known.first);
        *failures = Some(Self { first, last: now });
        if now.duration_since(first) < MAX_SERVER_FAILURE {
            Next::WatchLater
        } else {
            Next::List
        }
    }
}
