//! Listening sockets of a manager's HTTP/1.1 servers, their connections, plain or with TLS, and
//! their responses.

use std::io::{self, ErrorKind};
use std::net::{self, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures::FutureExt;
use futures::future::BoxFuture;
use genclient::http_server::{ConnectionLimits, Connections};
use http::header::{CONTENT_TYPE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderValue, Request, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use socket2::{Domain, Socket, Type};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;

/// Maximum time between two requests of a connection. kube-apiserver keeps connections to webhooks
/// for 90 s, as Go's `http.DefaultTransport` does, and controller-runtime's servers also close them
/// after 90 s. A longer time leaves it to the client to close them: it may have sent a request on a
/// connection that the server closes at the same time.
const IDLE_TIMEOUT: Duration = Duration::from_secs(100);
/// Maximum time for a TLS handshake.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);
/// Maximum number of connections that wait to be accepted, as in tokio.
const LISTEN_BACKLOG: i32 = 1024;

/// Returns `[::]` with this port: every IPv6 and IPv4 address of the host.
#[cfg(any(feature = "flags", feature = "webhook"))]
pub(crate) fn unspecified_address(port: u16) -> SocketAddr {
    (Ipv6Addr::UNSPECIFIED, port).into()
}

/// Binds a non-blocking listener. As for Go's `net.Listen`, `[::]` is every IPv6 and IPv4 address
/// of the host, or every IPv4 address on a host without IPv6.
pub(crate) fn bind_listener(address: SocketAddr) -> io::Result<net::TcpListener> {
    match bind_socket(address) {
        Err(error) if address.ip() == Ipv6Addr::UNSPECIFIED && is_without_ipv6(&error) => {
            bind_socket((Ipv4Addr::UNSPECIFIED, address.port()).into())
        }
        bound => bound,
    }
}

fn bind_socket(address: SocketAddr) -> io::Result<net::TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, None)?;
    if address.ip() == Ipv6Addr::UNSPECIFIED {
        socket.set_only_v6(false)?;
    }
    // As in the standard library, so that a restarted program can bind its port again.
    #[cfg(not(windows))]
    socket.set_reuse_address(true)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(LISTEN_BACKLOG)?;
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

/// Returns the handshake of connections without TLS, which does nothing.
pub(crate) fn plain_handshake() -> Handshake {
    Arc::new(|stream| async { Ok(Box::new(stream) as Box<dyn Stream>) }.boxed())
}

/// Accepts connections from a listener until the server stops.
pub(crate) fn serve_connections(
    connections: &Connections,
    listener: TcpListener,
    handshake: Handshake,
    handler: Handler,
) {
    connections.serve(
        listener,
        ConnectionLimits::with_idle_timeout(IDLE_TIMEOUT),
        move |stream| complete_handshake(handshake(stream)),
        move |request, _| handler(request).map(Ok),
    );
}

/// Returns the stream of a connection, unless the handshake fails or takes too long.
async fn complete_handshake(
    handshake: BoxFuture<'static, io::Result<Box<dyn Stream>>>,
) -> Option<Box<dyn Stream>> {
    match timeout(HANDSHAKE_TIMEOUT, handshake).await {
        Ok(Ok(stream)) => Some(stream),
        Ok(Err(error)) => {
            tracing::debug!(%error, "TLS handshake failed");
            None
        }
        Err(_) => {
            tracing::debug!(
                "TLS handshake timed out after {} s",
                HANDSHAKE_TIMEOUT.as_secs()
            );
            None
        }
    }
}

pub(crate) fn text_response(status: StatusCode, text: impl Into<Bytes>) -> Response {
    build_response(status, "text/plain; charset=utf-8", text)
}

pub(crate) fn build_response(
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
    use super::*;

    #[cfg(any(feature = "flags", feature = "webhook"))]
    #[test]
    fn unspecified_address_listens_on_ipv4_and_ipv6() {
        let listener = bind_listener(unspecified_address(0)).expect("a port is free");
        let address = listener.local_addr().expect("it is bound");
        let v4 = net::TcpStream::connect((Ipv4Addr::LOCALHOST, address.port()));
        assert!(v4.is_ok(), "{v4:?}");
        if address.is_ipv6() {
            let v6 = net::TcpStream::connect((Ipv6Addr::LOCALHOST, address.port()));
            assert!(v6.is_ok(), "{v6:?}");
        }
        let taken = bind_listener(address).map_err(|error| error.kind());
        assert!(matches!(taken, Err(ErrorKind::AddrInUse)), "{taken:?}");
    }
}
