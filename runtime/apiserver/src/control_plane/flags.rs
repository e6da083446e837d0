//! The command lines of both servers, and the files that they name.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use rcgen::{CertifiedKey, KeyPair};

/// Good for one short-lived server on loopback, thus no secret.
const TOKEN: &str = "admin-of-this-test-run";

/// Where one control plane keeps its files.
pub(super) struct Files<'a>(pub(super) &'a Path);

impl Files<'_> {
    pub(super) fn kubeconfig(&self) -> PathBuf {
        self.0.join("kubeconfig.json")
    }

    pub(super) fn etcd_log(&self) -> PathBuf {
        self.0.join("etcd.log")
    }

    pub(super) fn api_server_log(&self) -> PathBuf {
        self.0.join("kube-apiserver.log")
    }

    fn certificate(&self) -> PathBuf {
        self.0.join("serving.crt")
    }

    fn serving_key(&self) -> PathBuf {
        self.0.join("serving.key")
    }

    fn service_account_key(&self) -> PathBuf {
        self.0.join("service-account.key")
    }

    fn service_account_public_key(&self) -> PathBuf {
        self.0.join("service-account.pub")
    }

    fn tokens(&self) -> PathBuf {
        self.0.join("tokens.csv")
    }

    /// Writes the certificate, the keys, the token and a kubeconfig for `port`.
    pub(super) fn write(&self, port: u16) -> io::Result<()> {
        let CertifiedKey { cert, signing_key } =
            rcgen::generate_simple_self_signed(["127.0.0.1".to_owned(), "localhost".to_owned()])
                .map_err(io::Error::other)?;
        let service_account_key = KeyPair::generate().map_err(io::Error::other)?;
        fs::write(self.certificate(), cert.pem())?;
        fs::write(self.serving_key(), signing_key.serialize_pem())?;
        fs::write(
            self.service_account_key(),
            service_account_key.serialize_pem(),
        )?;
        fs::write(
            self.service_account_public_key(),
            service_account_key.public_key_pem(),
        )?;
        fs::write(
            self.tokens(),
            format!("{TOKEN},admin,admin,system:masters\n"),
        )?;
        fs::write(
            self.kubeconfig(),
            kubeconfig(port, &self.certificate()).to_string(),
        )
    }
}

fn kubeconfig(port: u16, certificate: &Path) -> serde_json::Value {
    serde_json::json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": "test", "cluster": {
            "server": format!("https://127.0.0.1:{port}"),
            "certificate-authority": certificate,
        }}],
        "users": [{ "name": "admin", "user": { "token": TOKEN } }],
        "contexts": [{ "name": "test", "context": { "cluster": "test", "user": "admin" } }],
        "current-context": "test",
    })
}

pub(super) fn etcd(folder: &Path, port: u16) -> Vec<String> {
    vec![
        format!("--data-dir={}", folder.join("etcd").display()),
        format!("--listen-client-urls=http://127.0.0.1:{port}"),
        format!("--advertise-client-urls=http://127.0.0.1:{port}"),
        // A lone member has no peers: any port will do.
        "--listen-peer-urls=http://127.0.0.1:0".to_owned(),
        "--unsafe-no-fsync".to_owned(),
        "--log-level=warn".to_owned(),
    ]
}

pub(super) fn api_server(files: &Files<'_>, port: u16, etcd_port: u16) -> Vec<String> {
    let path = |path: PathBuf| path.display().to_string();
    vec![
        format!("--etcd-servers=http://127.0.0.1:{etcd_port}"),
        "--bind-address=127.0.0.1".to_owned(),
        "--advertise-address=127.0.0.1".to_owned(),
        format!("--secure-port={port}"),
        format!("--tls-cert-file={}", path(files.certificate())),
        format!("--tls-private-key-file={}", path(files.serving_key())),
        format!("--token-auth-file={}", path(files.tokens())),
        "--authorization-mode=RBAC".to_owned(),
        "--service-account-issuer=https://kubernetes.default.svc".to_owned(),
        format!(
            "--service-account-key-file={}",
            path(files.service_account_public_key())
        ),
        format!(
            "--service-account-signing-key-file={}",
            path(files.service_account_key())
        ),
        // Without a controller manager no namespace has a service account, and this plugin refuses Pods without one.
        "--disable-admission-plugins=ServiceAccount".to_owned(),
        "--service-cluster-ip-range=10.0.0.0/24".to_owned(),
        // Would publish the loopback address as the endpoint of the `kubernetes` service, which is refused.
        "--endpoint-reconciler-type=none".to_owned(),
        "--allow-privileged=true".to_owned(),
        "--profiling=false".to_owned(),
    ]
}
