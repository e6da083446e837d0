//! [`LocalWebhooks`]: address and certificate of a webhook server in the test's process.

use std::fs;
use std::io;
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use base64::engine::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::authority::Authority;
use crate::manifests::Manifests;
use crate::objects::{Applied, ApplyError};
use crate::server::ControlPlane;

const CONFIGURATIONS: [(&str, &str); 2] = [
    (
        "MutatingWebhookConfiguration",
        "mutatingwebhookconfigurations",
    ),
    (
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
    ),
];

/// Address and certificate of a webhook server in this process: a loopback port, and a certificate
/// that the API server trusts.
///
/// Until a server takes the listener, the port accepts connections, but calls time out.
#[derive(Debug)]
pub struct LocalWebhooks {
    listener: TcpListener,
    address: SocketAddr,
    folder: PathBuf,
    authority: String,
}

impl ControlPlane {
    /// Reserves a free loopback port, and issues a serving certificate for the loopback address.
    ///
    /// An existing cluster can call these webhooks only if its API server runs on this host.
    ///
    /// # Errors
    ///
    /// If no port is free, or the certificate cannot be written.
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

    /// Applies the MutatingWebhookConfigurations and ValidatingWebhookConfigurations in manifests.
    /// [`Manifests::redirect_to`] redirects them to `webhooks`. Objects of other kinds are skipped.
    ///
    /// The API server begins to call the webhooks some milliseconds later, as in a cluster.
    ///
    /// # Errors
    ///
    /// [`ApplyError`]. It is [`ApplyError::Nothing`] if there is no webhook configuration.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, some of the webhook configurations may exist.
    pub async fn install_webhooks(
        &self,
        manifests: &Manifests,
        webhooks: &LocalWebhooks,
    ) -> Result<Vec<Applied>, ApplyError> {
        let manifests = manifests.clone().redirect_to(webhooks);
        let mut applied = Vec::new();
        for object in manifests.objects() {
            let kind = object["kind"].as_str().unwrap_or_default();
            let Some((_, plural)) = CONFIGURATIONS.iter().find(|(known, _)| *known == kind) else {
                continue;
            };
            let path = format!("/apis/admissionregistration.k8s.io/v1/{plural}");
            applied.push(self.apply_object(&path, object).await?);
        }
        if applied.is_empty() {
            Err(ApplyError::Nothing("webhook configuration"))
        } else {
            Ok(applied)
        }
    }
}

impl LocalWebhooks {
    /// Returns the listener, to pass to `WebhookServer::listener`.
    ///
    /// # Errors
    ///
    /// If the process has no free file descriptor.
    pub fn listener(&self) -> io::Result<TcpListener> {
        self.listener.try_clone()
    }

    /// Returns the address that the API server connects to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns the URL for a path such as `/validate`.
    pub fn url(&self, path: &str) -> String {
        format!("https://{}/{}", self.address, path.trim_start_matches('/'))
    }

    /// Returns the folder that contains [`certificate`](Self::certificate) and [`key`](Self::key).
    /// It is removed when the control plane is dropped, unless the logs are kept.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of the serving certificate `tls.crt`, which is in PEM.
    pub fn certificate(&self) -> PathBuf {
        self.folder.join("tls.crt")
    }

    /// Returns the path of the certificate's private key `tls.key`, which is in PEM.
    pub fn key(&self) -> PathBuf {
        self.folder.join("tls.key")
    }

    /// Returns the CA certificate in PEM, which the API server uses to verify the webhooks.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// Rewrites a `clientConfig` as envtest does (`updateClientConfig` in pkg/envtest/webhook.go).
    /// Unlike envtest, it writes one slash between address and path, not two.
    fn rewrite(&self, client_config: &mut Value) {
        let Some(config) = client_config.as_object_mut() else {
            return;
        };
        config.insert(
            "caBundle".to_owned(),
            json!(STANDARD.encode(self.authority.as_bytes())),
        );
        if let Some(service) = config.remove("service") {
            let path = service["path"].as_str().unwrap_or("/");
            config.insert("url".to_owned(), json!(self.url(path)));
        }
    }
}

impl Manifests {
    /// Redirects admission webhooks, and conversion webhooks of CustomResourceDefinitions, to the
    /// server of `webhooks`. In each `clientConfig`, the reference to a Service becomes a URL with
    /// the same path, and `caBundle` becomes the local CA. If the `clientConfig` has a URL, the URL
    /// is kept.
    #[must_use]
    pub fn redirect_to(mut self, webhooks: &LocalWebhooks) -> Self {
        for object in self.objects_mut() {
            if object["kind"] == "CustomResourceDefinition" {
                let config = object.pointer_mut("/spec/conversion/webhook/clientConfig");
                config
                    .into_iter()
                    .for_each(|config| webhooks.rewrite(config));
            } else if is_webhook_configuration(object) {
                let entries = object.get_mut("webhooks").and_then(Value::as_array_mut);
                for entry in entries.into_iter().flatten() {
                    webhooks.rewrite(&mut entry["clientConfig"]);
                }
            }
        }
        self
    }
}

pub(crate) fn is_webhook_configuration(object: &Value) -> bool {
    CONFIGURATIONS
        .iter()
        .any(|(kind, _)| object["kind"] == *kind)
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
            ])
            .unwrap()
            .redirect_to(&webhooks);
            let [one, two, other] = manifests.objects() else {
                panic!("{manifests:?}")
            };
            assert_eq!(one["webhooks"][0]["clientConfig"], after);
            assert_eq!(two["spec"]["conversion"]["webhook"]["clientConfig"], after);
            assert_eq!(other["webhooks"][0]["clientConfig"], before);
        }
    }
}
