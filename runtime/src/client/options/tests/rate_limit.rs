//! Tests of the rate limit: the cases of `util/flowcontrol/throttle_test.go`.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use super::super::StackSettings;
use super::super::stack::Throttle;
use super::{Server, get};

/// As Go's token bucket: `burst` requests at once, then `qps` each second. Unused tokens accumulate
/// up to `burst`.
#[tokio::test(start_paused = true)]
async fn requests_wait_for_a_rate_limit_token() {
    let server = Server::default();
    let client = server.client(StackSettings {
        throttle: Some(Throttle::new(2.0, 3)),
        ..StackSettings::default()
    });
    let start = Instant::now();
    let requests = (0..7).map(|_| get(&client, "/pods"));
    futures::future::join_all(requests).await;
    sleep(Duration::from_secs(60)).await;
    for _ in 0..4 {
        get(&client, "/pods").await.unwrap();
    }
    let calls = server.calls.lock();
    let sent: Vec<_> = calls
        .iter()
        .map(|call| (call.at - start).as_millis() / 100)
        .collect();
    assert_eq!(sent, [0, 0, 0, 5, 10, 15, 20, 620, 620, 620, 625]);
}

#[tokio::test(start_paused = true)]
async fn cancelled_requests_return_their_rate_limit_token() {
    let server = Server::default();
    let client = server.client(StackSettings {
        throttle: Some(Throttle::new(1.0, 1)),
        ..StackSettings::default()
    });
    let start = Instant::now();
    get(&client, "/pods").await.unwrap();
    let impatient = tokio::time::timeout(Duration::from_millis(100), get(&client, "/pods")).await;
    assert!(impatient.is_err());
    get(&client, "/pods").await.unwrap();
    assert_eq!(
        (start.elapsed().as_secs(), server.calls.lock().len()),
        (1, 2)
    );
}
