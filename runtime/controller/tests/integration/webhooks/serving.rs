//! Tests of webhook servers in a manager: certificates in files, and misbehaving clients.

use std::net::{SocketAddr, TcpListener};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use genclient::kube::Client;
use genclient_controller::webhook::{
    Admission, Certificates, Change, Denied, Validator, Warnings, WebhookServer, Webhooks,
};
use genclient_controller::{Manager, ManagerBuilder, RunError};
use http::Response;
use http_body_util::Full;
use k8s_openapi::api::core::v1::ConfigMap;
use rcgen::{CertifiedKey, KeyPair};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use serde_json::json;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use tokio_util::sync::CancellationToken;

use super::admission_review;
use crate::api::Api;

/// A validator that allows everything.
pub(super) struct Allows;

impl Validator for Allows {
    type Object = ConfigMap;

    async fn validate(&self, _: Change<ConfigMap>, _: &Admission) -> Result<Warnings, Denied> {
        Ok(Warnings::none())
    }
}

/// A server with the certificate in a folder.
struct Running {
    address: SocketAddr,
    folder: TempDir,
    certificate: CertificateDer<'static>,
    /// The certificate that clients present.
    identity: Option<CertifiedKey<KeyPair>>,
    /// Address of `/metrics`.
    metrics: SocketAddr,
    stop: CancellationToken,
    run: JoinHandle<Result<(), RunError>>,
}

/// Returns a client of an API server that the test must not call.
fn uncallable_client() -> Client {
    let service = tower::service_fn(|_: http::Request<genclient::kube::client::Body>| async {
        Ok::<_, std::convert::Infallible>(Response::new(Full::<Bytes>::default()))
    });
    Client::new(service, "default")
}

/// Returns the status and the body of an answer.
pub(super) async fn http_get(address: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: tests\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap().parse().unwrap();
    (status, body.to_owned())
}

pub(super) async fn manager() -> Manager {
    Manager::builder("tests")
        .client(uncallable_client())
        .build()
        .await
        .unwrap()
}

/// Writes a new certificate for `localhost`.
fn write_certificate(folder: &Path) -> CertificateDer<'static> {
    let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let CertifiedKey { cert, signing_key } = certified;
    std::fs::write(folder.join("tls.crt"), cert.pem()).unwrap();
    std::fs::write(folder.join("tls.key"), KeyPair::serialize_pem(&signing_key)).unwrap();
    cert.der().clone()
}

pub(super) fn files(folder: &Path) -> Certificates {
    Certificates::files(folder.join("tls.crt"), folder.join("tls.key"))
}

impl Running {
    async fn start() -> Self {
        Self::start_with(|server| server).await
    }

    async fn start_with(settings: impl FnOnce(WebhookServer) -> WebhookServer) -> Self {
        Self::start_in(
            Manager::builder("tests").client(uncallable_client()),
            settings,
        )
        .await
    }

    async fn start_in(
        builder: ManagerBuilder,
        settings: impl FnOnce(WebhookServer) -> WebhookServer,
    ) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let certificate = write_certificate(folder.path());
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let webhooks = Webhooks::new().validator(Allows);
        let server = WebhookServer::new(webhooks, files(folder.path())).listener(listener);
        let server = settings(server);
        let loopback = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut manager = builder
            .metrics_bind_address(loopback)
            .build()
            .await
            .unwrap();
        let metrics = manager.metrics_address().unwrap();
        manager.add(server).unwrap();
        let stop = CancellationToken::new();
        let run = tokio::spawn(manager.run(stop.clone()));
        Self {
            address,
            folder,
            certificate,
            identity: None,
            metrics,
            stop,
            run,
        }
    }

    /// Lets the server read its files once more.
    async fn reload(&self) {
        tokio::time::pause();
        tokio::time::advance(Duration::from_secs(11)).await;
        tokio::time::resume();
    }

    /// Returns how often the files were read, and how many of these reads failed.
    async fn reads(&self) -> (u32, u32) {
        let (_, text) = http_get(self.metrics, "/metrics").await;
        let value = |name: &str| {
            let mut values = text.lines().filter_map(|line| line.strip_prefix(name));
            values
                .next()
                .map_or(0, |value| value.trim().parse().unwrap())
        };
        (
            value("certwatcher_read_certificate_total "),
            value("certwatcher_read_certificate_errors_total "),
        )
    }

    /// Returns a TLS connection that trusts only this certificate.
    async fn connect(
        &self,
        trusted: &CertificateDer<'static>,
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(trusted.clone()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match &self.identity {
            None => config.with_no_client_auth(),
            Some(identity) => {
                let key = PrivatePkcs8KeyDer::from(identity.signing_key.serialize_der());
                let chain = vec![identity.cert.der().clone()];
                config.with_client_auth_cert(chain, key.into()).unwrap()
            }
        };
        let stream = TcpStream::connect(self.address).await?;
        let name = ServerName::try_from("localhost").unwrap();
        TlsConnector::from(Arc::new(config))
            .connect(name, stream)
            .await
    }

    /// Sends a review, and returns the answer.
    async fn ask(&self) -> std::io::Result<String> {
        let mut stream = self.connect(&self.certificate).await?;
        let body = admission_review("CREATE", json!({}), json!(null)).to_string();
        let head = format!(
            "POST /validate--v1-configmap HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n",
            body.len()
        );
        stream.write_all(head.as_bytes()).await?;
        stream.write_all(body.as_bytes()).await?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await?;
        Ok(answer)
    }

    /// Sends reviews until one is answered.
    async fn answered(&self) {
        for _ in 0..100 {
            if let Ok(answer) = self.ask().await {
                assert!(answer.contains(r#""allowed":true"#), "{answer}");
                return;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("no answer: {:?}", self.ask().await);
    }

    async fn stop(self) {
        self.stop.cancel();
        self.run.await.unwrap().unwrap();
    }
}

/// Writes a new certificate into `folder` as the kubelet writes a mounted Secret: the files are
/// links through the link `..data`, which is replaced (`pkg/volume/util/atomic_writer.go`).
fn replace_mounted_files(folder: &Path) -> CertificateDer<'static> {
    let revision = tempfile::Builder::new()
        .prefix("..")
        .tempdir_in(folder)
        .unwrap()
        .keep();
    let certificate = write_certificate(&revision);
    let staged = folder.join("..data_tmp");
    symlink(revision.file_name().unwrap(), &staged).unwrap();
    std::fs::rename(staged, folder.join("..data")).unwrap();
    for name in ["tls.crt", "tls.key"] {
        let link = folder.join(name);
        if !link.is_symlink() {
            let _ = std::fs::remove_file(&link);
            symlink(Path::new("..data").join(name), link).unwrap();
        }
    }
    certificate
}

/// Replaces both files by new ones.
fn replace_files(folder: &Path) -> CertificateDer<'static> {
    let new = tempfile::tempdir_in(folder).unwrap();
    let certificate = write_certificate(new.path());
    for name in ["tls.crt", "tls.key"] {
        std::fs::rename(new.path().join(name), folder.join(name)).unwrap();
    }
    certificate
}

/// Moves both files away, and writes new ones.
fn move_out(folder: &Path) -> CertificateDer<'static> {
    for name in ["tls.crt", "tls.key"] {
        std::fs::rename(folder.join(name), folder.join(format!("{name}.old"))).unwrap();
    }
    write_certificate(folder)
}

#[tokio::test]
async fn certificate_files_are_reloaded() {
    let mut running = Running::start().await;
    running.answered().await;
    assert_eq!(running.reads().await, (1, 0));
    type Replace = fn(&Path) -> CertificateDer<'static>;
    let ways: [(&str, Replace); 5] = [
        ("written", write_certificate),
        ("renamed", replace_files),
        ("moved out", move_out),
        ("mounted", replace_mounted_files),
        ("mounted again", replace_mounted_files),
    ];
    for (before, (way, replace)) in (1..).zip(ways) {
        running.certificate = replace(running.folder.path());
        assert!(running.ask().await.is_err(), "{way}: not read yet");
        running.reload().await;
        running.answered().await;
        assert_eq!(running.reads().await, (before + 1, 0), "{way}");
    }
    // A certificate that cannot be read is ignored, and counted.
    std::fs::write(running.folder.path().join("tls.key"), "no key").unwrap();
    running.reload().await;
    while running.reads().await.1 == 0 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    assert_eq!(running.reads().await, (7, 1));
    running.answered().await;
    running.stop().await;
}

/// A replica that waits for the lease serves, too, and reloads its files.
#[tokio::test]
async fn certificate_files_are_served_without_the_lease() {
    let api = Api::new();
    let now = k8s_openapi::jiff::Timestamp::now().to_string();
    api.put(
        "leases",
        json!({
            "metadata": { "namespace": "default", "name": "tests" },
            "spec": {
                "holderIdentity": "other",
                "leaseDurationSeconds": 60,
                "acquireTime": now,
                "renewTime": now
            }
        }),
    );
    let builder = Manager::builder("tests").client(api.client());
    let waiting = builder.leader_election(true);
    let mut running = Running::start_in(waiting, |server| server).await;
    running.answered().await;
    running.certificate = write_certificate(running.folder.path());
    running.reload().await;
    running.answered().await;
    let lease = api.get("leases", "default", "tests").unwrap();
    assert_eq!(lease["spec"]["holderIdentity"], "other");
    running.stop().await;
}

#[tokio::test]
async fn client_certificates_are_required_if_configured() {
    let identity = || rcgen::generate_simple_self_signed(["api-server".to_owned()]).unwrap();
    let known = identity();
    let authorities = known.cert.pem();
    let mut running = Running::start_with(|server| server.client_authorities(authorities)).await;
    running.identity = Some(known);
    running.answered().await;
    for unknown in [None, Some(identity())] {
        running.identity = unknown;
        assert!(running.ask().await.is_err());
    }
    running.stop().await;
}

/// None of these clients delays responses to others, or the shutdown.
#[tokio::test]
async fn misbehaving_clients_do_not_affect_others() {
    let running = Running::start().await;
    running.answered().await;
    let mut clients: Vec<Box<dyn std::any::Any>> = Vec::new();
    // Clients that send nothing, or no TLS.
    clients.push(Box::new(TcpStream::connect(running.address).await.unwrap()));
    let mut garbage = TcpStream::connect(running.address).await.unwrap();
    garbage.write_all(&[0xff; 4096]).await.unwrap();
    clients.push(Box::new(garbage));
    let mut plain = TcpStream::connect(running.address).await.unwrap();
    plain.write_all(b"GET / HTTP/1.1\r\n\r\n").await.unwrap();
    clients.push(Box::new(plain));
    // Clients that send half of a request head, or half of a body.
    let mut head = running.connect(&running.certificate).await.unwrap();
    head.write_all(b"POST /validate--v1-configmap HTTP/1.1\r\n")
        .await
        .unwrap();
    clients.push(Box::new(head));
    let mut body = running.connect(&running.certificate).await.unwrap();
    let half = b"POST /validate--v1-configmap HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{";
    body.write_all(half).await.unwrap();
    clients.push(Box::new(body));
    // A client that disconnects at once.
    drop(running.connect(&running.certificate).await.unwrap());
    for _ in 0..10 {
        running.answered().await;
    }
    running.stop().await;
}

#[tokio::test]
async fn unbounded_request_bodies_are_cut_off() {
    let running = Running::start().await;
    running.answered().await;
    let mut stream = running.connect(&running.certificate).await.unwrap();
    let head = b"POST /validate--v1-configmap HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    stream.write_all(head).await.unwrap();
    let chunk = format!("{:x}\r\n{}\r\n", 1 << 20, "x".repeat(1 << 20));
    let mut sent = 0;
    while sent < 1000 && stream.write_all(chunk.as_bytes()).await.is_ok() {
        sent += 1;
    }
    assert!(sent < 50, "{sent} MiB were taken");
    running.answered().await;
    running.stop().await;
}

#[tokio::test]
async fn missing_certificate_files_end_the_run() {
    let folder = tempfile::tempdir().unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let webhooks = Webhooks::new().validator(Allows);
    let mut manager = manager().await;
    let server = WebhookServer::new(webhooks, files(folder.path())).listener(listener);
    manager.add(server).unwrap();
    let error = manager.run(CancellationToken::new()).await.unwrap_err();
    assert_eq!(error.to_string(), "`webhooks` failed");
    let cause = std::error::Error::source(&error).unwrap().to_string();
    assert!(cause.contains("tls.crt: No such file"), "{cause}");
}
