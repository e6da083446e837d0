//! [`RequestDeadline`]: the time at which a request times out.
//!
//! Source: k8s.io/apiserver: `WithRequestDeadline` in pkg/endpoints/filters/request_deadline.go,
//! `FinishRequest` in pkg/endpoints/handlers/finisher.

use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use genclient_apimachinery::go;
use tokio::runtime::Handle;
use tokio::time::{Instant, sleep_until};

use crate::query::Query;
use crate::route::Verb;
use crate::status_error::StatusError;

/// Timeout of requests other than watches: the default of kube-apiserver's `--request-timeout`. The
/// query parameter `timeout` can only shorten it.
const MAX_TIMEOUT: Duration = Duration::from_secs(60);

/// Limit of the timeout of a create, update, patch or delete (`requestTimeoutUpperBound` in
/// pkg/endpoints/handlers/rest.go). A client's `DeleteCollection` has only the limit `MAX_TIMEOUT`.
const MAX_WRITE_TIMEOUT: Duration = Duration::from_secs(34);

/// Time at which a request times out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RequestDeadline {
    at: Instant,
    /// Whether `MAX_WRITE_TIMEOUT` determined the deadline. Such a deadline has its own error
    /// message.
    is_write_limit: bool,
}

impl RequestDeadline {
    /// Returns the deadline of a request that begins now, or `None` for a watch.
    ///
    /// # Errors
    ///
    /// 400 if the query parameter `timeout` is not a duration.
    pub(crate) fn from_query(verb: Verb, query: &Query) -> Result<Option<Self>, StatusError> {
        if verb == Verb::Watch {
            return Ok(None);
        }
        let timeout = parse_timeout(query.text("timeout"))?
            .map_or(MAX_TIMEOUT, |timeout| timeout.min(MAX_TIMEOUT));
        let is_write = matches!(
            verb,
            Verb::Create | Verb::Update | Verb::Patch | Verb::Delete
        );
        let is_write_limit = is_write && timeout > MAX_WRITE_TIMEOUT;
        let after = if is_write_limit {
            MAX_WRITE_TIMEOUT
        } else {
            timeout
        };
        let at = Instant::now() + after;
        Ok(Some(Self { at, is_write_limit }))
    }

    /// Returns the deadline of a write that one of the server's controllers begins now.
    pub(crate) fn for_write() -> Self {
        Self {
            at: Instant::now() + MAX_WRITE_TIMEOUT,
            is_write_limit: true,
        }
    }

    pub(crate) fn remaining(self) -> Duration {
        self.at.saturating_duration_since(Instant::now())
    }

    /// Runs a future until the deadline. At the deadline the future is dropped. The caller should
    /// box a large future, since it is moved on the stack.
    ///
    /// # Errors
    ///
    /// Errors of the future, and 504 at the deadline.
    pub(crate) async fn limit<T>(
        self,
        work: impl Future<Output = Result<T, StatusError>>,
    ) -> Result<T, StatusError> {
        run_until(self.at, work)
            .await
            .unwrap_or_else(|| Err(self.timeout_error()))
    }

    fn timeout_error(self) -> StatusError {
        StatusError::timeout(if self.is_write_limit {
            "request did not complete within requested timeout - context deadline exceeded"
        } else {
            "request did not complete within the allotted timeout"
        })
    }
}

/// Runs a future until `at`, and returns its output. If the time is reached first, it returns
/// `None`.
///
/// Outside of a Tokio runtime there is no timer, so the future runs without a limit.
pub(crate) async fn run_until<T>(at: Instant, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    if let Poll::Ready(done) = futures::poll!(&mut work) {
        return Some(done);
    }
    if Handle::try_current().is_err() {
        return Some(work.await);
    }
    tokio::select! {
        biased;
        () = sleep_until(at) => None,
        done = work => Some(done),
    }
}

/// Waits before the server retries a write that lost a race. The wait doubles from 1 ms to 1.024 s.
/// If a test has paused tokio's clock, only waits advance the clock. Retries without a wait would
/// then never reach the deadline. Outside of a Tokio runtime, the function does not wait.
pub(crate) async fn back_off(tries: u32) {
    if Handle::try_current().is_ok() {
        tokio::time::sleep(Duration::from_millis(1 << tries.min(10))).await;
    }
}

/// Parses the query parameter `timeout`. Returns `None` if it is missing, zero or negative.
fn parse_timeout(text: &str) -> Result<Option<Duration>, StatusError> {
    if text.is_empty() {
        return Ok(None);
    }
    let nanoseconds = go::duration(text).map_err(|error| {
        StatusError::bad_request(format!(
            "invalid timeout specified in the request URL - {error}"
        ))
    })?;
    let positive = u64::try_from(nanoseconds).ok().filter(|it| *it > 0);
    Ok(positive.map(Duration::from_nanos))
}

#[cfg(test)]
mod tests {
    use futures::FutureExt;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn timeout_parameter_shortens_the_request_deadline() {
        for (verb, query, expected) in [
            (Verb::Get, "", 60),
            (Verb::Create, "", 34),
            (Verb::Create, "timeout=1m", 34),
            (Verb::DeleteCollection, "timeout=2m", 60),
            (Verb::Delete, "timeout=5s", 5),
            (Verb::List, "timeout=0s", 60),
            (Verb::List, "timeout=-1s", 60),
        ] {
            let deadline = RequestDeadline::from_query(verb, &Query::parse(query))
                .unwrap()
                .unwrap();
            let found = deadline.remaining().as_secs();
            assert_eq!(found, expected, "{verb:?} {query}");
        }
        assert!(
            RequestDeadline::from_query(Verb::Watch, &Query::default())
                .unwrap()
                .is_none()
        );
        let wrong =
            RequestDeadline::from_query(Verb::Get, &Query::parse("timeout=1x")).unwrap_err();
        let message = r#"invalid timeout specified in the request URL - time: unknown unit "x" in duration "1x""#;
        assert_eq!(wrong.message, message);
    }

    #[test]
    fn ready_futures_complete_without_a_runtime() {
        let done = run_until(Instant::now(), std::future::ready(1));
        assert_eq!(done.now_or_never(), Some(Some(1)));
    }
}
