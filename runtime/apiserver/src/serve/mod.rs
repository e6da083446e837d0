//! [`Serving`]: an API server that listens on a TCP address.

mod kubeconfig;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use genclient::http_server::{ConnectionLimits, Connections, plain};
use http_body::{Body, Frame, SizeHint};
use tokio::net::TcpListener;
use tokio_util::sync::WaitForCancellationFutureOwned;
use tower::Service as _;

use crate::api_response::ResponseBody;
use crate::server::ApiServer;

/// Time that open requests have to complete at shutdown.
const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(2);
/// Maximum time between two requests of a connection. client-go closes idle connections after 90 s,
/// and genclient's own client after 15 minutes. The server leaves it to them, since it could close
/// a connection on which a client has just sent a request. kube-apiserver closes connections after
/// 90 s (`secure_serving.go`).
const IDLE_TIMEOUT: Duration = Duration::from_secs(20 * 60);

impl ApiServer {
    /// Serves plain HTTP/1.1 at an address, for kubectl and programs in other processes.
    ///
    /// Requests without credentials have an administrator's permissions. The address should
    /// therefore be local to this machine: `([127, 0, 0, 1], 0)` is a free port of the loopback
    /// interface.
    ///
    /// At most 4,096 connections are open at a time; further ones wait. A connection is closed if
    /// its client sends no request for 20 minutes, takes more than 32 seconds to send the head of a
    /// request, or does not read an answer within 30 seconds. Clients may read watches slowly.
    ///
    /// # Errors
    ///
    /// If the address cannot be bound.
    ///
    /// # Example
    ///
    /// ```
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use genclient_apiserver::ApiServer;
    ///
    /// let server = ApiServer::builder().build()?;
    /// let serving = server.serve(([127, 0, 0, 1], 0)).await?;
    /// assert!(serving.kubeconfig().contains(&serving.url()));
    /// serving.shutdown().await;
    /// # Ok(())
    /// # }
    /// ```
    pub async fn serve(&self, address: impl Into<SocketAddr>) -> io::Result<Serving> {
        let listener = TcpListener::bind(address.into()).await?;
        let address = listener.local_addr()?;
        Ok(Serving {
            address,
            connections: serve_connections(
                listener,
                self,
                ConnectionLimits::with_idle_timeout(IDLE_TIMEOUT),
            ),
        })
    }
}

/// API server that listens on a TCP address, from [`ApiServer::serve`]. On drop, it stops listening
/// and closes every connection.
#[derive(Debug)]
#[must_use = "dropping it closes every connection"]
pub struct Serving {
    address: SocketAddr,
    connections: Connections,
}

impl Serving {
    /// Returns the address that the server listens on.
    pub fn addr(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of the server, such as `http://127.0.0.1:34567`.
    pub fn url(&self) -> String {
        let mut address = self.address;
        // On some systems, clients cannot connect to the unspecified address.
        if address.ip().is_unspecified() {
            address.set_ip(match address {
                SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
                SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
            });
        }
        format!("http://{address}")
    }

    /// Returns a kubeconfig with the URL of the server and a user without credentials.
    pub fn kubeconfig(&self) -> String {
        kubeconfig::render_kubeconfig(&self.url())
    }

    /// Writes [`kubeconfig`](Self::kubeconfig) to a file that only its owner can read.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<()> {
        kubeconfig::write_private(path.as_ref(), &self.kubeconfig())
    }

    /// Stops listening, ends watches and waits for open requests. Requests that take longer than
    /// two seconds are cut off.
    pub async fn shutdown(self) {
        self.connections.stop(SHUTDOWN_TIMEOUT).await;
    }
}

/// Listens on a socket, and answers requests with a server.
fn serve_connections(
    listener: TcpListener,
    server: &ApiServer,
    limits: ConnectionLimits,
) -> Connections {
    let connections = Connections::default();
    let server = server.clone();
    connections.serve(listener, limits, plain, move |request, connection| {
        let mut server = server.clone();
        async move {
            let response = server.call(request).await?;
            let is_watch = response.body().size_hint().exact().is_none();
            connection.set_write_deadline_enabled(!is_watch);
            let stop = is_watch.then(|| Box::pin(connection.stop().cancelled_owned()));
            Ok(response.map(|body| ServedBody { body, stop }))
        }
    });
    connections
}

/// Response body. The body of a watch ends when the server shuts down.
struct ServedBody {
    body: ResponseBody,
    stop: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

impl Body for ServedBody {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            return Poll::Ready(frame);
        }
        match &mut self.stop {
            Some(stop) => stop.as_mut().poll(cx).map(|()| None),
            None => Poll::Pending,
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
