//! Tests of authorization, with a fake API server.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};

use genclient::kube::client::Body;
use http::Response as Answer;
use http_body_util::BodyExt;
use tower::service_fn;

use super::*;

/// Returns an authorization with a fake API server. The token `good` belongs to a user who may read
/// `/metrics`. The first `errors` answers have the status `code`. The counter counts requests.
fn api(errors: usize, code: u16) -> (DelegatingAuthorizer, Arc<AtomicUsize>) {
    let calls = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&calls);
    let service = service_fn(move |request: Request<Body>| {
        let number = counted.fetch_add(1, Ordering::Relaxed);
        async move {
            let body = request
                .into_body()
                .collect()
                .await
                .map(http_body_util::Collected::to_bytes);
            let review: Value =
                serde_json::from_slice(&body.unwrap_or_default()).unwrap_or_default();
            let spec = &review["spec"];
            let (code, answer) = if number < errors {
                let status = json!({ "kind": "Status", "status": "Failure", "code": code });
                (code, status)
            } else {
                let is_good = spec["token"] == "good";
                let allowed = spec["nonResourceAttributes"]["path"] == "/metrics";
                let user = json!({ "username": "reader" });
                let status = json!({ "authenticated": is_good, "user": user, "allowed": allowed });
                (201, json!({ "status": status }))
            };
            let body = Body::from(answer.to_string().into_bytes());
            let mut answer = Answer::new(body);
            *answer.status_mut() = StatusCode::from_u16(code).expect("the code is one of HTTP");
            Ok::<_, Infallible>(answer)
        }
    });
    (
        DelegatingAuthorizer::new(Client::new(service, "default")),
        calls,
    )
}

/// Returns the status of the response to a request; 200 if the request is permitted.
async fn status(authorization: &Arc<DelegatingAuthorizer>, header: &str, path: &str) -> u16 {
    let request = Request::get(path)
        .header(AUTHORIZATION, header)
        .body(())
        .expect("the header is well formed");
    let checked = Arc::clone(authorization).check(&request).await;
    checked.map_or_else(|refusal| refusal.status().as_u16(), |()| 200)
}

#[tokio::test(start_paused = true)]
async fn authorization_decisions_are_cached() {
    let (authorization, calls) = api(0, 0);
    let authorization = Arc::new(authorization);
    let long = format!("Bearer {}", "x".repeat(MAX_TOKEN_LENGTH + 1));
    for (header, path, expected, reviews) in [
        ("Bearer good", "/metrics", 200, 2),
        ("bearer good", "/metrics", 200, 0),
        ("BEARER  good", "/metrics", 200, 0),
        ("Basic good", "/metrics", 401, 0),
        ("Bearer", "/metrics", 401, 0),
        ("Bearer bad", "/metrics", 401, 1),
        ("Bearer bad", "/metrics", 401, 0),
        (&*long, "/metrics", 401, 0),
        ("Bearer good", "/secrets", 403, 1),
        ("Bearer good", "/secrets", 403, 0),
    ] {
        calls.store(0, Ordering::Relaxed);
        assert_eq!(
            status(&authorization, header, path).await,
            expected,
            "{header}"
        );
        assert_eq!(calls.load(Ordering::Relaxed), reviews, "{header} {path}");
    }
    // Expired entries are evicted when the next answer is stored.
    tokio::time::advance(ALLOWED_TTL).await;
    assert_eq!(status(&authorization, "Bearer good", "/metrics").await, 200);
    assert_eq!(authorization.tokens.0.lock().len(), 1);
    assert_eq!(authorization.permissions.0.lock().len(), 1);
}

/// Clients choose the path, so answers for long paths would fill the memory.
#[tokio::test(start_paused = true)]
async fn answers_for_long_paths_are_not_cached() {
    let (authorization, calls) = api(0, 0);
    let authorization = Arc::new(authorization);
    status(&authorization, "Bearer good", "/metrics").await;
    for (length, reviews) in [(MAX_CACHED_PATH_LENGTH, 1), (MAX_CACHED_PATH_LENGTH + 1, 2)] {
        calls.store(0, Ordering::Relaxed);
        let path = format!("/{}", "x".repeat(length - 1));
        for _ in 0..2 {
            assert_eq!(status(&authorization, "Bearer good", &path).await, 403);
        }
        assert_eq!(calls.load(Ordering::Relaxed), reviews, "{length}");
    }
}

#[tokio::test(start_paused = true)]
async fn reviews_are_retried_while_the_api_server_is_busy() {
    for (code, expected, asked_for) in [(429, 200, 4), (503, 200, 4), (403, 500, 1)] {
        let (authorization, calls) = api(2, code);
        let authorization = Arc::new(authorization);
        let status = status(&authorization, "Bearer good", "/metrics").await;
        assert_eq!(status, expected, "{code}");
        assert_eq!(calls.load(Ordering::Relaxed), asked_for, "{code}");
    }
}

/// Guessed tokens cause few reviews, and do not keep out a client that was allowed before.
#[tokio::test(start_paused = true)]
async fn reviews_of_unknown_tokens_are_limited() {
    let (authorization, calls) = api(0, 0);
    let authorization = Arc::new(authorization);
    assert_eq!(status(&authorization, "Bearer good", "/metrics").await, 200);
    tokio::time::advance(ALLOWED_TTL).await;
    calls.store(0, Ordering::Relaxed);
    let guesses: Vec<_> = (0..1000)
        .map(|number| {
            let authorization = Arc::clone(&authorization);
            let header = format!("Bearer guess-{number}");
            tokio::spawn(async move { status(&authorization, &header, "/metrics").await })
        })
        .collect();
    sleep(MIN_PERMIT_TIME / 2).await;
    assert_eq!(calls.load(Ordering::Relaxed), MAX_REVIEWS);
    assert_eq!(status(&authorization, "Bearer good", "/metrics").await, 200);
    let mut statuses = Vec::new();
    for guess in guesses {
        statuses.push(guess.await.expect("it does not panic"));
    }
    let is_refused = |status: &&u16| **status == 401;
    let reviewed = statuses.iter().filter(is_refused).count();
    assert!(
        (MAX_REVIEWS..=2 * MAX_REVIEWS).contains(&reviewed),
        "{reviewed}"
    );
    assert!(statuses.iter().all(|status| [401, 429].contains(status)));
    assert_eq!(calls.load(Ordering::Relaxed), reviewed + 2);
    // Later, an unknown client has its turn again.
    sleep(MIN_PERMIT_TIME).await;
    assert_eq!(status(&authorization, "Bearer new", "/metrics").await, 401);
}

#[test]
fn busy_answers_say_when_to_retry() {
    let response = Refusal::Busy.into_response();
    assert_eq!(response.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(response.headers()[RETRY_AFTER], "1");
}
