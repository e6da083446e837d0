//! Tests of HTTP/2: its negotiation, pings, and the limit of concurrent requests.

use std::time::Duration;

use futures::future::join_all;
use http::Version;
use http_body_util::BodyExt;
use tokio::time::{Instant, timeout};

use super::server::Server;
use super::{connect, get, watch};

#[tokio::test]
async fn requests_share_one_connection() {
    let server = Server::start().await;
    let client = connect(server.config());
    // All at once, before there is a connection.
    let answers = join_all((0..50).map(|_| get(&client, "/pods"))).await;
    assert!(answers.into_iter().all(|status| status.unwrap() == 200));
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
    );
    assert!(gets.await.unwrap().into_iter().all(|it| it.unwrap() == 200));
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
    let silent = timeout(Duration::from_millis(2500), watched.0.body_mut().frame());
    assert!(silent.await.is_err(), "the watch has ended");
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
