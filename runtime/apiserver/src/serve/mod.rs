//! [`Serving`]: an API server that listens on a TCP address.

mod kubeconfig;
mod patience;
#[cfg(test)]
mod tests;

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};
use tokio_util::task::TaskTracker;
use tower::Service as _;

use patience::Patient;

use crate::answer::ResponseBody;
use crate::server::ApiServer;

/// Time that open requests have to complete at shutdown.
const LAST_ANSWERS: Duration = Duration::from_secs(2);
/// Maximum time until the head of the next request arrives. Clients close idle connections sooner,
/// so the server does not close a connection that a client is about to use.
const HEAD: Duration = Duration::from_secs(120);
/// Maximum time for a client to read an answer that is not a watch.
const ANSWER: Duration = Duration::from_secs(30);
/// Maximum number of open connections. Further ones wait in the backlog of the listener. Each
/// request in progress has a connection, and so has each watch.
const MAX_CONNECTIONS: usize = 4096;
/// Pause after a failed `accept`, for example if there are no free file descriptors.
const AFTER_REFUSAL: Duration = Duration::from_millis(100);

impl ApiServer {
    /// Serves plain HTTP/1.1 at an address, for kubectl and programs in other processes.
    ///
    /// Requests without credentials have an administrator's permissions. The address should
    /// therefore be local to this machine: `([127, 0, 0, 1], 0)` is a free port of the loopback
    /// interface.
    ///
    /// At most 4,096 connections are open at a time; further ones wait. A connection is closed if
    /// its client sends no request for two minutes, or does not read an answer within 30 seconds.
    /// Clients may read watches slowly.
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
        connections.accept(listener, self.clone(), Limits::default());
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

/// Limits of a listener.
#[derive(Clone, Copy)]
struct Limits {
    connections: usize,
    answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: MAX_CONNECTIONS,
            answer: ANSWER,
        }
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
    fn accept(&self, listener: TcpListener, server: ApiServer, limits: Limits) {
        let (stop, close, tasks) = (self.stop.clone(), self.close.clone(), self.tasks.clone());
        let free = Arc::new(Semaphore::new(limits.connections));
        self.tasks.spawn(async move {
            loop {
                let accepted = async {
                    let slot = Arc::clone(&free).acquire_owned().await;
                    (slot, listener.accept().await)
                };
                let Some((slot, accepted)) = stop.run_until_cancelled(accepted).await else {
                    return;
                };
                match accepted {
                    Ok((stream, _)) => {
                        let connection = AcceptedConnection {
                            server: server.clone(),
                            stop: stop.clone(),
                            answer: limits.answer,
                        };
                        let served = async move {
                            connection.serve(stream).await;
                            drop(slot);
                        };
                        tasks.spawn(close.clone().run_until_cancelled_owned(served));
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

struct AcceptedConnection {
    server: ApiServer,
    stop: CancellationToken,
    /// Maximum time for the client to read an answer.
    answer: Duration,
}

impl AcceptedConnection {
    async fn serve(self, stream: TcpStream) {
        let Self {
            server,
            stop,
            answer,
        } = self;
        // Responses are small and written at once. Nagle's algorithm would only delay them.
        let _ = stream.set_nodelay(true);
        let watching = Arc::new(AtomicBool::new(false));
        let stream = Patient::new(TokioIo::new(stream), answer, Arc::clone(&watching));
        let service = service_fn(|request| {
            let mut server = server.clone();
            let (stop, watching) = (stop.clone(), Arc::clone(&watching));
            async move {
                let response = server.call(request).await?;
                let is_watch = response.body().size_hint().exact().is_none();
                watching.store(is_watch, Ordering::Relaxed);
                let stop = is_watch.then(|| Box::pin(stop.cancelled_owned()));
                Ok::<_, std::io::Error>(response.map(|body| Served { body, stop }))
            }
        });
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .serve_connection(stream, service);
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
