//! Tests of retries: client-go's `util/retry/util_test.go`.

use std::time::Duration;

use kube::Error;
use kube::core::Status;
use tokio::time::Instant;

use super::{DEFAULT_BACKOFF, DEFAULT_RETRY, retry_on_conflict};
use crate::wait::Backoff;

fn refusal(reason: &str, code: u16) -> Error {
    Error::Api(
        Status::failure("as the script says", reason)
            .with_code(code)
            .boxed(),
    )
}

fn conflict() -> Error {
    refusal("Conflict", 409)
}

/// Retries with the results in `script`; the last one repeats. Returns the reason of the result and
/// the number of tries.
async fn count_tries(backoff: Backoff, script: &[Option<(&str, u16)>]) -> (Option<String>, usize) {
    let mut tries = 0;
    let result = retry_on_conflict(backoff, async || {
        let answer = script[tries.min(script.len() - 1)];
        tries += 1;
        match answer {
            Some((reason, code)) => Err(refusal(reason, code)),
            None => Ok(()),
        }
    })
    .await;
    let reason = result.err().map(|error| match error {
        Error::Api(status) => status.reason.clone(),
        other => other.to_string(),
    });
    (reason, tries)
}

#[tokio::test(start_paused = true)]
async fn test_retry_on_conflict() {
    let options = Backoff {
        factor: 1.0,
        steps: 3,
        ..Backoff::default()
    };
    let conflict = Some(("Conflict", 409));
    let other = Some(("Forbidden", 403));
    let taken = Some(("AlreadyExists", 409));
    for (name, script, reason, tries) in [
        ("never returns", &[conflict][..], Some("Conflict"), 3),
        ("returns immediately", &[None], None, 1),
        (
            "returns immediately on error",
            &[other],
            Some("Forbidden"),
            1,
        ),
        (
            "a name that is taken is no conflict",
            &[taken],
            Some("AlreadyExists"),
            1,
        ),
        ("keeps retrying", &[conflict, conflict, None], None, 3),
        (
            "another error in the end",
            &[conflict, other],
            Some("Forbidden"),
            2,
        ),
    ] {
        let expected = (reason.map(str::to_owned), tries);
        assert_eq!(count_tries(options, script).await, expected, "{name}");
    }
}

/// `TestRetryOnConflictPreservesContextErrorWithoutLastError`: errors other than API errors are
/// returned unchanged.
#[tokio::test(start_paused = true)]
async fn retry_on_conflict_preserves_other_errors() {
    let result: Result<(), Error> = retry_on_conflict(DEFAULT_BACKOFF, async || {
        Err(Error::Service("canceled".into()))
    })
    .await;
    assert!(matches!(result, Err(Error::Service(error)) if error.to_string() == "canceled"));
}

#[tokio::test(start_paused = true)]
async fn retry_delays_match_client_go() {
    for (backoff, tries, shortest) in [(DEFAULT_RETRY, 5, 40), (DEFAULT_BACKOFF, 4, 310)] {
        let start = Instant::now();
        let mut tried = 0;
        let result = retry_on_conflict(backoff, async || {
            tried += 1;
            Err::<(), _>(conflict())
        })
        .await;
        assert!(result.is_err());
        assert_eq!(tried, tries);
        let shortest = Duration::from_millis(shortest);
        // Jitter adds up to 10%, and a timer is late by up to a millisecond.
        let longest = shortest.mul_f64(1.1) + Duration::from_millis(5);
        assert!(
            (shortest..longest).contains(&start.elapsed()),
            "{:?}",
            start.elapsed()
        );
    }
}

#[tokio::test(start_paused = true)]
async fn a_pause_beyond_the_cap_ends_the_tries() {
    let backoff = Backoff {
        duration: Duration::from_millis(10),
        factor: 2.0,
        steps: 5,
        cap: Some(Duration::from_millis(30)),
        ..Backoff::default()
    };
    let (reason, tries) = count_tries(backoff, &[Some(("Conflict", 409))]).await;
    assert_eq!((reason.as_deref(), tries), (Some("Conflict"), 2));
}
