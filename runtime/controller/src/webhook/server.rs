//! [`WebhookServer`]: HTTPS server of webhooks, as a component of a manager.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use genclient::http_server::Connections;
use genclient::metrics::Provider;
use tokio_util::sync::CancellationToken;
use tower::ServiceExt as _;

use super::certificates::{
    CaBundleTarget, CertRotator, CertificateSource, Certificates, Readiness, RotatorState,
};
#[cfg(feature = "flags")]
use super::flags::WebhookFlags;
use super::webhooks::Webhooks;
use crate::component::{Component, Run, Task};
use crate::error::SetupError;
use crate::failure::BoxError;
use crate::http_listener::{
    Handler, Handshake, bind_listener, serve_connections, unspecified_address,
};
use crate::setup::Setup;
use crate::tls::{Files, ServingCertificate};

/// Default port, as in controller-runtime.
const DEFAULT_PORT: u16 = 9443;
/// Name of the component, and of its readiness check.
const COMPONENT_NAME: &str = "webhooks";
/// Maximum wait at shutdown for requests in progress.
const LAST_ANSWERS_TIMEOUT: Duration = Duration::from_secs(10);

/// Serves [`Webhooks`] over TLS, on every replica.
///
/// The server starts before the caches sync, because listing objects may need its conversions. It
/// stops last. `/readyz/webhooks` fails until the server listens and has a certificate. If the
/// program issues the certificate, the check also fails until the webhook configurations and
/// CustomResourceDefinitions in the cluster have the authority as `caBundle`.
///
/// While it serves conversions, `/readyz` does not wait for the caches, which may wait for it: to
/// list objects, the API server calls the conversion through the Service, which sends requests only
/// to ready Pods. `/readyz/caches` still reports the caches.
///
/// ```no_run
/// use genclient_controller::webhook::{Certificates, WebhookServer, Webhooks};
/// use genclient_controller::{Manager, SetupError};
///
/// fn add(manager: &mut Manager, webhooks: Webhooks) -> Result<(), SetupError> {
///     let certificates = Certificates::own("webhook-certificate").service("webhook-service");
///     manager.add(WebhookServer::new(webhooks, certificates))?;
///     Ok(())
/// }
/// ```
#[derive(Debug)]
#[must_use = "a server does nothing until it is added to a manager"]
pub struct WebhookServer {
    webhooks: Webhooks,
    certificates: Certificates,
    /// The error tells why the server listens only if it has a `listener`.
    address: Result<SocketAddr, &'static str>,
    listener: Option<TcpListener>,
    client_authorities: Option<Vec<u8>>,
}

impl WebhookServer {
    /// Creates a server on port 9443 of every address. If `webhooks` is empty, the server does not
    /// listen, as in controller-runtime.
    pub fn new(webhooks: Webhooks, certificates: Certificates) -> Self {
        Self {
            webhooks,
            certificates,
            address: Ok(unspecified_address(DEFAULT_PORT)),
            listener: None,
            client_authorities: None,
        }
    }

    /// Creates a server from the flags of a program. With `--webhook-bind-address=0`, nothing is
    /// served. Neither is it outside of a cluster, unless one of the flags
    /// `--webhook-bind-address`, `--webhook-url` and `--webhook-cert-path` is set: an API server
    /// would call another program.
    #[cfg(feature = "flags")]
    pub fn from_flags(webhooks: Webhooks, flags: &WebhookFlags) -> Self {
        Self {
            address: flags.address(unspecified_address(DEFAULT_PORT)),
            ..Self::new(webhooks, flags.certificates())
        }
    }

    /// Sets the address. Default: port 9443 of every address.
    pub fn bind_address(mut self, address: SocketAddr) -> Self {
        self.address = Ok(address);
        self
    }

    /// Sets a listening socket to use instead of an address.
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Sets the authorities of client certificates, as PEM. A client has to present a certificate
    /// that one of them has signed. Default: every client may call.
    pub fn client_authorities(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.client_authorities = Some(pem.into());
        self
    }
}

struct Server {
    listener: TcpListener,
    handler: Handler,
    handshake: Handshake,
    source: Renewal,
}

/// Renewal of the certificate.
enum Renewal {
    Rotator(Box<CertRotator>),
    Files {
        files: Files,
        serving: ServingCertificate,
        readiness: Readiness,
        metrics: Arc<dyn Provider>,
    },
}

impl Renewal {
    fn new(
        source: CertificateSource,
        setup: &Setup,
        ca_targets: Vec<CaBundleTarget>,
        serving: ServingCertificate,
        readiness: Readiness,
    ) -> Result<Self, SetupError> {
        let own = match source {
            CertificateSource::Files(files) => {
                return Ok(Self::Files {
                    files,
                    serving,
                    readiness,
                    metrics: Arc::clone(setup.metrics()),
                });
            }
            CertificateSource::Own(own) => own,
        };
        own.check()?;
        let cluster = setup.own_cluster();
        let client = cluster.client();
        let namespace = own
            .namespace
            .as_deref()
            .unwrap_or_else(|| client.default_namespace());
        Ok(Self::Rotator(Box::new(CertRotator {
            ca_targets: own.ca_targets(namespace, ca_targets),
            terms: own.terms(namespace),
            namespace: namespace.to_owned(),
            client: client.clone(),
            reachability: cluster.reachability().clone(),
            secret: own.secret,
            serving,
            field_manager: Arc::clone(&setup.field_manager),
            is_active: setup.is_active(),
            readiness,
            state: RotatorState::default(),
        })))
    }

    /// Keeps the certificate valid until `stop` is cancelled.
    async fn run(self, stop: CancellationToken) -> Result<(), BoxError> {
        match self {
            Self::Rotator(rotator) => rotator.run(stop).await,
            Self::Files {
                files,
                serving,
                readiness,
                metrics,
            } => {
                let watcher = files.watch(serving, &*metrics).await?;
                readiness.set(Ok(()));
                stop.run_until_cancelled(watcher.run()).await;
            }
        }
        Ok(())
    }
}

impl Component for WebhookServer {
    fn set_up(self, setup: &Setup) -> Result<Task, SetupError> {
        self.webhooks.check()?;
        let listener = match self.listener {
            _ if self.webhooks.is_empty() => Err("there are no webhooks"),
            Some(listener) => Ok(Ok(listener)),
            None => self.address.map(bind_server),
        };
        let listener = match listener {
            Ok(listener) => listener,
            Err(reason) => {
                let nothing = move |_| async move {
                    tracing::info!(reason, "webhook server is disabled");
                    Ok(())
                };
                return Ok(Task::new(COMPONENT_NAME, nothing).as_server());
            }
        };
        let serving = ServingCertificate::default();
        let handshake = serving
            .handshake(self.client_authorities.as_deref())
            .map_err(SetupError::ClientAuthorities)?;
        let readiness = Readiness::new();
        let source = Renewal::new(
            self.certificates.source,
            setup,
            self.webhooks.ca_targets(),
            serving,
            readiness.clone(),
        )?;
        let listener = listener?;
        let serves_conversions = self.webhooks.converts();
        let service = self.webhooks.into_service_with(&**setup.metrics())?;
        let server = Server {
            listener,
            handler: Arc::new(move |request| {
                let answer = service.clone().oneshot(request);
                answer
                    .map(|answer| answer.unwrap_or_else(|never| match never {}))
                    .boxed()
            }),
            handshake,
            source,
        };
        let mut task = Task::new(COMPONENT_NAME, |run| server.run(run)).as_server();
        task.serves_conversions = serves_conversions;
        Ok(task.ready(move || Ok(readiness.check()?)))
    }
}

fn bind_server(address: SocketAddr) -> Result<TcpListener, SetupError> {
    bind_listener(address).map_err(|error| SetupError::Listen {
        server: "the webhook server",
        address: address.to_string(),
        error,
    })
}

impl Server {
    async fn run(self, run: Run) -> Result<(), BoxError> {
        self.listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let connections = Connections::default();
        serve_connections(&connections, listener, self.handshake, self.handler);
        self.source.run(run.stop).await?;
        // Connections still open after `LAST_ANSWERS_TIMEOUT` or the shutdown timeout of the
        // manager are closed.
        let stopped = connections.stop(LAST_ANSWERS_TIMEOUT);
        run.cancel.run_until_cancelled(stopped).await;
        Ok(())
    }
}
