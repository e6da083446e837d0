//! HTTP/1.1 server: listening sockets, plain and TLS connections, limits, graceful shutdown.

mod write_deadline;

use std::convert::Infallible;
use std::io::{self, ErrorKind};
use std::net::{self, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Request, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use socket2::{Domain, Socket, Type};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use write_deadline::WriteDeadline;

/// Maximum time to receive the head of a request, including idle time of the connection before it.
const HEAD: Duration = Duration::from_secs(32);
/// Maximum time for a TLS handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Maximum time for a client to read an answer.
const WRITE: Duration = Duration::from_secs(30);
/// Maximum number of open connections of a listener. Without HTTP/2, it is also the maximum number
/// of concurrent requests; three API servers with kube-apiserver's default limits send fewer.
const MAX_CONNECTIONS: usize = 4096;
/// Minimum time between two logs about the maximum number of connections.
const BETWEEN_LOGS: Duration = Duration::from_secs(60);
/// Pause after a failed `accept`, for example when the process is out of file descriptors.
const AFTER_REFUSAL: Duration = Duration::from_millis(100);
/// Maximum number of connections that wait to be accepted, as in tokio.
const BACKLOG: i32 = 1024;

/// Returns `[::]` with this port: every IPv6 and IPv4 address of the host.
#[cfg(any(feature = "flags", feature = "webhook"))]
pub(crate) fn everywhere(port: u16) -> SocketAddr {
    (Ipv6Addr::UNSPECIFIED, port).into()
}

/// Binds a non-blocking listener. As for Go's `net.Listen`, `[::]` is every IPv6 and IPv4 address
/// of the host, or every IPv4 address on a host without IPv6.
pub(crate) fn listen(address: SocketAddr) -> io::Result<net::TcpListener> {
    match bind(address) {
        Err(error) if address.ip() == Ipv6Addr::UNSPECIFIED && is_without_ipv6(&error) => {
            bind((Ipv4Addr::UNSPECIFIED, address.port()).into())
        }
        bound => bound,
    }
}

fn bind(address: SocketAddr) -> io::Result<net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    if address.ip() == Ipv6Addr::UNSPECIFIED {
        socket.set_only_v6(false)?;
    }
    // As in the standard library, so that a restarted program can bind its port again.
    #[cfg(not(windows))]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(BACKLOG)?;
    Ok(socket.into())
}

/// Whether `[::]` could not be bound because the host has no IPv6. Hosts report this with different
/// error kinds, so every kind counts, except two that have other causes.
fn is_without_ipv6(error: &io::Error) -> bool {
    !matches!(
        error.kind(),
        ErrorKind::AddrInUse | ErrorKind::PermissionDenied
    )
}

pub(crate) type Response = http::Response<Full<Bytes>>;

/// Function that answers a request. If it panics, the connection is closed.
pub(crate) type Handler =
    Arc<dyn Fn(Request<Incoming>) -> BoxFuture<'static, Response> + Send + Sync>;

/// Function that turns an accepted TCP connection into the stream for HTTP, for example by a TLS
/// handshake.
pub(crate) type Handshake =
    Arc<dyn Fn(TcpStream) -> BoxFuture<'static, io::Result<Box<dyn Stream>>> + Send + Sync>;

/// A connection, plain or encrypted.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> Stream for S {}

/// Listeners and open connections of a server. They are closed when the value is dropped.
#[derive(Debug, Default)]
pub(crate) struct Connections {
    /// Cancelled to end the listeners and background tasks, and each open connection after its
    /// current request.
    stop: CancellationToken,
    /// Cancelled to drop the open connections.
    close: CancellationToken,
    tasks: TaskTracker,
}

/// Returns the handshake of plain HTTP, which does nothing.
pub(crate) fn plain() -> Handshake {
    Arc::new(|stream| async { Ok(Box::new(stream) as Box<dyn Stream>) }.boxed())
}

/// Limits of a listener.
#[derive(Clone, Copy)]
struct Limits {
    connections: usize,
    write: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: MAX_CONNECTIONS,
            write: WRITE,
        }
    }
}

/// Slots of the open connections of a listener.
struct Slots {
    free: Arc<Semaphore>,
    most: usize,
    logged: Option<Instant>,
}

impl Slots {
    fn new(most: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(most)),
            most,
            logged: None,
        }
    }

    /// Waits for a slot. Meanwhile, new connections wait in the backlog of the listener.
    async fn take(&mut self) -> Option<OwnedSemaphorePermit> {
        let is_due = self.logged.is_none_or(|at| at.elapsed() > BETWEEN_LOGS);
        if self.free.available_permits() == 0 && is_due {
            tracing::warn!(
                most = self.most,
                "too many connections; further ones have to wait"
            );
            self.logged = Some(Instant::now());
        }
        // The semaphore is never closed.
        Arc::clone(&self.free).acquire_owned().await.ok()
    }
}

impl Connections {
    /// Accepts connections from a listener until [`Self::stop`].
    pub(crate) fn serve(&self, listener: TcpListener, handshake: Handshake, handler: Handler) {
        self.serve_with(listener, handshake, handler, Limits::default());
    }

    fn serve_with(
        &self,
        listener: TcpListener,
        handshake: Handshake,
        handler: Handler,
        limits: Limits,
    ) {
        let (stop, close, tasks) = (self.stop.clone(), self.close.clone(), self.tasks.clone());
        let mut slots = Slots::new(limits.connections);
        self.tasks.spawn(async move {
            loop {
                let accepted = async { (slots.take().await, listener.accept().await) };
                let Some((slot, accepted)) = stop.run_until_cancelled(accepted).await else {
                    return;
                };
                match accepted {
                    Ok((stream, _)) => {
                        let connection = AcceptedConnection {
                            handler: handler.clone(),
                            stop: stop.clone(),
                            write: limits.write,
                        };
                        let served = connection.serve(handshake(stream));
                        let served = async move {
                            served.await;
                            drop(slot);
                        };
                        tasks.spawn(close.clone().run_until_cancelled_owned(served));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "failed to accept connection");
                        tokio::time::sleep(AFTER_REFUSAL).await;
                    }
                }
            }
        });
    }

    /// Runs a background task of the server, until [`Self::stop`].
    pub(crate) fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let task = self.stop.clone().run_until_cancelled_owned(task);
        self.tasks.spawn(task);
    }

    /// Stops accepting connections, and waits until open requests are answered. Connections that
    /// remain after `grace` are dropped.
    pub(crate) async fn stop(self, grace: Duration) {
        self.stop.cancel();
        self.tasks.close();
        if tokio::time::timeout(grace, self.tasks.wait())
            .await
            .is_err()
        {
            self.close.cancel();
            self.tasks.wait().await;
        }
    }
}

impl Drop for Connections {
    /// Stops accepting connections, and drops the open ones, even if requests are unanswered.
    fn drop(&mut self) {
        self.stop.cancel();
        self.close.cancel();
    }
}

struct AcceptedConnection {
    handler: Handler,
    stop: CancellationToken,
    /// Maximum time for the client to read an answer.
    write: Duration,
}

impl AcceptedConnection {
    async fn serve(self, handshake: BoxFuture<'static, io::Result<Box<dyn Stream>>>) {
        let Self {
            handler,
            stop,
            write,
        } = self;
        let handshake = tokio::time::timeout(HANDSHAKE, handshake);
        let stream = match stop.run_until_cancelled(handshake).await {
            Some(Ok(Ok(stream))) => stream,
            Some(Ok(Err(error))) => {
                tracing::debug!(%error, "TLS handshake failed");
                return;
            }
            Some(Err(_)) => {
                tracing::debug!("TLS handshake timed out after {} s", HANDSHAKE.as_secs());
                return;
            }
            None => return,
        };
        let service = service_fn(|request| handler(request).map(Ok::<_, Infallible>));
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(TokioIo::new(WriteDeadline::new(stream, write)), service);
        let mut connection = std::pin::pin!(connection);
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            let error: &dyn std::error::Error = &error;
            tracing::debug!(error, "connection failed");
        }
    }
}

pub(crate) fn text(status: StatusCode, text: impl Into<Bytes>) -> Response {
    response(status, "text/plain; charset=utf-8", text)
}

pub(crate) fn response(
    status: StatusCode,
    content_type: &'static str,
    body: impl Into<Bytes>,
) -> Response {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio_util::sync::DropGuard;

    use super::*;

    #[cfg(any(feature = "flags", feature = "webhook"))]
    #[test]
    fn unspecified_address_listens_on_ipv4_and_ipv6() {
        let listener = listen(everywhere(0)).expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let v4 = net::TcpStream::connect((Ipv4Addr::LOCALHOST, address.port()));
        assert!(v4.is_ok(), "{v4:?}");
        if address.is_ipv6() {
            let v6 = net::TcpStream::connect((Ipv6Addr::LOCALHOST, address.port()));
            assert!(v6.is_ok(), "{v6:?}");
        }
        let taken = listen(address).map_err(|error| error.kind());
        assert!(matches!(taken, Err(ErrorKind::AddrInUse)), "{taken:?}");
    }

    /// Serves answers of `size` bytes at a free port.
    async fn serve(limits: Limits, size: usize) -> (Connections, SocketAddr) {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let connections = Connections::default();
        let handler: Handler =
            Arc::new(move |_| async move { text(StatusCode::OK, vec![b'x'; size]) }.boxed());
        connections.serve_with(listener, plain(), handler, limits);
        (connections, address)
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
            if connections.tasks.len() == count {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("{} tasks", connections.tasks.len());
    }

    #[tokio::test]
    async fn clients_that_do_not_read_their_answer_are_disconnected() {
        let limits = Limits {
            write: Duration::from_secs(2),
            ..Limits::default()
        };
        // More than the buffers of both sockets hold.
        let (connections, address) = serve(limits, 64 << 20).await;
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
        let limits = Limits {
            connections: 2,
            ..Limits::default()
        };
        let (connections, address) = serve(limits, 1).await;
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
        let (connections, address) = serve(Limits::default(), 1).await;
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
        tokio::time::advance(HEAD + Duration::from_secs(1)).await;
        tokio::time::resume();
        tasks(&connections, 1).await;
    }

    /// After the grace, no handler holds on to its data.
    #[tokio::test]
    async fn stop_waits_for_the_end_of_dropped_connections() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await;
        let listener = listener.expect("the host has a loopback address");
        let address = listener.local_addr().expect("the listener is bound");
        let (begun, dropped) = (CancellationToken::new(), CancellationToken::new());
        let guard: Arc<DropGuard> = Arc::new(dropped.clone().drop_guard());
        let begins = begun.clone();
        let handler: Handler = Arc::new(move |_| {
            begins.cancel();
            let guard = Arc::clone(&guard);
            async move {
                std::future::pending::<()>().await;
                drop(guard);
                text(StatusCode::OK, "")
            }
            .boxed()
        });
        let connections = Connections::default();
        connections.serve(listener, plain(), handler);
        let mut client = TcpStream::connect(address).await.expect("it accepts");
        let sent = client.write_all(b"GET / HTTP/1.1\r\n\r\n").await;
        sent.expect("it reads");
        begun.cancelled().await;
        connections.stop(Duration::ZERO).await;
        assert!(dropped.is_cancelled());
    }
}
