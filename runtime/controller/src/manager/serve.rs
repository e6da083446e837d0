//! [`Servers`]: HTTP servers of probes and metrics.

use std::collections::BTreeMap;
use std::convert::identity;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use futures::future::{self, BoxFuture};
use genclient::http_server::Connections;
use genclient::metrics::prometheus::Registry;
use genclient::panics::panic_message;
use http::{Method, Request, StatusCode};
use hyper::body::Incoming;
use tokio::net::TcpListener;

use super::check::{Checks, NamedCheck};
use crate::component::Check;
use crate::error::SetupError;
use crate::http_listener::{
    Handler, Handshake, Response, bind_listener, build_response, plain_handshake,
    serve_connections, text_response,
};
use crate::process;

/// Maximum wait at shutdown for requests in progress.
pub(super) const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(1);

/// The servers of a manager, bound but not serving yet.
pub(super) struct Servers {
    probes: Option<TcpListener>,
    metrics: Option<TcpListener>,
    pub(super) protection: Option<Protection>,
}

pub(super) struct Serving {
    connections: Connections,
}

/// TLS and authorization of the metrics.
pub(super) struct Protection {
    pub(super) handshake: Handshake,
    /// Refuses clients that may not read the metrics.
    pub(super) guard: Option<Guard>,
    /// Renews the certificate until the future is dropped.
    pub(super) renewal: BoxFuture<'static, ()>,
}

pub(super) type Guard =
    Arc<dyn Fn(&Request<Incoming>) -> BoxFuture<'static, Result<(), Response>> + Send + Sync>;

impl Servers {
    /// Binds the addresses, so that an address in use is an error before the run. Port 0 selects a
    /// free port.
    pub(super) fn bind(
        probes: Option<SocketAddr>,
        metrics: Option<SocketAddr>,
    ) -> Result<Self, SetupError> {
        Ok(Self {
            probes: bind_server("the probe server", probes)?,
            metrics: bind_server("the metrics server", metrics)?,
            protection: None,
        })
    }

    pub(super) fn probes_address(&self) -> Option<SocketAddr> {
        self.probes.as_ref()?.local_addr().ok()
    }

    pub(super) fn metrics_address(&self) -> Option<SocketAddr> {
        self.metrics.as_ref()?.local_addr().ok()
    }

    pub(super) fn start(self, checks: Checks, registry: Registry) -> Serving {
        let connections = Connections::default();
        if let Some(listener) = self.probes {
            let handler: Handler =
                Arc::new(move |it| future::ready(respond_to_probe(&checks, &it)).boxed());
            serve_connections(&connections, listener, plain_handshake(), handler);
        }
        if let Some(listener) = self.metrics {
            let (handshake, guard) = match self.protection {
                None => (plain_handshake(), None),
                Some(protection) => {
                    connections.spawn(protection.renewal);
                    (protection.handshake, protection.guard)
                }
            };
            let handler: Handler = Arc::new(move |request| {
                let guarded = guard.as_ref().map(|guard| guard(&request));
                let registry = registry.clone();
                async move {
                    match guarded {
                        Some(guarded) => guarded
                            .await
                            .map_or_else(identity, |()| respond_with_metrics(&registry, &request)),
                        None => respond_with_metrics(&registry, &request),
                    }
                }
                .boxed()
            });
            serve_connections(&connections, listener, handshake, handler);
        }
        Serving { connections }
    }
}

fn bind_server(
    server: &'static str,
    address: Option<SocketAddr>,
) -> Result<Option<TcpListener>, SetupError> {
    let Some(address) = address else {
        return Ok(None);
    };
    let listener = bind_listener(address)
        .and_then(TcpListener::from_std)
        .map_err(|error| SetupError::Listen {
            server,
            address: address.to_string(),
            error,
        })?;
    Ok(Some(listener))
}

impl Serving {
    /// Stops accepting connections, and waits until open requests are answered.
    pub(super) async fn stop(self, timeout: Duration) {
        self.connections.stop(timeout).await;
    }
}

fn respond_with_metrics(registry: &Registry, request: &Request<Incoming>) -> Response {
    if request.uri().path() != "/metrics" {
        return text_response(StatusCode::NOT_FOUND, "404 page not found\n");
    }
    let format = "text/plain; version=0.0.4; charset=utf-8";
    build_response(
        StatusCode::OK,
        format,
        registry.encode() + &process::encode_metrics(),
    )
}

/// Answers a probe as controller-runtime's `healthz.Handler` does.
fn respond_to_probe(checks: &Checks, request: &Request<Incoming>) -> Response {
    if ![Method::GET, Method::HEAD].contains(request.method()) {
        return text_response(StatusCode::METHOD_NOT_ALLOWED, "use GET\n");
    }
    let path = request.uri().path().trim_matches('/');
    let (root, name) = path.split_once('/').unwrap_or((path, ""));
    let checks = match root {
        "healthz" => checks.healthz.all(),
        "readyz" => checks.readyz.all(),
        _ => return text_response(StatusCode::NOT_FOUND, "404 page not found\n"),
    };
    if name.is_empty() {
        return respond_to_probe_of_all(root, &checks, request.uri().query().unwrap_or_default());
    }
    match checks.get(name) {
        None => text_response(StatusCode::NOT_FOUND, "404 page not found\n"),
        Some(named) => match run_check(&named.check) {
            Ok(()) => text_response(StatusCode::OK, "ok"),
            Err(error) => text_response(
                StatusCode::INTERNAL_SERVER_ERROR,
                format!("internal server error: {error}\n"),
            ),
        },
    }
}

/// Answers for all checks, except those that the query excludes and those that run only if a probe
/// requests them by name.
fn respond_to_probe_of_all(
    root: &str,
    checks: &BTreeMap<String, NamedCheck>,
    query: &str,
) -> Response {
    let is_verbose = query
        .split('&')
        .any(|pair| pair.split('=').next() == Some("verbose"));
    let excluded: Vec<_> = query
        .split('&')
        .filter_map(|pair| pair.strip_prefix("exclude="))
        .collect();
    let (mut lines, mut is_well) = (String::new(), true);
    for (name, NamedCheck { check, .. }) in checks.iter().filter(|(_, named)| !named.only_by_name) {
        // Writing to a string cannot fail.
        let _ = if excluded.contains(&&**name) {
            writeln!(lines, "[+]{name} excluded: ok")
        } else if run_check(check).is_ok() {
            writeln!(lines, "[+]{name} ok")
        } else {
            is_well = false;
            writeln!(
                lines,
                "[-]{name} failed: reason withheld; see /{root}/{name}"
            )
        };
    }
    for name in excluded.iter().filter(|name| !checks.contains_key(**name)) {
        let _ = writeln!(
            lines,
            "warn: some health checks cannot be excluded: no matches for {name:?}"
        );
    }
    match (is_well, is_verbose) {
        (true, false) => text_response(StatusCode::OK, "ok"),
        (true, true) => text_response(StatusCode::OK, format!("{lines}{root} check passed\n")),
        (false, _) => text_response(
            StatusCode::INTERNAL_SERVER_ERROR,
            format!("{lines}{root} check failed\n"),
        ),
    }
}

/// Runs a check. A check that panics has failed.
fn run_check(check: &Check) -> Result<(), String> {
    let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(check));
    match ended {
        Ok(result) => result.map_err(|error| error.to_string()),
        Err(panic) => Err(format!("the check panicked: {}", panic_message(&*panic))),
    }
}
