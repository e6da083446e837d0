//! [`SecureMetrics`]: metrics over TLS, for authorized clients.

use std::path::PathBuf;
use std::sync::Arc;

use futures::FutureExt;
use futures::future;
use genclient::kube::Client;
use genclient::metrics::Provider;

use super::authorization::DelegatingAuthorizer;
use super::serve::{Guard, Protection};
use crate::failure::BoxError;
use crate::tls::{Files, KeyPair, ServingCertificate};

/// Metrics over TLS, for authorized clients.
///
/// By default, a client has to send a bearer token. The API server authenticates it
/// (`TokenReview`), and decides whether its user may `get` the URL `/metrics`
/// (`SubjectAccessReview`). The program needs permission to `create` both kinds of review, which
/// the ClusterRole `system:auth-delegator` grants. Scrapers need `get` on the non-resource URL
/// `/metrics`. Token reviews are cached for 60 s, permissions for 5 minutes, and refusals for 30 s.
/// At most 10 reviews are created per second for clients that were allowed in the last hour, and
/// 10 for all others; further requests are answered with 429 `Too Many Requests` after 1 s.
///
/// ```
/// use genclient_controller::{Manager, SecureMetrics};
///
/// let manager = Manager::builder("guestbook")
///     .metrics_bind_address(([0, 0, 0, 0], 8443).into())
///     .secure_metrics(SecureMetrics::files("/certs/tls.crt", "/certs/tls.key"));
/// ```
#[derive(Clone, Debug)]
#[must_use = "it does nothing until it is passed to a `ManagerBuilder`"]
pub struct SecureMetrics {
    files: Option<Files>,
    is_authorized: bool,
}

impl SecureMetrics {
    /// Uses a self-signed certificate that is generated at the start. Scrapers cannot verify it.
    pub fn self_signed() -> Self {
        Self {
            files: None,
            is_authorized: true,
        }
    }

    /// Uses a certificate and its key in PEM files, which are read again every 10 s.
    pub fn files(certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        Self {
            files: Some(Files::new(certificate.into(), key.into())),
            is_authorized: true,
        }
    }

    /// Serves the metrics to everybody who can reach them, but over TLS.
    pub fn without_authorization(mut self) -> Self {
        self.is_authorized = false;
        self
    }

    pub(super) async fn set_up(
        self,
        client: &Client,
        metrics: &dyn Provider,
    ) -> Result<Protection, BoxError> {
        let serving = ServingCertificate::default();
        let renewal = match self.files {
            None => {
                serving.replace(&KeyPair::self_signed()?)?;
                future::ready(()).boxed()
            }
            Some(files) => files.watch(serving.clone(), metrics).await?.run().boxed(),
        };
        let guard = self.is_authorized.then(|| {
            let authorization = Arc::new(DelegatingAuthorizer::new(client.clone()));
            let guard: Guard = Arc::new(move |request| Arc::clone(&authorization).check(request));
            guard
        });
        Ok(Protection {
            handshake: serving.handshake(None)?,
            guard,
            renewal,
        })
    }
}
