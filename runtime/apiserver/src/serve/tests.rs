//! Tests of connections and shutdown over TCP.

use genclient::kube::api::{Api, PostParams};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::*;
use crate::eventually::eventually;
use crate::route::Verb;

async fn start() -> (ApiServer, Serving) {
    let server = ApiServer::builder().build().unwrap();
    let serving = server.serve(([127, 0, 0, 1], 0)).await.unwrap();
    (server, serving)
}

/// Starts a server with an object of about 1 MiB, `big`, in the namespace `default`.
async fn start_with(limits: ConnectionLimits) -> (ApiServer, Serving) {
    let server = ApiServer::builder().build().unwrap();
    let maps: Api<ConfigMap> = Api::namespaced(server.client(), "default");
    let mut big = ConfigMap::default();
    big.metadata.name = Some("big".to_owned());
    big.data = Some([("x".to_owned(), "x".repeat(1_000_000))].into());
    maps.create(&PostParams::default(), &big).await.unwrap();
    let listener = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    let serving = Serving {
        address,
        connections: serve_connections(listener, &server, limits),
    };
    (server, serving)
}

async fn send(serving: &Serving, request: &str) -> TcpStream {
    let mut stream = TcpStream::connect(serving.addr()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// Waits until this number of tasks runs: the listener, and one task per connection.
async fn tasks(serving: &Serving, count: usize) {
    eventually(format!("{count} tasks"), async || {
        match serving.connections.task_count() {
            tasks if tasks == count => Ok(()),
            tasks => Err(tasks),
        }
    })
    .await
    .unwrap();
}

const WATCH: &str = "GET /api/v1/namespaces?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n";

#[tokio::test]
async fn connections_are_kept_alive_between_requests() {
    let (_server, serving) = start().await;
    let request = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut stream = send(&serving, request).await;
    for _ in 0..3 {
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\nok") {
            assert_ne!(stream.read_buf(&mut answer).await.unwrap(), 0);
        }
        stream.write_all(request.as_bytes()).await.unwrap();
    }
    tasks(&serving, 2).await;
    drop(stream);
    tasks(&serving, 1).await;
}

#[tokio::test]
async fn disconnecting_client_cancels_its_watches_and_requests() {
    let (server, serving) = start().await;
    server.fail(Verb::Get, "pods").hang();
    let get = "GET /api/v1/namespaces/default/pods/a HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut watch = send(&serving, WATCH).await;
    let hanging = send(&serving, get).await;
    let mut first = [0; 12];
    watch.read_exact(&mut first).await.unwrap();
    assert_eq!(&first, b"HTTP/1.1 200");
    tasks(&serving, 3).await;
    drop(watch);
    tasks(&serving, 2).await;
    drop(hanging);
    tasks(&serving, 1).await;
}

#[tokio::test]
async fn shutdown_ends_watches_and_drops_hanging_requests() {
    let (server, serving) = start().await;
    server.fail(Verb::Get, "pods").hang();
    let mut watch = send(&serving, WATCH).await;
    let _hanging = send(
        &serving,
        "GET /api/v1/namespaces/default/pods/a HTTP/1.1\r\nHost: x\r\n\r\n",
    )
    .await;
    let mut first = [0; 1];
    watch.read_exact(&mut first).await.unwrap();
    let address = serving.addr();
    serving.shutdown().await;
    let mut rest = String::new();
    watch.read_to_string(&mut rest).await.unwrap();
    assert!(rest.ends_with("\r\n0\r\n\r\n"), "{rest}");
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn dropping_the_server_closes_its_connections() {
    let (_server, serving) = start().await;
    let mut watch = send(&serving, WATCH).await;
    let mut first = [0; 1];
    watch.read_exact(&mut first).await.unwrap();
    let address = serving.addr();
    drop(serving);
    let mut rest = Vec::new();
    // It does not matter whether the body ends or the connection breaks.
    let _ = watch.read_to_end(&mut rest).await;
    let refused = async || TcpStream::connect(address).await.is_err();
    eventually("no listener", refused).await.unwrap();
}

#[tokio::test]
async fn oversized_request_bodies_are_rejected() {
    let (_server, serving) = start().await;
    let head = "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\n\r\n";
    let mut stream = send(&serving, head).await;
    let (mut reader, mut writer) = stream.split();
    let write = async {
        let _ = writer.write_all(&vec![b' '; 4_000_000]).await;
    };
    let mut answer = [0; 12];
    let (_, read) = tokio::join!(write, reader.read_exact(&mut answer));
    read.unwrap();
    assert_eq!(&answer, b"HTTP/1.1 413");
}

/// Requests whose bodies do not arrive take no seat from others.
#[tokio::test]
async fn bodies_that_do_not_arrive_delay_no_others() {
    let (server, serving) = start().await;
    let head = "POST /api/v1/namespaces HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{";
    let in_flight = &server.state.in_flight;
    let others = u32::try_from(in_flight.available_permits() - 2).unwrap();
    let _others = in_flight.acquire_many(others).await.unwrap();
    let mut hanging = Vec::new();
    for _ in 0..3 {
        hanging.push(send(&serving, head).await);
    }
    tasks(&serving, 4).await;
    let get = "GET /api/v1/namespaces HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut stream = send(&serving, get).await;
    let mut answer = [0; 12];
    tokio::time::timeout(Duration::from_secs(10), stream.read_exact(&mut answer))
        .await
        .unwrap()
        .unwrap();
    assert_eq!(&answer, b"HTTP/1.1 200");
}

/// Sends a request on a connection whose client side buffers little.
async fn send_unread(serving: &Serving, request: &str) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut stream = socket.connect(serving.addr()).await.unwrap();
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

#[tokio::test]
async fn watches_may_be_read_slowly() {
    let limits = ConnectionLimits {
        write_timeout: Duration::from_millis(200),
        ..ConnectionLimits::with_idle_timeout(IDLE_TIMEOUT)
    };
    let (server, serving) = start_with(limits).await;
    let watch = "GET /api/v1/configmaps?watch=1 HTTP/1.1\r\nHost: x\r\n\r\n";
    let mut stream = send_unread(&serving, watch).await;
    let maps: Api<ConfigMap> = Api::namespaced(server.client(), "default");
    let mut big = maps.get("big").await.unwrap();
    for round in 0..20 {
        big.metadata.labels = Some([("round".to_owned(), round.to_string())].into());
        big = maps
            .replace("big", &PostParams::default(), &big)
            .await
            .unwrap();
    }
    tokio::time::sleep(Duration::from_secs(1)).await;
    let mut answer = Vec::new();
    let is_last = |answer: &[u8]| {
        let mut windows = answer.windows(12);
        windows.any(|bytes| bytes == b"\"round\":\"19\"")
    };
    loop {
        let before = answer.len().saturating_sub(12);
        let read = stream.read_buf(&mut answer).await.unwrap();
        assert_ne!(read, 0, "the watch has ended");
        if is_last(&answer[before..]) {
            return;
        }
    }
}
