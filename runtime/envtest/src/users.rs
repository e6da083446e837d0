//! Users of a control plane, with client certificates, clients and kubeconfig files.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use base64::engine::Engine as _;
use base64::engine::general_purpose::STANDARD;
use genclient::kube::config::{KubeConfigOptions, Kubeconfig};
use genclient::kube::{Client, Config};
use genclient_apiserver::User;
use serde_json::json;

use crate::authority::{Authority, CertAndKey};
use crate::error::UserError;

/// User of a [`ControlPlane`](crate::ControlPlane), with credentials.
#[derive(Clone)]
pub struct AuthenticatedUser {
    config: Config,
    client: Client,
    kubeconfig: PathBuf,
}

/// Issues a client certificate for a user, and writes a kubeconfig that contains it to `file`.
pub(crate) async fn issue_credentials(
    authority: &Authority,
    port: u16,
    user: &User,
    file: PathBuf,
) -> Result<AuthenticatedUser, UserError> {
    if !user.extras().is_empty() {
        let name = user.name().to_owned();
        return Err(UserError::Extra { name });
    }
    let CertAndKey { certificate, key } = authority.client(user)?;
    let kubeconfig = json!({
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{ "name": "control-plane", "cluster": {
            "server": format!("https://127.0.0.1:{port}"),
            "certificate-authority-data": STANDARD.encode(authority.pem().as_bytes()),
        }}],
        "users": [{ "name": user.name(), "user": {
            "client-certificate-data": STANDARD.encode(certificate.as_bytes()),
            "client-key-data": STANDARD.encode(key.as_bytes()),
        }}],
        "contexts": [{ "name": "control-plane", "context": {
            "cluster": "control-plane",
            "user": user.name(),
        }}],
        "current-context": "control-plane",
    });
    fs::write(&file, kubeconfig.to_string())?;
    AuthenticatedUser::new(Kubeconfig::read_from(&file)?, file).await
}

impl AuthenticatedUser {
    pub(crate) async fn new(kubeconfig: Kubeconfig, file: PathBuf) -> Result<Self, UserError> {
        let options = KubeConfigOptions::default();
        let mut config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
        // Tests check the server's first response, not the one after retries.
        config.default_retry = false;
        let client = Client::try_from(config.clone()).map_err(UserError::Client)?;
        Ok(Self {
            config,
            client,
            kubeconfig: file,
        })
    }

    /// Returns the configuration for a client of this user. kube's own retries are disabled.
    pub fn config(&self) -> Config {
        self.config.clone()
    }

    /// Returns a client with [`config`](Self::config).
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// Returns the path of this user's kubeconfig file, for programs such as kubectl. The file is
    /// JSON, which YAML parsers read, and contains the certificates and the key. It is removed when
    /// the control plane is dropped, unless the logs are kept.
    pub fn kubeconfig(&self) -> &Path {
        &self.kubeconfig
    }

    /// Returns the content of [`kubeconfig`](Self::kubeconfig), to store it elsewhere.
    ///
    /// # Errors
    ///
    /// If the file no longer exists, usually because the control plane has been dropped.
    pub fn read_kubeconfig(&self) -> io::Result<String> {
        fs::read_to_string(&self.kubeconfig)
    }
}

/// Prints only the path of the kubeconfig file, since the rest may contain a key.
impl fmt::Debug for AuthenticatedUser {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AuthenticatedUser")
            .field("kubeconfig", &self.kubeconfig)
            .finish_non_exhaustive()
    }
}
