//! Tests of limits and shutdown over TCP.

use std::net::{Ipv4Addr, SocketAddr};

use bytes::Bytes;
use http_body_util::Full;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio_util::sync::DropGuard;

use super::*;

const LIMITS: ConnectionLimits = ConnectionLimits {
    connections: 4096,
    head: Duration::from_secs(32),
    answer: Duration::from_secs(30),
};

async fn listener() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    (listener, address)
}

/// Serves answers of `size` bytes at a free port.
async fn start(limits: ConnectionLimits, size: usize) -> (Connections, SocketAddr) {
    let (listener, address) = listener().await;
    let connections = Connections::default();
    connections.serve(listener, limits, plain, move |_, _| async move {
        Ok(Response::new(Full::<Bytes>::from(vec![b'x'; size])))
    });
    (connections, address)
}

async fn plain(stream: TcpStream) -> Option<TcpStream> {
    Some(stream)
}

async fn send(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).await;
    let mut stream = stream.expect("the server listens");
    let sent = stream.write_all(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    sent.await.expect("the server reads");
    stream
}

/// Waits until only this number of tasks runs: the listener, and one task per connection.
async fn tasks(connections: &Connections, count: usize) {
    for _ in 0..500 {
        if connections.tasks() == count {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{} tasks", connections.tasks());
}

#[tokio::test]
async fn clients_that_do_not_read_their_answer_are_disconnected() {
    let limits = ConnectionLimits {
        answer: Duration::from_secs(2),
        ..LIMITS
    };
    // More than the buffers of both sockets hold.
    let (connections, address) = start(limits, 64 << 20).await;
    let silent = send(address).await;
    tasks(&connections, 2).await;
    // A client that reads a little now and then is no better.
    let mut slow = send(address).await;
    let reading = tokio::spawn(async move {
        let mut some = [0; 1024];
        while let Ok(1..) = slow.read(&mut some).await {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    let mut reader = send(address).await;
    let mut answer = vec![0; 64 << 20];
    let read = reader.read_exact(&mut answer).await;
    assert_eq!(read.map_err(|error| error.kind()), Ok(answer.len()));
    drop(reader);
    tasks(&connections, 1).await;
    reading.abort();
    drop(silent);
}

#[tokio::test]
async fn connections_beyond_the_limit_wait() {
    let limits = ConnectionLimits {
        connections: 2,
        ..LIMITS
    };
    let (connections, address) = start(limits, 1).await;
    let idle = [send(address).await, send(address).await];
    tasks(&connections, 3).await;
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

/// Idle connections, and heads that arrive byte by byte, end after the time for a head.
#[tokio::test]
async fn heads_have_a_deadline() {
    let (connections, address) = start(LIMITS, 1).await;
    let idle = TcpStream::connect(address).await;
    let mut slow = TcpStream::connect(address)
        .await
        .expect("the server listens");
    let sent = slow.write_all(b"GET / HT").await;
    assert!(sent.is_ok() && idle.is_ok());
    tasks(&connections, 3).await;
    // Both connections wait for a head.
    tokio::time::sleep(Duration::from_millis(100)).await;
    tokio::time::pause();
    tokio::time::advance(LIMITS.head + Duration::from_secs(1)).await;
    tokio::time::resume();
    tasks(&connections, 1).await;
}

/// After the grace, no handler holds on to its data.
#[tokio::test]
async fn stop_waits_for_the_end_of_dropped_connections() {
    let (listener, address) = listener().await;
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
