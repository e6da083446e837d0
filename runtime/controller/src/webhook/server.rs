//! [`WebhookServer`]: serves webhooks over TLS beneath a manager.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use genclient::metrics::Provider;
use tower::ServiceExt as _;

use super::certificates::{CertificateSource, Certificates, Keeper, Memory, Readiness};
#[cfg(feature = "flags")]
use super::flags::WebhookFlags;
use super::webhooks::Webhooks;
use crate::component::{Component, Run, Task};
use crate::error::SetupError;
use crate::failure::BoxError;
use crate::http_server::{Connections, Handler};
use crate::listen::{everywhere, listen};
use crate::setup::Setup;
use crate::tls::{Files, ServingCertificate};

/// Maximum time for requests that are being answered at the end.
const LAST_ANSWERS: Duration = Duration::from_secs(10);

/// Serves [`Webhooks`] over TLS, on every replica.
///
/// It serves from before the caches are filled, which may need its conversions, until everything
/// else has ended. `/readyz/webhooks` fails until it listens, has a certificate, and the API server
/// trusts that.
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
#[must_use = "a server runs when it is added to a manager"]
pub struct WebhookServer {
    webhooks: Webhooks,
    certificates: Certificates,
    address: SocketAddr,
    listener: Option<TcpListener>,
    client_authorities: Option<Vec<u8>>,
}

impl WebhookServer {
    /// A server on port 9443 of every address.
    pub fn new(webhooks: Webhooks, certificates: Certificates) -> Self {
        Self {
            webhooks,
            certificates,
            address: everywhere(9443),
            listener: None,
            client_authorities: None,
        }
    }

    /// A server as the flags of a program say.
    #[cfg(feature = "flags")]
    pub fn from_flags(webhooks: Webhooks, flags: &WebhookFlags) -> Self {
        let server = Self::new(webhooks, flags.certificates());
        match flags.webhook_bind_address {
            Some(address) => server.bind_address(address),
            None => server,
        }
    }

    /// Where it listens. Default: port 9443 of every address.
    pub fn bind_address(mut self, address: SocketAddr) -> Self {
        self.address = address;
        self
    }

    /// A socket that listens already, in place of an address.
    pub fn listener(mut self, listener: TcpListener) -> Self {
        self.listener = Some(listener);
        self
    }

    /// Authorities of clients, as PEM. Whoever calls has to show a certificate of one of them.
    /// Default: anybody may call.
    pub fn client_authorities(mut self, pem: impl Into<Vec<u8>>) -> Self {
        self.client_authorities = Some(pem.into());
        self
    }
}

/// A server that is set up.
struct Server {
    listener: TcpListener,
    handler: Handler,
    serving: ServingCertificate,
    client_authorities: Option<Vec<u8>>,
    source: Renewal,
    readiness: Readiness,
    metrics: Arc<dyn Provider>,
}

/// What renews the certificate.
enum Renewal {
    Keeper(Box<Keeper>),
    Files(Files),
}

impl Component for WebhookServer {
    fn set_up(mut self, setup: &Setup) -> Result<Task, SetupError> {
        self.webhooks.check()?;
        let listener = match self.listener {
            Some(listener) => listener,
            None => listen(self.address).map_err(|error| SetupError::Listen {
                server: "the server of webhooks",
                address: self.address.to_string(),
                error,
            })?,
        };
        let serving = ServingCertificate::default();
        let readiness = Readiness::new();
        let source = match self.certificates.source {
            CertificateSource::Files(files) => Renewal::Files(files),
            CertificateSource::Own(own) => {
                let client = setup.own_cluster().client();
                let namespace = own.namespace.as_deref();
                let namespace = namespace.unwrap_or_else(|| client.default_namespace());
                Renewal::Keeper(Box::new(Keeper {
                    callers: own.callers(namespace, self.webhooks.callers()),
                    terms: own.terms(namespace),
                    namespace: namespace.to_owned(),
                    client: client.clone(),
                    secret: own.secret,
                    serving: serving.clone(),
                    field_manager: Arc::clone(&setup.field_manager),
                    leadership: setup.leadership().cloned(),
                    readiness: readiness.clone(),
                    memory: Memory::default(),
                }))
            }
        };
        let service = self.webhooks.into_service_with(&**setup.metrics());
        let server = Server {
            listener,
            handler: Arc::new(move |request| {
                let answer = service.clone().oneshot(request);
                answer
                    .map(|answer| answer.unwrap_or_else(|never| match never {}))
                    .boxed()
            }),
            serving,
            client_authorities: self.client_authorities,
            source,
            readiness: readiness.clone(),
            metrics: Arc::clone(setup.metrics()),
        };
        let task = Task::new("webhooks", |run| server.run(run));
        Ok(task.as_server().ready(move || Ok(readiness.check()?)))
    }
}

impl Server {
    async fn run(self, run: Run) -> Result<(), BoxError> {
        self.listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        let handshake = self.serving.handshake(self.client_authorities.as_deref())?;
        let connections = Connections::default();
        connections.serve(listener, handshake, self.handler);
        match self.source {
            Renewal::Keeper(keeper) => keeper.run(run.stop).await,
            Renewal::Files(files) => {
                let watcher = files.watch(self.serving, &*self.metrics).await?;
                self.readiness.set(Ok(()));
                run.stop.run_until_cancelled(watcher.run()).await;
            }
        }
        connections.stop(LAST_ANSWERS).await;
        Ok(())
    }
}
