//! Tests of [`eventually`]: results of probes, and the error after a timeout.

use std::time::Duration;

use genclient_apiserver::{NotYet, eventually, eventually_within};
use tokio::time::{Instant, sleep};

#[tokio::test(start_paused = true)]
async fn value_of_the_first_successful_probe_is_returned() {
    let mut probes = 0;
    assert_eq!(
        eventually("three probes", async || {
            probes += 1;
            (probes == 3).then_some("value")
        })
        .await
        .unwrap(),
        "value"
    );
    let begun = Instant::now();
    let passed = async || begun.elapsed() >= Duration::from_secs(20);
    eventually("20 s of the paused clock", passed)
        .await
        .unwrap();
    assert!(begun.elapsed() < Duration::from_millis(20_100));
}

#[tokio::test(start_paused = true)]
async fn timeout_error_includes_the_goal_and_the_last_state() {
    let begun = Instant::now();
    let mut probes = 0;
    let counted = eventually("the count", async || {
        probes += 1;
        Err::<(), _>(format!("{probes} of 2000"))
    })
    .await
    .unwrap_err()
    .to_string();
    assert_eq!(
        counted,
        format!("the count: not within 30s; last seen: {probes} of 2000")
    );
    assert!(begun.elapsed() < Duration::from_millis(30_100));

    let second = Duration::from_secs(1);
    let mut probes = 0;
    let hanging = eventually_within(second, "an answer", async || {
        probes += 1;
        match probes {
            1 => "refused".parse::<u8>(),
            _ => std::future::pending().await,
        }
    });
    let late = eventually_within(second, "an end", async || {
        sleep(second * 2).await;
        true
    });
    let cases = [
        (
            eventually_within(second, "true", async || false).await,
            "true: not within 1s; last seen: false",
        ),
        (
            eventually_within(second, "one", async || None).await,
            "one: not within 1s; last seen: None",
        ),
        (
            hanging.await.map(drop),
            "an answer: not within 1s; last seen: invalid digit found in string",
        ),
        (
            late.await,
            "an end: not within 1s; last seen: nothing, as the first probe did not end",
        ),
    ];
    for (waited, expected) in cases {
        let waited: Result<(), NotYet> = waited;
        // This is what a test that unwraps the error prints.
        assert_eq!(format!("{:?}", waited.unwrap_err()), expected);
    }
}
