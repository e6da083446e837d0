//! Tests of limits and shutdown over TCP.

use std::net::{Ipv4Addr, SocketAddr};

use bytes::Bytes;
use http_body_util::Full;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::DropGuard;

use super::*;

const LIMITS: ConnectionLimits = ConnectionLimits {
    max_connections: 4096,
    header_timeout: Duration::from_secs(32),
    idle_timeout: Duration::from_secs(100),
    write_timeout: Duration::from_secs(30),
};
/// Size of an answer in bytes that is more than the buffers of both sockets hold.
const SIZE: usize = 64 << 20;

async fn bind_listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Serves answers of `size` bytes at a free port.
async fn start(limits: ConnectionLimits, size: usize) -> (Connections, SocketAddr) {
    let (listener, address) = bind_listener().await;
    let connections = Connections::default();
    connections.serve(listener, limits, plain, move |_, _| async move {
        Ok(Response::new(Full::<Bytes>::from(vec![b'x'; size])))
    });
    (connections, address)
}

async fn send(address: SocketAddr) -> TcpStream {
    let mut stream = TcpStream::connect(address)
        .await
        .expect("the server listens");
    stream
        .write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        .await
        .expect("the server reads");
    stream
}

/// Waits until only this number of tasks runs: the listener, and one task per connection.
async fn wait_for_tasks(connections: &Connections, count: usize) {
    for _ in 0..500 {
        if connections.task_count() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} tasks", connections.task_count());
}

#[tokio::test]
async fn clients_that_do_not_read_their_answer_are_disconnected() {
    let limits = ConnectionLimits {
        write_timeout: Duration::from_secs(2),
        ..LIMITS
    };
    let (connections, address) = start(limits, SIZE).await;
    let silent = send(address).await;
    wait_for_tasks(&connections, 2).await;
    // A client that reads a little now and then is no better.
    let mut slow = send(address).await;
    let reading = tokio::spawn(async move {
        let mut some = [0; 1024];
        while let Ok(1..) = slow.read(&mut some).await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let mut reader = send(address).await;
    let mut answer = vec![0; SIZE];
    let read = reader.read_exact(&mut answer).await;
    assert_eq!(read.map_err(|error| error.kind()), Ok(answer.len()));
    drop(reader);
    wait_for_tasks(&connections, 1).await;
    reading.abort();
    drop(silent);
}

#[tokio::test]
async fn connections_beyond_the_limit_wait() {
    let limits = ConnectionLimits {
        max_connections: 2,
        ..LIMITS
    };
    let (connections, address) = start(limits, 1).await;
    let idle = [send(address).await, send(address).await];
    wait_for_tasks(&connections, 3).await;
    let mut third = send(address).await;
    let mut answer = [0; 12];
    let pause = Duration::from_millis(100);
    let early = tokio::time::timeout(pause, third.read_exact(&mut answer)).await;
    assert!(early.is_err(), "{early:?}");
    drop(idle);
    let read = third.read_exact(&mut answer).await;
    assert!(read.is_ok(), "{read:?}");
    assert_eq!(&answer, b"HTTP/1.1 200");
}

/// A client that may read slowly keeps its connection, and has a deadline again for a later answer.
#[tokio::test]
async fn write_deadline_can_be_disabled_for_one_answer() {
    let limits = ConnectionLimits {
        write_timeout: Duration::from_millis(200),
        ..LIMITS
    };
    let (listener, address) = bind_listener().await;
    let connections = Connections::default();
    connections.serve(listener, limits, plain, |request, connection| async move {
        connection.set_write_deadline_enabled(request.uri().path() != "/slow");
        Ok(Response::new(Full::<Bytes>::from(vec![b'x'; SIZE])))
    });
    let mut client = TcpStream::connect(address).await.expect("it accepts");
    for (path, is_read) in [("/slow", true), ("/", false)] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\n\r\n");
        let sent = client.write_all(request.as_bytes()).await;
        sent.expect("the server reads");
        tokio::time::sleep(Duration::from_secs(1)).await;
        let mut answer = Vec::new();
        while answer.len() <= SIZE {
            match client.read_buf(&mut answer).await {
                Ok(1..) => {}
                _ => break,
            }
        }
        assert_eq!(answer.len() > SIZE, is_read, "{path}");
    }
    wait_for_tasks(&connections, 1).await;
}

/// Advances the clock while the connections of a server are idle.
async fn advance(duration: Duration) {
    // The server notices what has arrived.
    tokio::time::sleep(Duration::from_millis(100)).await;
    tokio::time::pause();
    tokio::time::advance(duration).await;
    tokio::time::resume();
}

/// A connection without a request, and heads that arrive byte by byte, end after the time for a
/// head.
#[tokio::test]
async fn heads_have_a_deadline() {
    let (connections, address) = start(LIMITS, 1).await;
    let silent = TcpStream::connect(address).await;
    let mut slow = TcpStream::connect(address)
        .await
        .expect("the server listens");
    let sent = slow.write_all(b"GET / HT").await;
    assert!(sent.is_ok() && silent.is_ok());
    // The first request does not extend the time for the second head.
    let mut second = send(address).await;
    let mut answer = [0; 12];
    let read = second.read_exact(&mut answer).await;
    assert!(read.is_ok(), "{read:?}");
    let sent = second.write_all(b"GET / HT").await;
    assert!(sent.is_ok());
    wait_for_tasks(&connections, 4).await;
    advance(LIMITS.header_timeout / 2).await;
    wait_for_tasks(&connections, 4).await;
    let sent = second.write_all(b"TP/1.1").await;
    assert!(sent.is_ok());
    advance(LIMITS.header_timeout / 2 + Duration::from_secs(1)).await;
    wait_for_tasks(&connections, 1).await;
}

/// After an answer, a connection is kept for longer than the time for a head. It is closed without
/// an error.
#[tokio::test]
async fn idle_connections_have_a_deadline_of_their_own() {
    let (connections, address) = start(LIMITS, 1).await;
    let mut client = send(address).await;
    let mut answer = Vec::new();
    for round in 0..3 {
        while !answer.ends_with(b"\r\n\r\nx") {
            let read = client.read_buf(&mut answer).await;
            assert!(matches!(read, Ok(1..)), "{read:?}");
        }
        answer.clear();
        let idle = LIMITS.idle_timeout - Duration::from_secs(1);
        advance(if round < 2 { idle } else { LIMITS.idle_timeout }).await;
        if round < 2 {
            let sent = client.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n").await;
            assert!(sent.is_ok(), "{sent:?}");
        }
    }
    assert_eq!(
        client.read_buf(&mut answer).await.map_err(|it| it.kind()),
        Ok(0)
    );
    wait_for_tasks(&connections, 1).await;
}

/// After the shutdown timeout, no handler holds on to its data.
#[tokio::test]
async fn stop_waits_for_the_end_of_dropped_connections() {
    let (listener, address) = bind_listener().await;
    let (begun, dropped) = (CancellationToken::new(), CancellationToken::new());
    let guard: Arc<DropGuard> = Arc::new(dropped.clone().drop_guard());
    let begins = begun.clone();
    let connections = Connections::default();
    connections.serve(listener, LIMITS, plain, move |_, _| {
        begins.cancel();
        let guard = Arc::clone(&guard);
        async move {
            std::future::pending::<()>().await;
            drop(guard);
            Ok(Response::new(Full::<Bytes>::default()))
        }
    });
    let mut client = TcpStream::connect(address).await.expect("it accepts");
    let sent = client.write_all(b"GET / HTTP/1.1\r\n\r\n").await;
    sent.expect("it reads");
    begun.cancelled().await;
    connections.stop(Duration::ZERO).await;
    assert!(dropped.is_cancelled());
}
