//! Connection handling: accepts until shutdown, with one task per connection.

use std::time::Duration;

use http_body::Body as _;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use super::body::Served;
use crate::server::ApiServer;

/// Timeout for the head of a request, including the idle time of the connection. It is longer than
/// clients keep idle connections.
const HEAD: Duration = Duration::from_secs(120);
/// Pause after a failed `accept`, for example without free file descriptors.
const AFTER_REFUSAL: Duration = Duration::from_millis(100);

/// Listener and open connections. Dropping it closes all of them.
#[derive(Debug, Default)]
pub(super) struct Connections {
    /// Cancelled to stop accepting connections and requests.
    stop: CancellationToken,
    /// Cancelled to drop the connections.
    close: CancellationToken,
    tasks: TaskTracker,
}

impl Connections {
    /// Accepts connections until [`Self::shutdown`].
    pub(super) fn accept(&self, listener: TcpListener, server: ApiServer) {
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
    pub(super) async fn shutdown(self, grace: Duration) {
        self.stop.cancel();
        self.tasks.close();
        let ended = tokio::time::timeout(grace, self.tasks.wait()).await;
        if ended.is_err() {
            self.close.cancel();
            self.tasks.wait().await;
        }
    }

    #[cfg(test)]
    pub(super) fn tasks(&self) -> usize {
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
    // Responses are small and written at once.
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
