//! Managers that serve webhooks with certificates that they issue themselves.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use genclient::kube::Client;
use genclient_controller::webhook::{Certificates, WebhookServer, Webhooks};
use genclient_controller::{
    Action, Context, Manager, ManagerBuilder, Reconciler, Result, RunError,
};
use k8s_openapi::api::core::v1::ConfigMap;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, SignatureScheme};
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_util::sync::CancellationToken;

use super::serving::Allows;

/// Name of the Secret that has the certificates.
pub(super) const SECRET: &str = "webhook-certificate";

/// A manager that serves a validator of ConfigMaps.
pub(super) struct Replica {
    address: SocketAddr,
    probes: SocketAddr,
    stop: CancellationToken,
    pub(super) run: JoinHandle<std::result::Result<(), RunError>>,
}

/// A reconciler that does nothing: its controller only needs a cache.
pub(super) struct Idle;

impl Reconciler for Idle {
    type Object = ConfigMap;

    async fn reconcile(&self, _: Arc<ConfigMap>, _: &Context) -> Result {
        Ok(Action::done())
    }
}

impl Replica {
    pub(super) async fn start(client: Client, url: &str) -> Self {
        Self::start_with(client, url, |builder| builder, |_| {}).await
    }

    pub(super) async fn start_with(
        client: Client,
        url: &str,
        settings: impl FnOnce(ManagerBuilder) -> ManagerBuilder,
        add: impl FnOnce(&mut Manager),
    ) -> Self {
        let webhooks = Webhooks::new().validator(Allows);
        Self::serve(webhooks, client, url, settings, add).await
    }

    pub(super) async fn serve(
        webhooks: Webhooks,
        client: Client,
        url: &str,
        settings: impl FnOnce(ManagerBuilder) -> ManagerBuilder,
        add: impl FnOnce(&mut Manager),
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let builder = Manager::builder("tests")
            .client(client)
            .health_probe_bind_address(([127, 0, 0, 1], 0).into());
        let mut manager = settings(builder).build().await.unwrap();
        let probes = manager.health_probe_address().unwrap();
        let server = WebhookServer::new(webhooks, Certificates::own(SECRET).url(url));
        manager.add(server.listener(listener)).unwrap();
        add(&mut manager);
        let stop = CancellationToken::new();
        let run = tokio::spawn(manager.run(stop.clone()));
        Self {
            address,
            probes,
            stop,
            run,
        }
    }

    /// Returns the certificate that the replica presents.
    pub(super) async fn shown(&self) -> CertificateDer<'static> {
        let config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .dangerous()
            .with_custom_certificate_verifier(Arc::new(Anything))
            .with_no_client_auth();
        tokio::time::resume();
        let stream = tokio::net::TcpStream::connect(self.address).await.unwrap();
        let name = ServerName::try_from("localhost").unwrap();
        let connector = TlsConnector::from(Arc::new(config));
        let stream = connector.connect(name, stream).await.unwrap();
        tokio::time::pause();
        let shown = stream.get_ref().1.peer_certificates().unwrap();
        shown[0].clone().into_owned()
    }

    pub(super) async fn readiness(&self, check: &str) -> (u16, String) {
        tokio::time::resume();
        let answer = super::serving::http_get(self.probes, &format!("/readyz{check}")).await;
        tokio::time::pause();
        answer
    }

    pub(super) async fn stop(self) {
        self.stop.cancel();
        self.run.await.unwrap().unwrap();
    }
}

/// A verifier that trusts any certificate.
#[derive(Debug)]
struct Anything;

impl ServerCertVerifier for Anything {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> std::result::Result<ServerCertVerified, rustls::Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn verify_tls13_signature(
        &self,
        _: &[u8],
        _: &CertificateDer<'_>,
        _: &DigitallySignedStruct,
    ) -> std::result::Result<HandshakeSignatureValid, rustls::Error> {
        Ok(HandshakeSignatureValid::assertion())
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        let provider = ring::default_provider();
        provider
            .signature_verification_algorithms
            .supported_schemes()
    }
}
