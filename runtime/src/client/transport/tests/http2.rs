//! Tests of HTTP/2: its negotiation, pings, and the limit of concurrent requests.

use std::time::Duration;

use futures::future::join_all;
use http::{Request, Version};
use http_body_util::BodyExt;
use hyper_util::client::legacy;
use kube::client::Body;
use tokio::time::{Instant, sleep, timeout};

use super::server::{Server, Step};
use super::{connect, get, watch};
use crate::error_chain::error_chain;

/// Sends fifty requests at once.
async fn fifty_requests_succeed(client: &kube::Client) {
    let answers = join_all((0..50).map(|_| get(client, "/pods"))).await;
    assert!(answers.into_iter().all(|status| status.unwrap() == 200));
}

#[tokio::test]
async fn requests_share_one_connection() {
    let server = Server::start().await;
    let client = connect(server.config());
    // All at once, before there is a connection.
    fifty_requests_succeed(&client).await;
    assert!(server.seen().iter().all(|it| it.version == Version::HTTP_2));
    assert_eq!(server.connections(), 1);
}

#[tokio::test]
async fn servers_without_http2_get_http1() {
    let server = Server::builder().http1_only().start().await;
    let client = connect(server.config());
    let watched = watch(&client).await;
    assert!(watched.is_unpinged());
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    assert!(
        server
            .seen()
            .iter()
            .all(|it| it.version == Version::HTTP_11)
    );
}

/// More watches than the server allows on a connection: the next ones get another connection, and
/// other requests do not wait for the end of a watch.
#[tokio::test]
async fn watches_do_not_use_up_the_streams_of_requests() {
    let server = Server::builder().streams(4).start().await;
    let client = connect(server.config());
    let watches = join_all((0..10).map(|_| watch(&client))).await;
    let gets = timeout(
        Duration::from_secs(10),
        join_all((0..10).map(|_| get(&client, "/pods"))),
    )
    .await;
    assert!(gets.unwrap().into_iter().all(|it| it.unwrap() == 200));
    assert!(watches.iter().all(|watched| !watched.is_unpinged()));
    assert!(server.max_streams() <= 4, "{}", server.max_streams());
    let connections = server.connections();
    assert!((3..=5).contains(&connections), "{connections}");
    // What has ended makes room.
    drop(watches);
    let watches = join_all((0..8).map(|_| watch(&client))).await;
    assert_eq!(server.connections(), connections);
    drop(watches);
}

/// Silent death of a connection: watches end, writes fail, and reads are repeated, in the time of
/// two pings.
#[tokio::test]
async fn pings_find_dead_connections() {
    let server = Server::start().await;
    let proxy = server.proxy().await;
    let mut config = server.config();
    config.cluster_url = proxy.url("https");
    let client = connect(config);
    let mut watched = watch(&client).await;
    get(&client, "/pods").await.unwrap();
    proxy.swallow();
    let start = Instant::now();
    let (ended, failed) = tokio::join!(watched.0.body_mut().frame(), get(&client, "/pods"));
    assert!(ended.unwrap().is_err());
    assert!(failed.is_err());
    let took = start.elapsed();
    assert!(took < Duration::from_secs(4), "{took:?}");
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
}

/// A connection with a silent watch stays open as long as pings are answered.
#[tokio::test]
async fn answered_pings_keep_a_silent_watch_open() {
    let server = Server::start().await;
    let client = connect(server.config());
    let mut watched = watch(&client).await;
    let silent = timeout(Duration::from_millis(2500), watched.0.body_mut().frame()).await;
    assert!(silent.is_err(), "the watch has ended");
}

/// The retry rules of client-go know the errors of hyper.
#[tokio::test]
async fn reads_are_repeated_when_pings_fail() {
    let server = Server::start().await;
    let proxy = server.proxy().await;
    let mut config = server.config();
    config.cluster_url = proxy.url("https");
    let client = connect(config);
    let client = crate::client::builder(server.config())
        .connect_to(tower::service_fn(move |request| {
            let client = client.clone();
            async move { client.send(request).await }
        }))
        .unwrap();
    get(&client, "/pods").await.unwrap();
    proxy.swallow();
    let (read, written) = tokio::join!(
        get(&client, "/pods"),
        client.request_text(http::Request::post("/pods").body(Vec::new()).unwrap()),
    );
    assert_eq!(read.unwrap(), 200);
    assert!(written.is_err());
}

const NO_ERROR: u8 = 0;
const REFUSED_STREAM: u8 = 7;
const ENHANCE_YOUR_CALM: u8 = 11;

/// Requests that the server says it has not processed are sent again, writes as well. Each case:
/// what the first connection does, and the numbers of requests on it and of all connections, and
/// whether the last request succeeds.
#[tokio::test]
async fn requests_that_were_not_processed_are_sent_again() {
    use Step::{Answer, GoAway, Reset};
    for (script, requests, connections, succeeds) in [
        (&[GoAway(NO_ERROR)][..], 1, 2, true),
        (&[Answer, GoAway(NO_ERROR)], 2, 2, true),
        (&[Answer, GoAway(ENHANCE_YOUR_CALM)], 2, 2, true),
        // The server would do so on each connection.
        (&[GoAway(ENHANCE_YOUR_CALM)], 1, 1, false),
        (&[Reset(REFUSED_STREAM), Answer], 2, 1, true),
        (
            &[Reset(REFUSED_STREAM), Reset(REFUSED_STREAM), Answer],
            3,
            1,
            true,
        ),
        (&[Reset(REFUSED_STREAM), GoAway(NO_ERROR)], 2, 2, true),
        // Perhaps processed.
        (&[Reset(ENHANCE_YOUR_CALM)], 1, 1, false),
    ] {
        let server = Server::builder().script(script).start().await;
        let client = connect(server.config());
        if let Answer = script[0] {
            get(&client, "/pods").await.unwrap();
        }
        let request = Request::post("/pods").body(Body::from(b"{}".to_vec()));
        let sent = timeout(Duration::from_secs(5), client.send(request.unwrap())).await;
        assert_eq!(sent.unwrap().is_ok(), succeeds, "{script:?}");
        assert_eq!(server.scripted(), requests, "{script:?}");
        assert_eq!(server.connections(), connections, "{script:?}");
    }
}

/// The same if the server leaves a connection before its first request.
#[tokio::test]
async fn first_request_of_a_connection_that_the_server_leaves_is_sent_again() {
    for (code, succeeds) in [(NO_ERROR, true), (ENHANCE_YOUR_CALM, false)] {
        let server = Server::builder().leaves(code).start().await;
        let client = connect(server.config());
        let request = Request::post("/pods").body(Body::from(b"{}".to_vec()));
        let sent = timeout(Duration::from_secs(5), client.send(request.unwrap())).await;
        assert_eq!(sent.unwrap().is_ok(), succeeds, "{code}");
        assert_eq!(server.connections(), 1 + usize::from(succeeds), "{code}");
        assert_eq!(server.seen().len(), usize::from(succeeds), "{code}");
    }
}

/// A request whose body cannot be copied is not sent on a connection that the server is leaving.
#[tokio::test]
async fn streamed_bodies_are_sent_after_goaway() {
    let server = Server::start().await;
    let client = connect(server.config());
    let watched = watch(&client).await;
    let answers = join_all((0..3).map(|_| {
        let request = Request::get("/pods").body(Body::empty());
        client.send(request.unwrap())
    }))
    .await;
    server.go_away();
    sleep(Duration::from_millis(100)).await;
    for answer in answers {
        // An answer is a stream.
        let request = Request::post("/pods").body(answer.unwrap().into_body());
        let answer = client.send(request.unwrap()).await;
        assert_eq!(answer.unwrap().status(), 200);
    }
    assert_eq!(server.connections(), 2);
    drop(watched);
}

/// The text of an error says why the connection was lost, even without its causes.
#[tokio::test]
async fn errors_name_the_reason_of_a_lost_connection() {
    async fn failed(client: &kube::Client, meanwhile: impl FnOnce()) -> String {
        let request = || Request::post("/never").body(Body::empty()).unwrap();
        let (failed, ()) = tokio::join!(client.send(request()), async {
            sleep(Duration::from_millis(100)).await;
            meanwhile();
        });
        failed.unwrap_err().to_string()
    }

    let server = Server::start().await;
    let client = connect(server.config());
    get(&client, "/pods").await.unwrap();
    let text = failed(&client, || server.disconnect()).await;
    assert!(text.contains("lost: "), "{text}");
    let script = [Step::GoAway(ENHANCE_YOUR_CALM)];
    let calming = Server::builder().script(&script).start().await;
    let text = failed(&connect(calming.config()), || {}).await;
    assert!(text.contains("GOAWAY (ENHANCE_YOUR_CALM)"), "{text}");
    let proxy = server.proxy().await;
    let mut config = server.config();
    config.cluster_url = proxy.url("https");
    let text = failed(&connect(config), || proxy.swallow()).await;
    assert!(text.contains("keep-alive timed out"), "{text}");
}

#[tokio::test]
async fn requests_after_a_lost_connection_share_the_next_one() {
    let server = Server::start().await;
    let client = connect(server.config());
    let mut watched = watch(&client).await;
    server.disconnect();
    let ended = watched.0.body_mut().frame().await;
    assert!(ended.is_some_and(|frame| frame.is_err()));
    fifty_requests_succeed(&client).await;
    assert_eq!(server.connections(), 2);
}

/// A connection that the server is leaving still carries its watch.
#[tokio::test]
async fn requests_after_goaway_share_the_next_connection() {
    let server = Server::start().await;
    let client = connect(server.config());
    let mut watched = watch(&client).await;
    server.go_away();
    // With and without the time to notice.
    for pause in [0, 100] {
        sleep(Duration::from_millis(pause)).await;
        fifty_requests_succeed(&client).await;
    }
    assert_eq!(server.connections(), 2);
    let silent = timeout(Duration::from_millis(100), watched.0.body_mut().frame()).await;
    assert!(silent.is_err(), "the watch has ended");
}

/// Requests wait for a connection that takes longer to open than they would wait for its settings.
#[tokio::test]
async fn requests_share_a_connection_that_opens_slowly() {
    let delay = Duration::from_millis(1300);
    let server = Server::builder().handshake_delay(delay).start().await;
    let client = connect(server.config());
    // The request that opens the connection is given up.
    let mut first = Box::pin(get(&client, "/pods"));
    assert!(
        timeout(Duration::from_millis(50), &mut first)
            .await
            .is_err()
    );
    tokio::join!(fifty_requests_succeed(&client), async {
        sleep(Duration::from_millis(200)).await;
        drop(first);
    });
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn requests_share_the_failure_to_connect() {
    let server = Server::start().await;
    let mut config = server.config();
    config.root_cert = None;
    let client = connect(config);
    let answers = join_all((0..50).map(|_| get(&client, "/pods"))).await;
    for answer in answers {
        let error = answer.unwrap_err();
        let text: Vec<_> = error_chain(&error).map(ToString::to_string).collect();
        let text = text.join(": ");
        assert!(text.contains("certificate"), "{text}");
        let mut causes = error_chain(&error);
        let of_hyper = causes.find_map(|cause| cause.downcast_ref::<legacy::Error>());
        assert!(of_hyper.is_some_and(legacy::Error::is_connect), "{text}");
    }
    assert_eq!(server.connections(), 1);
    assert!(get(&client, "/pods").await.is_err());
    assert_eq!(server.connections(), 2);
}

/// With TLS 1.3, the client has connected when the server rejects its certificate.
#[tokio::test]
async fn requests_share_the_rejection_after_the_handshake() {
    let server = Server::builder().requires_certificate().start().await;
    let client = connect(server.config());
    let answers = join_all((0..50).map(|_| get(&client, "/pods"))).await;
    for answer in answers {
        let text = answer.unwrap_err().to_string();
        assert!(text.contains("CertificateRequired"), "{text}");
    }
    assert_eq!(server.connections(), 1);
}
