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
use http_body::{Body, Frame, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::TaskTracker;
use tower::Service as _;

use crate::answer::ResponseBody;
use crate::server::ApiServer;

/// Time that open requests have to complete at shutdown.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// Maximum time until the head of the next request arrives. Clients close idle connections sooner,
/// so the server does not close a connection that a client is about to use.
const HEAD: Duration = Duration::from_secs(120);
/// Pause after a failed `accept`, for example if there are no free file descriptors.
const AFTER_REFUSAL: Duration = Duration::from_millis(100);

impl ApiServer {
    /// Serves plain HTTP/1.1 at an address, for kubectl and programs in other processes.
    ///
    /// Requests without credentials have an administrator's permissions. The address should
    /// therefore be local to this machine: `([127, 0, 0, 1], 0)` is a free port of the loopback
    /// interface.
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
        let connections = Connections::default();
        connections.accept(listener, self.clone());
        Ok(Serving {
            address,
            connections,
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
        kubeconfig::text(&self.url())
    }

    /// Writes [`kubeconfig`](Self::kubeconfig) to a file that only its owner can read.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn write_kubeconfig(&self, path: impl AsRef<Path>) -> io::Result<()> {
        kubeconfig::write(path.as_ref(), &self.kubeconfig())
    }

    /// Stops listening, ends watches and waits for open requests. Requests that take longer than
    /// two seconds are cut off.
    pub async fn shutdown(self) {
        self.connections.shutdown(LAST_ANSWERS).await;
    }
}

/// Listener and open connections, which all close on drop.
#[derive(Debug, Default)]
struct Connections {
    /// Cancelled to stop accepting connections and to end watches.
    stop: CancellationToken,
    /// Cancelled to drop the connections that are still open.
    close: CancellationToken,
    tasks: TaskTracker,
}

impl Connections {
    /// Accepts connections until [`Self::shutdown`].
    fn accept(&self, listener: TcpListener, server: ApiServer) {
        let (stop, close, tasks) = (self.stop.clone(), self.close.clone(), self.tasks.clone());
        self.tasks.spawn(async move {
            loop {
                let accepted = tokio::select! {
                    () = stop.cancelled() => return,
                    accepted = listener.accept() => accepted,
                };
                match accepted {
                    Ok((stream, _)) => {
                        let connection = serve_connection(stream, server.clone(), stop.clone());
                        tasks.spawn(close.clone().run_until_cancelled_owned(connection));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection was not accepted");
                        tokio::time::sleep(AFTER_REFUSAL).await;
                    }
                }
            }
        });
    }

    /// Stops accepting and waits for open requests. Connections that remain after `grace` are
    /// dropped.
    async fn shutdown(self, grace: Duration) {
        self.stop.cancel();
        self.tasks.close();
        let ended = tokio::time::timeout(grace, self.tasks.wait()).await;
        if ended.is_err() {
            self.close.cancel();
            self.tasks.wait().await;
        }
    }

    #[cfg(test)]
    fn tasks(&self) -> usize {
        self.tasks.len()
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        self.stop.cancel();
        self.close.cancel();
    }
}

async fn serve_connection(stream: TcpStream, server: ApiServer, stop: CancellationToken) {
    // Responses are small and written at once. Nagle's algorithm would only delay them.
    let _ = stream.set_nodelay(true);
    let service = service_fn(|request| {
        let mut server = server.clone();
        let stop = stop.clone();
        async move {
            let response = server.call(request).await?;
            let is_watch = response.body().size_hint().exact().is_none();
            let stop = is_watch.then(|| Box::pin(stop.cancelled_owned()));
            Ok::<_, std::io::Error>(response.map(|body| Served { body, stop }))
        }
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), service);
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
        tracing::debug!(error, "a connection ended");
    }
}

/// Response body. The body of a watch ends when the server shuts down.
struct Served {
    body: ResponseBody,
    stop: Option<Pin<Box<WaitForCancellationFutureOwned>>>,
}

impl Body for Served {
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
