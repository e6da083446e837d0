//! Tests of connections to a server of this process, over TCP and TLS.

mod credentials;
mod http2;
mod server;

use std::time::Duration;

use http::Request;
use http_body_util::BodyExt;
use kube::client::Body;
use kube::{Client, Config};
use tokio::time::timeout;

use super::build_service_with;
use super::pings::Pings;
use server::{Server, Watched};

/// Short settings, so that the tests take seconds.
const PINGS: Pings = Pings {
    idle: Some(Duration::from_millis(500)),
    timeout: Duration::from_millis(500),
};

fn connect(config: Config) -> Client {
    let namespace = config.default_namespace.clone();
    Client::new(build_service_with(config, PINGS).unwrap(), namespace)
}

/// Sends a request and returns the status of the response, after its body.
async fn get(client: &Client, path: &str) -> kube::Result<u16> {
    let request = Request::get(path).body(Body::empty()).unwrap();
    let (head, body) = client.send(request).await?.into_parts();
    body.collect().await?;
    Ok(head.status.as_u16())
}

/// Opens a watch, whose response never ends.
async fn watch(client: &Client) -> Watched {
    let request = Request::get("/pods?watch=true").body(Body::empty());
    let sending = client.send(request.unwrap());
    let response = timeout(Duration::from_secs(10), sending).await;
    Watched(response.expect("the watch waits for a connection").unwrap())
}

#[tokio::test]
async fn upgrades_have_a_connection_of_their_own_with_http1() {
    let server = Server::start().await;
    let client = connect(server.config());
    get(&client, "/pods").await.unwrap();
    let request = Request::get("/exec")
        .header("connection", "upgrade")
        .header("upgrade", "websocket")
        .body(Body::empty());
    let response = client.send(request.unwrap()).await.unwrap();
    assert_eq!(response.status(), 101);
    assert!(
        response
            .extensions()
            .get::<hyper::upgrade::OnUpgrade>()
            .is_some()
    );
    let seen = server.seen();
    assert_eq!(seen[0].version, http::Version::HTTP_2);
    assert_eq!(seen[1].version, http::Version::HTTP_11);
}

/// Over HTTP/1.1, no ping shows that a connection is dead. Once a request has waited in vain, other
/// idle connections are not used any more.
#[tokio::test]
async fn idle_http1_connections_are_not_trusted_after_silence() {
    let server = Server::start().await;
    let proxy = server.proxy().await;
    let client = connect(Config::new(proxy.url("http")));
    // Two connections, of which one becomes idle.
    let watched = watch(&client).await;
    assert!(watched.is_unpinged());
    get(&client, "/pods").await.unwrap();
    proxy.swallow();
    tokio::time::sleep(Duration::from_millis(600)).await;
    drop(watched);
    let answered = timeout(Duration::from_secs(5), get(&client, "/pods")).await;
    assert_eq!(answered.unwrap().unwrap(), 200);
}

/// A write that waits in vain is not sent again.
#[tokio::test]
async fn writes_that_time_out_are_not_repeated() {
    let server = Server::start().await;
    let client = crate::client::builder(server.config())
        .response_timeout(Some(Duration::from_millis(300)))
        .connect()
        .unwrap();
    let request = Request::post("/never").body(Vec::new()).unwrap();
    let failed = client
        .request::<serde_json::Value>(request)
        .await
        .unwrap_err();
    assert!(matches!(failed, kube::Error::Service(_)), "{failed}");
    assert_eq!(server.seen().len(), 1);
    // The connection itself is still in use.
    assert_eq!(get(&client, "/pods").await.unwrap(), 200);
    assert_eq!(server.connections(), 1);
}
