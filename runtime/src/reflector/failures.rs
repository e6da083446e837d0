//! What follows the end of a watch.

use std::time::Duration;

use tokio::time::Instant;

use super::error::Error;

/// How long a server that fails is asked to watch before it is asked to list.
const MAX_SERVER_FAILURE: Duration = Duration::from_secs(30);
/// Failures of the server without a healthy watch in between, however long each of them took.
pub(super) struct Failures {
    first: Instant,
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
        Ok(()) => {
            *failures = None;
            Next::Watch
        }
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
        let first = failures.get_or_insert(Self { first: now }).first;
        if now.duration_since(first) < MAX_SERVER_FAILURE {
            Next::WatchLater
        } else {
            Next::List
        }
    }
}
