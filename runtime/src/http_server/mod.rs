//! HTTP/1.1 server of genclient's crates: connections and their limits, graceful shutdown. It is
//! not part of the public API.

mod deadlines;
#[cfg(test)]
mod tests;

use std::error::Error;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{Request, Response};
use http_body::Body;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::BoxError;

use deadlines::{Deadlines, Exchanges, Timeouts};

/// Minimum time between two logs about the maximum number of connections.
const LIMIT_LOG_INTERVAL: Duration = Duration::from_secs(60);
/// Pause after a failed `accept`, for example when the process is out of file descriptors.
const ACCEPT_RETRY_PAUSE: Duration = Duration::from_millis(100);

/// Number and times of the connections of one listener.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionLimits {
    /// Maximum number of open connections. Further ones wait in the backlog of the listener.
    /// Without HTTP/2, it is also the maximum number of concurrent requests.
    pub max_connections: usize,
    /// Maximum time to receive the head of a request, from its first byte, or from the start of the
    /// connection: Go's `ReadHeaderTimeout`.
    pub header_timeout: Duration,
    /// Maximum time between a response and the first byte of the next request: Go's `IdleTimeout`.
    /// It should be longer than the idle timeout of the clients. Otherwise, the server may close a
    /// connection on which a client has just sent a request.
    pub idle_timeout: Duration,
    /// Maximum time for a client to read a response.
    pub write_timeout: Duration,
}

/// Listeners and open connections of a server. They are closed when the value is dropped, even if
/// requests are unanswered.
#[derive(Debug, Default)]
pub struct Connections {
    /// Cancelled to end the listeners and background tasks, and each open connection after its
    /// current request.
    stop: CancellationToken,
    /// Cancelled to drop the open connections.
    close: CancellationToken,
    tasks: TaskTracker,
}

/// The connection of a request.
#[derive(Clone, Debug)]
pub struct Connection {
    stop: CancellationToken,
    has_write_deadline: Arc<AtomicBool>,
}

/// Permits of the open connections of a listener.
struct ConnectionPermits {
    free: Arc<Semaphore>,
    max_connections: usize,
    logged: Option<Instant>,
}

impl ConnectionLimits {
    /// 4,096 connections, 32 s for the head of a request as in kube-apiserver and
    /// controller-runtime, and 30 s to read a response.
    #[must_use]
    pub fn with_idle_timeout(idle_timeout: Duration) -> Self {
        Self {
            max_connections: 4096,
            header_timeout: Duration::from_secs(32),
            idle_timeout,
            write_timeout: Duration::from_secs(30),
        }
    }
}

impl Connections {
    /// Accepts connections from a listener until [`Self::stop`]. `handshake` turns an accepted TCP
    /// connection into the stream for HTTP, or closes it. If `handler` panics, the connection is
    /// closed.
    pub fn serve<S, B, O, A>(
        &self,
        listener: TcpListener,
        limits: ConnectionLimits,
        handshake: impl Fn(TcpStream) -> O + Send + 'static,
        handler: impl Fn(Request<Incoming>, Connection) -> A + Clone + Send + Sync + 'static,
    ) where
        S: AsyncRead + AsyncWrite + Send + Unpin + 'static,
        B: Body<Data: Send, Error: Into<BoxError>> + Send + Unpin + 'static,
        O: Future<Output = Option<S>> + Send + 'static,
        A: Future<Output = io::Result<Response<B>>> + Send + 'static,
    {
        let (stop, close, tasks) = (self.stop.clone(), self.close.clone(), self.tasks.clone());
        let mut permits = ConnectionPermits::new(limits.max_connections);
        self.tasks.spawn(async move {
            loop {
                let accepted = async { (permits.acquire().await, listener.accept().await) };
                let Some((permit, accepted)) = stop.run_until_cancelled(accepted).await else {
                    return;
                };
                match accepted {
                    Ok((stream, _)) => {
                        // Responses are written at once. Nagle's algorithm would only delay them.
                        let _ = stream.set_nodelay(true);
                        let (opened, handler) = (handshake(stream), handler.clone());
                        let stop = stop.clone();
                        let served = async move {
                            if let Some(Some(stream)) = stop.run_until_cancelled(opened).await {
                                serve_connection(stream, limits, stop, handler).await;
                            }
                            drop(permit);
                        };
                        tasks.spawn(close.clone().run_until_cancelled_owned(served));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "failed to accept connection");
                        sleep(ACCEPT_RETRY_PAUSE).await;
                    }
                }
            }
        });
    }

    /// Runs a background task of the server, until [`Self::stop`].
    pub fn spawn(&self, task: impl Future<Output = ()> + Send + 'static) {
        let task = self.stop.clone().run_until_cancelled_owned(task);
        self.tasks.spawn(task);
    }

    /// Returns the number of listeners, open connections and background tasks.
    pub fn task_count(&self) -> usize {
        self.tasks.len()
    }

    /// Stops accepting connections, and waits until open requests are answered. Connections that
    /// remain after `shutdown_timeout` are dropped.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, all connections are closed at once.
    pub async fn stop(self, shutdown_timeout: Duration) {
        self.stop.cancel();
        self.tasks.close();
        if timeout(shutdown_timeout, self.tasks.wait()).await.is_err() {
            self.close.cancel();
            self.tasks.wait().await;
        }
    }
}

impl Drop for Connections {
    fn drop(&mut self) {
        self.stop.cancel();
        self.close.cancel();
    }
}

impl Connection {
    /// Returns a token that is cancelled when the server stops. A response that would not end has
    /// to end then.
    pub fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    /// Sets whether [`ConnectionLimits::write_timeout`] applies to the responses on this
    /// connection, from the current one on. Default: true.
    pub fn set_write_deadline_enabled(&self, is_enabled: bool) {
        self.has_write_deadline.store(is_enabled, Ordering::Relaxed);
    }
}

/// Returns the stream of a connection without TLS, for [`Connections::serve`].
pub async fn plain(stream: TcpStream) -> Option<TcpStream> {
    Some(stream)
}

impl ConnectionPermits {
    fn new(max_connections: usize) -> Self {
        Self {
            free: Arc::new(Semaphore::new(max_connections)),
            max_connections,
            logged: None,
        }
    }

    /// Waits for a permit. Meanwhile, new connections wait in the backlog of the listener.
    async fn acquire(&mut self) -> Option<OwnedSemaphorePermit> {
        let is_due = self
            .logged
            .is_none_or(|at| at.elapsed() > LIMIT_LOG_INTERVAL);
        if self.free.available_permits() == 0 && is_due {
            tracing::warn!(
                max_connections = self.max_connections,
                "too many connections; further ones have to wait"
            );
            self.logged = Some(Instant::now());
        }
        // The semaphore is never closed.
        Arc::clone(&self.free).acquire_owned().await.ok()
    }
}

/// Answers the requests of one connection.
async fn serve_connection<B, A>(
    stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static,
    limits: ConnectionLimits,
    stop: CancellationToken,
    handler: impl Fn(Request<Incoming>, Connection) -> A,
) where
    B: Body<Data: Send, Error: Into<BoxError>> + Send + Unpin + 'static,
    A: Future<Output = io::Result<Response<B>>>,
{
    let connection = Connection {
        stop: stop.clone(),
        has_write_deadline: Arc::new(AtomicBool::new(true)),
    };
    let exchanges = Exchanges::default();
    let timeouts = Timeouts {
        header: limits.header_timeout,
        idle: limits.idle_timeout,
        write: limits.write_timeout,
    };
    let has_write_deadline = Arc::clone(&connection.has_write_deadline);
    let stream = Deadlines::new(stream, timeouts, exchanges.clone(), has_write_deadline);
    let service = service_fn(|request| {
        let exchange = exchanges.begin();
        let answer = handler(request, connection.clone());
        async move { Ok::<_, io::Error>(answer.await?.map(|body| exchange.hold(body))) }
    });
    let served = http1::Builder::new()
        // `Deadlines` distinguishes idle connections from slow heads.
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(stream), service);
    let mut served = std::pin::pin!(served);
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = stop.cancelled() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        let error: &dyn Error = &error;
        tracing::debug!(error, "connection failed");
    }
}
