//! Tests of polling and backoff: the cases of apimachinery's `util/wait/wait_test.go` and
//! `loop_test.go` for functions that exist here.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::{Backoff, WaitError, exponential_backoff, poll_until};

type Waited<T> = Result<T, WaitError<&'static str>>;

const SECOND: Duration = Duration::from_secs(1);

#[test]
fn backoff_step() {
    let backoff = |factor, steps| Backoff {
        duration: SECOND,
        factor,
        steps,
        ..Backoff::default()
    };
    let capped = |backoff| Backoff {
        cap: Some(3 * SECOND),
        ..backoff
    };
    for (initial, want) in [
        (Backoff::default(), vec![0, 0, 0, 0]),
        (backoff(0.0, 0), vec![1, 1, 1]),
        (backoff(0.0, 1), vec![1, 1, 1]),
        (backoff(1.0, 1), vec![1, 1, 1]),
        (backoff(2.0, 3), vec![1, 2, 4]),
        (capped(backoff(2.0, 3)), vec![1, 2, 3]),
        (capped(backoff(2.0, 10)), vec![1, 2, 3, 3, 3]),
    ] {
        let mut backoff = initial;
        let steps: Vec<u64> = want.iter().map(|_| backoff.step().as_secs()).collect();
        assert_eq!(steps, want, "{initial:?}");
    }
    for (initial, jitter, want) in [
        (capped(backoff(2.0, 2)), 0.5, vec![1, 2, 3]),
        (backoff(2.0, 6), 4.0, vec![1, 2, 4, 8, 16, 32]),
    ] {
        let mut backoff = Backoff { jitter, ..initial };
        for seconds in want {
            let pause = backoff.step().as_secs_f64() / f64::from(seconds);
            // A pause without jitter is unlikely: the random part has nanoseconds.
            assert!(
                1.0 < pause && pause < 1.0 + jitter,
                "{initial:?}: {seconds} × {pause}"
            );
        }
    }
}

#[test]
fn uncapped_backoff_does_not_overflow() {
    let mut backoff = Backoff {
        duration: SECOND,
        factor: 1e9,
        jitter: 1.0,
        steps: u32::MAX,
        cap: None,
    };
    let last = (0..100).map(|_| backoff.step()).last();
    assert!(last > Some(Duration::from_secs(1_000_000)));
}

/// `TestExponentialBackoff` and `TestExponentialBackoffWithContext`. Each case scripts the results
/// of the condition; the last one repeats.
#[tokio::test(start_paused = true)]
async fn test_exponential_backoff() {
    let no: Result<_, &str> = Ok(None);
    let yes = Ok(Some(7));
    let error = Err("condition failed");
    for (name, steps, script, expected, tries) in [
        (
            "exits immediately",
            0,
            vec![no],
            Err(WaitError::TimedOut),
            0,
        ),
        (
            "waits up to steps",
            3,
            vec![no],
            Err(WaitError::TimedOut),
            3,
        ),
        ("single step", 1, vec![no], Err(WaitError::TimedOut), 1),
        ("returns immediately", 3, vec![yes], Ok(7), 1),
        (
            "returns immediately on error",
            3,
            vec![error],
            Err(WaitError::Condition("condition failed")),
            1,
        ),
        ("invoked multiple times", 5, vec![no, no, yes], Ok(7), 3),
        (
            "an error later",
            5,
            vec![no, error],
            Err(WaitError::Condition("condition failed")),
            2,
        ),
    ] {
        for duration in [SECOND, Duration::ZERO] {
            let start = Instant::now();
            let backoff = Backoff {
                duration,
                factor: 1.0,
                steps,
                ..Backoff::default()
            };
            let mut tried = 0;
            let result: Waited<i32> = exponential_backoff(backoff, async || {
                tried += 1;
                script[(tried - 1).min(script.len() - 1)]
            })
            .await;
            assert_eq!(result, expected, "{name}");
            assert_eq!(tried, tries, "{name}");
            let pauses = u64::try_from(tries).unwrap().saturating_sub(1);
            let paused = pauses * duration.as_secs();
            assert_eq!(start.elapsed().as_secs(), paused, "{name}");
        }
    }
}

/// If `cap` ends the tries, apimachinery pauses after the last one.
#[tokio::test(start_paused = true)]
async fn backoff_ends_without_a_trailing_pause() {
    let start = Instant::now();
    let backoff = Backoff {
        duration: SECOND,
        factor: 2.0,
        steps: 10,
        cap: Some(3 * SECOND),
        ..Backoff::default()
    };
    let mut tried = 0;
    let result: Waited<i32> = exponential_backoff(backoff, async || {
        tried += 1;
        Ok(None)
    })
    .await;
    assert_eq!(result, Err(WaitError::TimedOut));
    assert_eq!((tried, start.elapsed().as_secs()), (2, 1));
}

/// `TestPoll`, `TestPollImmediate`, `TestPollUntil` and the cases of `loop_test.go`: duration of
/// each try, limit, and the try at which the condition is true; then the result, the number of
/// tries and the total time.
#[tokio::test(start_paused = true)]
async fn test_poll_until() {
    let milliseconds = Duration::from_millis;
    for (name, takes, limit, true_at, expected, tries, took) in [
        ("immediate", 0, 10_000, 1, Ok(1), 1, 0),
        ("every period", 0, 10_000, 4, Ok(4), 4, 3000),
        ("timed out", 0, 3500, 9, Err(WaitError::TimedOut), 4, 3500),
        ("once, whatever the limit", 0, 0, 1, Ok(1), 1, 0),
        ("no time", 0, 0, 2, Err(WaitError::TimedOut), 1, 0),
        (
            "the period is from start to start",
            400,
            9000,
            3,
            Ok(3),
            3,
            2400,
        ),
        ("slower than the period", 1500, 9000, 3, Ok(3), 3, 4500),
        (
            "one that hangs is dropped",
            60_000,
            5000,
            1,
            Err(WaitError::TimedOut),
            1,
            5000,
        ),
    ] {
        let start = Instant::now();
        let mut tried = 0;
        let result: Waited<i32> = poll_until(SECOND, milliseconds(limit), async || {
            tried += 1;
            if takes > 0 {
                sleep(milliseconds(takes)).await;
            }
            Ok((tried == true_at).then_some(tried))
        })
        .await;
        assert_eq!(result, expected, "{name}");
        assert_eq!(tried, tries, "{name}");
        let elapsed = start.elapsed().as_millis();
        assert!((took..took + 5).contains(&elapsed), "{name}: {elapsed} ms");
    }
}

/// `TestPollError`, `TestPollImmediateError` and `TestPollForever`.
#[tokio::test(start_paused = true)]
async fn poll_error_and_for_ever() {
    let mut tried = 0;
    let failed: Waited<()> = poll_until(SECOND, Duration::MAX, async || {
        tried += 1;
        Err("condition failed")
    })
    .await;
    assert_eq!(failed, Err(WaitError::Condition("condition failed")));
    assert_eq!(tried, 1);
    let mut tried = 0;
    let day: Waited<()> = poll_until(SECOND, Duration::MAX, async || {
        tried += 1;
        Ok((tried == 86_400).then_some(()))
    })
    .await;
    assert_eq!(day, Ok(()));
    assert_eq!(
        WaitError::<&str>::TimedOut.to_string(),
        "timed out waiting for the condition"
    );
}
