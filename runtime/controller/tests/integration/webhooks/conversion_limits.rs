//! Tests of the limits of concurrent conversions: threads, and memory of bodies and responses.

use std::sync::atomic::Ordering;

use bytes::Bytes;
use genclient_controller::webhook::WebhookService;
use http::StatusCode;
use http_body_util::Full;
use serde_json::json;
use tokio::task::JoinHandle;
use tower::ServiceExt as _;

use super::conversion::{
    HELD, WAITING, WAITS, backup, conversion_of, conversion_review, endless_body, millis, service,
};
use super::post_body;

/// Maximum number of threads, and of MiB for the bodies. Each body above [`FREE`] takes one MiB.
const LIMIT: usize = 256;
/// The first bytes of a body, which take no memory.
const FREE: usize = 64 << 10;

/// Ends the wait of the conversions, also if the test fails: the runtime waits for their threads.
struct Release;

impl Drop for Release {
    fn drop(&mut self) {
        HELD.store(false, Ordering::Relaxed);
    }
}

/// Returns a review of one backup, followed by spaces.
fn review_with_padding(weeks: u32, spaces: usize) -> String {
    let review = conversion_review("example.com/v1", vec![backup("a", json!(weeks))]);
    review.to_string() + &" ".repeat(spaces)
}

/// Waits until this number of conversions wait for [`HELD`].
async fn wait_for_conversions(count: usize) {
    for _ in 0..30_000 {
        if WAITING.load(Ordering::Relaxed) == count {
            return;
        }
        tokio::time::sleep(millis(1)).await;
    }
    panic!("{} conversions", WAITING.load(Ordering::Relaxed));
}

/// Sends reviews with this number of spaces, and disconnects while they are converted.
async fn abandon_reviews(service: &WebhookService, count: usize, spaces: usize) {
    let send = |_| {
        let body = Full::new(Bytes::from(review_with_padding(WAITS, spaces)));
        tokio::spawn(service.clone().oneshot(conversion_of(body)))
    };
    let sent: Vec<_> = (0..count).map(send).collect();
    wait_for_conversions(count).await;
    sent.iter().for_each(JoinHandle::abort);
    for sent in sent {
        assert!(sent.await.unwrap_err().is_cancelled());
    }
}

/// Takes the memory that one body may have beyond the limit.
async fn take_excess(service: &WebhookService) -> JoinHandle<()> {
    let request = conversion_of(endless_body(4, 1 << 20));
    let answered = service.clone().oneshot(request);
    let held = tokio::spawn(async { drop(answered.await) });
    tokio::time::sleep(millis(10)).await;
    held
}

/// A thread cannot be interrupted. Until its conversion ends, it counts, and so does the body that
/// it reads, although the client has gone.
#[tokio::test]
async fn abandoned_conversions_take_their_thread_and_memory() {
    let late = ("/convert?timeout=200ms", StatusCode::GATEWAY_TIMEOUT);
    // The number of conversions, the spaces in their bodies, and path and status of a small one.
    for (count, spaces, (path, expected)) in [
        (LIMIT, 0, late),
        (LIMIT - 2, FREE, ("/convert", StatusCode::OK)),
    ] {
        let service = service();
        HELD.store(true, Ordering::Relaxed);
        let release = Release;
        abandon_reviews(&service, count, spaces).await;
        let excess = take_excess(&service).await;
        let (small, _) = post_body(&service, path, review_with_padding(1, 0)).await;
        assert_eq!(small, expected, "{count}");
        let (large, _) = post_body(&service, late.0, review_with_padding(1, FREE)).await;
        assert_eq!(large, late.1, "{count}");
        drop(release);
        wait_for_conversions(0).await;
        let (status, _) = post_body(&service, "/convert", review_with_padding(1, FREE)).await;
        assert_eq!(status, StatusCode::OK, "{count}");
        excess.abort();
    }
}

#[tokio::test]
async fn answers_take_memory_until_they_are_sent() {
    let service = service();
    let mut answers = Vec::new();
    for _ in 0..LIMIT {
        let request = conversion_of(Full::new(Bytes::from(review_with_padding(1, FREE))));
        answers.push(service.clone().oneshot(request).await.unwrap());
    }
    let excess = take_excess(&service).await;
    let (status, _) = post_body(
        &service,
        "/convert?timeout=200ms",
        review_with_padding(1, FREE),
    )
    .await;
    assert_eq!(status, StatusCode::GATEWAY_TIMEOUT);
    drop(answers);
    let (status, _) = post_body(&service, "/convert", review_with_padding(1, FREE)).await;
    assert_eq!(status, StatusCode::OK);
    excess.abort();
}
