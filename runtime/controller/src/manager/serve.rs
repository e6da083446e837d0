//! [`Servers`]: probes and metrics over HTTP.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use genclient::metrics::prometheus::Registry;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::check::{Check, Checks};
use crate::error::SetupError;
use crate::failure::panic_message;

/// How long the head of a request may take.
const HEAD: Duration = Duration::from_secs(32);
/// How long requests that are being answered may take at the end.
const LAST_ANSWERS: Duration = Duration::from_secs(1);
/// The pause after a connection could not be accepted, say for want of file descriptors.
const AFTER_REFUSAL: Duration = Duration::from_millis(100);

/// The servers of a manager, bound and not serving yet.
#[derive(Debug, Default)]
pub(super) struct Servers {
    probes: Option<TcpListener>,
    metrics: Option<TcpListener>,
}

/// Servers that serve.
pub(super) struct Serving {
    stop: CancellationToken,
    connections: TaskTracker,
}

type Answer = Response<Full<Bytes>>;
type Routes = Arc<dyn Fn(&Request<Incoming>) -> Answer + Send + Sync>;

impl Servers {
    /// Binds the addresses, so that one that is taken is an error at once. Port 0 is one that is
    /// free.
    pub(super) async fn bind(
        probes: Option<SocketAddr>,
        metrics: Option<SocketAddr>,
    ) -> Result<Self, SetupError> {
        Ok(Self {
            probes: bind("the server of probes", probes).await?,
            metrics: bind("the server of metrics", metrics).await?,
        })
    }

    pub(super) fn probes_address(&self) -> Option<SocketAddr> {
        self.probes.as_ref()?.local_addr().ok()
    }

    pub(super) fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref()?.local_addr().ok()
    }

    pub(super) fn start(self, checks: Checks, registry: Registry) -> Serving {
        let serving = Serving {
            stop: CancellationToken::new(),
            connections: TaskTracker::new(),
        };
        if let Some(listener) = self.probes {
            serving.serve(listener, Arc::new(move |request| probe(&checks, request)));
        }
        if let Some(listener) = self.metrics {
            serving.serve(
                listener,
                Arc::new(move |request| metrics(&registry, request)),
            );
        }
        serving
    }
}

async fn bind(
    server: &'static str,
    address: Option<SocketAddr>,
) -> Result<Option<TcpListener>, SetupError> {
    let Some(address) = address else {
        return Ok(None);
    };
    let listener = TcpListener::bind(address).await;
    let listener = listener.map_err(|error| SetupError::Listen {
        server,
        address: address.to_string(),
        error,
    })?;
    Ok(Some(listener))
}

impl Serving {
    fn serve(&self, listener: TcpListener, routes: Routes) {
        let (stop, connections) = (self.stop.clone(), self.connections.clone());
        self.connections.spawn(async move {
            loop {
                let accepted = tokio::select! {
                    () = stop.cancelled() => return,
                    accepted = listener.accept() => accepted,
                };
                match accepted {
                    Ok((stream, _)) => {
                        let stream = TokioIo::new(stream);
                        let (stop, routes) = (stop.clone(), Arc::clone(&routes));
                        connections.spawn(async move { converse(stream, routes, &stop).await });
                    }
                    Err(error) => {
                        tracing::warn!(%error, "a connection was not accepted");
                        tokio::time::sleep(AFTER_REFUSAL).await;
                    }
                }
            }
        });
    }

    /// Takes no connections any more, and waits for answers that are under way.
    pub(super) async fn stop(self) {
        self.stop.cancel();
        self.connections.close();
        // What is left is dropped with the runtime: a client that does not read.
        let _ = tokio::time::timeout(LAST_ANSWERS, self.connections.wait()).await;
    }
}

async fn converse(
    stream: TokioIo<tokio::net::TcpStream>,
    routes: Routes,
    stop: &CancellationToken,
) {
    let service = service_fn(move |request| {
        let answer = routes(&request);
        async move { Ok::<_, Infallible>(answer) }
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
            tokio::time::timeout(LAST_ANSWERS, connection).await.unwrap_or(Ok(()))
        }
    };
    if let Err(error) = ended {
        let error: &dyn std::error::Error = &error;
        tracing::debug!(error, "a connection ended");
    }
}

fn metrics(registry: &Registry, request: &Request<Incoming>) -> Answer {
    if request.uri().path() != "/metrics" {
        return answer(StatusCode::NOT_FOUND, "404 page not found\n".to_owned());
    }
    let mut answer = answer(StatusCode::OK, registry.encode());
    let format = HeaderValue::from_static("text/plain; version=0.0.4; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, format);
    answer
}

/// Answers as controller-runtime's `healthz.Handler`.
fn probe(checks: &Checks, request: &Request<Incoming>) -> Answer {
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return answer(StatusCode::METHOD_NOT_ALLOWED, "use GET\n".to_owned());
    }
    let path = request.uri().path().trim_matches('/');
    let (root, name) = path.split_once('/').unwrap_or((path, ""));
    let checks = match root {
        "healthz" => &checks.healthz,
        "readyz" => &checks.readyz,
        _ => return answer(StatusCode::NOT_FOUND, "404 page not found\n".to_owned()),
    };
    if !name.is_empty() {
        return match checks.get(name) {
            None => answer(StatusCode::NOT_FOUND, "404 page not found\n".to_owned()),
            Some(check) => match asked(check) {
                Ok(()) => answer(StatusCode::OK, "ok".to_owned()),
                Err(error) => answer(
                    StatusCode::INTERNAL_SERVER_ERROR,
                    format!("internal server error: {error}\n"),
                ),
            },
        };
    }
    let query = request.uri().query().unwrap_or_default();
    let is_verbose = query
        .split('&')
        .any(|pair| pair.split('=').next() == Some("verbose"));
    let excluded: Vec<_> = query
        .split('&')
        .filter_map(|pair| pair.strip_prefix("exclude="))
        .collect();
    let (mut text, mut is_well) = (String::new(), true);
    for (name, check) in checks {
        // Writing to a string cannot fail.
        let _ = if excluded.contains(&&**name) {
            writeln!(text, "[+]{name} excluded: ok")
        } else if asked(check).is_ok() {
            writeln!(text, "[+]{name} ok")
        } else {
            is_well = false;
            writeln!(text, "[-]{name} failed: reason withheld")
        };
    }
    for name in excluded.iter().filter(|name| !checks.contains_key(**name)) {
        let _ = writeln!(
            text,
            "warn: some health checks cannot be excluded: no matches for {name:?}"
        );
    }
    match (is_well, is_verbose) {
        (true, false) => answer(StatusCode::OK, "ok".to_owned()),
        (true, true) => answer(StatusCode::OK, format!("{text}{root} check passed\n")),
        (false, _) => answer(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("{text}{root} check failed\n"),
        ),
    }
}

/// A check that panics has failed.
fn asked(check: &Check) -> Result<(), String> {
    let asked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
    match asked {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("the check panicked: {}", panic_message(&*panic))),
    }
}

fn answer(status: StatusCode, text: String) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from(text)));
    *answer.status_mut() = status;
    let plain = HeaderValue::from_static("text/plain; charset=utf-8");
    answer.headers_mut().insert(CONTENT_TYPE, plain);
    let as_is = HeaderValue::from_static("nosniff");
    answer
        .headers_mut()
        .insert(http::header::X_CONTENT_TYPE_OPTIONS, as_is);
    answer
}
