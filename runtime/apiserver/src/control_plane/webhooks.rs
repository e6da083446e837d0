//! [`LocalWebhooks`]: address and certificate of webhooks that run beside the control plane.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::authority::Authority;
use super::manifests::Manifests;
use super::objects::{Applied, ApplyError};
use super::server::ControlPlane;
use crate::types::encode_base64;

const KINDS: [(&str, &str); 2] = [
    (
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
    ),
    (
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
    ),
];

/// Endpoint for webhooks of this process: a loopback port and a certificate that the API server
/// trusts.
///
/// The port listens from the start. Until a server takes the listener, calls run into their
/// timeouts.
#[derive(Debug)]
pub struct LocalWebhooks {
    listener: TcpListener,
    address: SocketAddr,
    folder: PathBuf,
    authority: String,
}

impl ControlPlane {
    /// Reserves a free loopback port and issues a certificate for it.
    ///
    /// The API server of an existing cluster reaches these webhooks only if it runs on this host.
    ///
    /// # Errors
    ///
    /// If no port is free, or the files of the certificate cannot be written.
    pub fn local_webhooks(&self) -> io::Result<LocalWebhooks> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let folder = self.logs().join(format!("webhooks-{}", address.port()));
        fs::create_dir(&folder)?;
        let authority = Authority::new()?;
        let credentials = authority.serving(&["127.0.0.1".to_owned(), "localhost".to_owned()])?;
        let webhooks = LocalWebhooks {
            listener,
            address,
            folder,
            authority: authority.pem(),
        };
        fs::write(webhooks.certificate(), credentials.certificate)?;
        fs::write(webhooks.key(), credentials.key)?;
        Ok(webhooks)
    }

    /// Applies the MutatingWebhookConfigurations and ValidatingWebhookConfigurations of manifests,
    /// rewritten by [`Manifests::calling`]. Objects of other kinds are skipped.
    ///
    /// The API server observes a configuration some milliseconds after this returns, as in a
    /// cluster.
    ///
    /// # Errors
    ///
    /// [`ApplyError`]; [`ApplyError::Nothing`] if there is no configuration.
    ///
    /// # Cancel safety
    ///
    /// A dropped future may leave configurations behind.
    pub async fn install_webhooks(
        &self,
        manifests: &Manifests,
        webhooks: &LocalWebhooks,
    ) -> Result<Vec<Applied>, ApplyError> {
        let manifests = manifests.clone().calling(webhooks);
        let mut applied = Vec::new();
        for object in manifests.objects() {
            let kind = object["kind"].as_str().unwrap_or_default();
            let Some((_, plural)) = KINDS.iter().find(|(known, _)| *known == kind) else {
                continue;
            };
            let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}");
            applied.push(self.apply_object(&path, object).await?);
        }
        match applied.is_empty() {
            true => Err(ApplyError::Nothing("webhook configuration")),
            false => Ok(applied),
        }
    }
}

impl LocalWebhooks {
    /// Returns the listener for the webhook server, such as `WebhookServer::listener`.
    ///
    /// # Errors
    ///
    /// If the system has no file descriptor left.
    pub fn listener(&self) -> io::Result<TcpListener> {
        self.listener.try_clone()
    }

    /// Returns the address that the API server connects to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL of a path, such as `/validate`.
    pub fn url(&self, path: &str) -> String {
        format!("https://{}/{}", self.address, path.trim_start_matches('/'))
    }

    /// Returns the folder of [`certificate`](Self::certificate) and [`key`](Self::key), which is
    /// removed with the control plane.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the serving certificate, `tls.crt`, in PEM.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("tls.crt")
    }

    /// Returns the path of the serving certificate's key, `tls.key`, in PEM.
    pub fn key(&self) -> PathBuf {
        self.folder.join("tls.key")
    }

    /// Returns the CA certificate that the API server trusts, in PEM.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Rewrites a `clientConfig` as envtest does (pkg/envtest/webhook.go, `updateClientConfig`),
    /// with one slash where envtest writes two.
    fn rewrite(&self, client_config: &mut Value) {
        let Some(config) = client_config.as_object_mut() else {
            return;
        };
        config.insert(
            "caBundle".to_owned(),
            json!(encode_base64(self.authority.as_bytes())),
        );
        if let Some(service) = config.remove("service") {
            let path = service["path"].as_str().unwrap_or("/");
            config.insert("url".to_owned(), json!(self.url(path)));
        }
    }
}

impl Manifests {
    /// Redirects webhooks to local ones: each reference to a Service becomes a URL with its path,
    /// and each `caBundle` the local CA. It covers admission webhook configurations and the
    /// conversion webhooks of CustomResourceDefinitions.
    #[must_use]
    pub fn calling(mut self, webhooks: &LocalWebhooks) -> Self {
        for object in self.objects_mut() {
            if object["kind"] == "CustomResourceDefinition" {
                let config = object.pointer_mut("/spec/conversion/webhook/clientConfig");
                config
                    .into_iter()
                    .for_each(|config| webhooks.rewrite(config));
            } else if KINDS.iter().any(|(kind, _)| object["kind"] == *kind) {
                let entries = object.get_mut("webhooks").and_then(Value::as_array_mut);
                for entry in entries.into_iter().flatten() {
                    webhooks.rewrite(&mut entry["clientConfig"]);
                }
            }
        }
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn webhook_services_are_rewritten_to_local_urls() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let webhooks = LocalWebhooks {
            address: SocketAddr::from(([127, 0, 0, 1], 9443)),
            listener,
            folder: PathBuf::new(),
            authority: "CA".to_owned(),
        };
        let service = |path: &str| json!({ "service": { "name": "a", "path": path } });
        let local = |url: &str| json!({ "url": url, "caBundle": "Q0E=" });
        let cases = [
            (
                service("/validate"),
                local("https://127.0.0.1:9443/validate"),
            ),
            (json!({ "service": {} }), local("https://127.0.0.1:9443/")),
            (
                json!({ "url": "https://elsewhere/x" }),
                local("https://elsewhere/x"),
            ),
        ];
        for (before, after) in cases {
            let kind = "ValidatingWebhookConfiguration";
            let manifests = Manifests::new([
                json!({ "kind": kind, "webhooks": [{ "clientConfig": before }] }),
                json!({
                    "kind": "CustomResourceDefinition",
                    "spec": { "conversion": { "webhook": { "clientConfig": before } } },
                }),
                json!({ "kind": "Other", "webhooks": [{ "clientConfig": before }] }),
            ]);
            let manifests = manifests.unwrap().calling(&webhooks);
            let [one, two, other] = manifests.objects() else {
                panic!("{manifests:?}")
            };
            assert_eq!(one["webhooks"][0]["clientConfig"], after);
            assert_eq!(two["spec"]["conversion"]["webhook"]["clientConfig"], after);
            assert_eq!(other["webhooks"][0]["clientConfig"], before);
        }
    }
}
