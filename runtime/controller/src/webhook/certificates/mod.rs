//! [`Certificates`]: a webhook server's certificate, issued by the program or read from files.

mod bundle;
mod inject;
mod issue;
mod rotator;

use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::time::Duration;

use http::uri::Scheme;

use crate::error::SetupError;
use crate::tls::Files;
pub(super) use bundle::Terms;
pub(super) use inject::{CaBundleTarget, CaBundleTargets};
pub(super) use rotator::{CertRotator, Readiness, RotatorState};

/// Valid lifetimes of certificates.
const LIFETIMES: RangeInclusive<Duration> =
    Duration::from_secs(1)..=Duration::from_secs(100 * 365 * 24 * 3600);

/// Source of the certificate of a [`WebhookServer`](super::WebhookServer).
///
/// ```
/// use genclient_controller::webhook::Certificates;
///
/// let own = Certificates::own("webhook-certificate").service("webhook-service");
/// let given = Certificates::files("/certs/tls.crt", "/certs/tls.key");
/// ```
#[derive(Clone, Debug)]
#[must_use = "they do nothing until they are passed to a `WebhookServer`"]
pub struct Certificates {
    pub(super) source: CertificateSource,
}

#[derive(Clone, Debug)]
pub(super) enum CertificateSource {
    Own(Own),
    Files(Files),
}

/// Settings of certificates that the program issues, stores and injects.
#[derive(Clone, Debug)]
pub(super) struct Own {
    /// `None`: the namespace of the Pod or of the kubeconfig.
    pub(super) namespace: Option<String>,
    pub(super) secret: String,
    pub(super) service: Option<String>,
    pub(super) url: Option<String>,
    pub(super) lifetime: Duration,
    pub(super) authority_lifetime: Duration,
}

/// Whether the API server can call URLs with this prefix. The prefix has to begin with `https://`
/// and a host, and must not have a query.
fn is_base_url(url: &str) -> bool {
    let parsed = url.parse::<http::Uri>();
    parsed.is_ok_and(|url| {
        let host = url.host().unwrap_or_default();
        url.scheme() == Some(&Scheme::HTTPS) && !host.is_empty() && url.query().is_none()
    })
}

impl Certificates {
    /// Certificates that the program issues with its own authority and stores in a Secret. Every
    /// replica presents the same certificate.
    ///
    /// The first replica creates the Secret. The leader renews the certificates after two thirds of
    /// their lifetime; while there is no leader, every replica does. The authority is written as
    /// `caBundle` into every webhook configuration and into the CustomResourceDefinitions of
    /// converted kinds, wherever a `clientConfig` names the [service](Self::service) or the
    /// [URL](Self::url). No request fails during a renewal: the API server trusts a new authority
    /// before that authority signs. A Secret of this program is written again if it is deleted or
    /// damaged. A Secret with data is left alone if its label `app.kubernetes.io/managed-by` names
    /// another program.
    ///
    /// The program needs `get`, `list`, `watch`, `create` and `update` of Secrets in the namespace.
    /// It needs `get`, `list`, `watch` and `patch` of `mutatingwebhookconfigurations` if it has
    /// defaulters, of `validatingwebhookconfigurations` if it has validators, and of
    /// `customresourcedefinitions` if it has conversions.
    pub fn own(secret: impl Into<String>) -> Self {
        Self {
            source: CertificateSource::Own(Own {
                namespace: None,
                secret: secret.into(),
                service: None,
                url: None,
                lifetime: Duration::from_secs(90 * 24 * 3600),
                authority_lifetime: Duration::from_secs(5 * 365 * 24 * 3600),
            }),
        }
    }

    /// A certificate and its key in PEM files, which another program such as cert-manager renews.
    /// The files are read again every 10 s. While they cannot be read, the server presents the
    /// previous certificate. If the first read fails, the manager stops.
    pub fn files(certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> Self {
        Self {
            source: CertificateSource::Files(Files::new(certificate.into(), key.into())),
        }
    }

    /// Sets the namespace of the Secret and of the Service. Default: that of the Pod, or of the
    /// kubeconfig's context. No effect on files.
    pub fn namespace(self, namespace: impl Into<String>) -> Self {
        self.with(|own| own.namespace = Some(namespace.into()))
    }

    /// Sets the Service that the API server calls, in the namespace of the Secret. No effect on
    /// files.
    pub fn service(self, name: impl Into<String>) -> Self {
        self.with(|own| own.service = Some(name.into()))
    }

    /// Sets the prefix of the URLs that the API server calls instead of a Service, such as
    /// `https://127.0.0.1:9443`. No effect on files.
    pub fn url(self, url: impl Into<String>) -> Self {
        self.with(|own| own.url = Some(url.into()))
    }

    /// Sets how long certificates are valid: 1 s to 100 years. Default: 90 days. No effect on
    /// files.
    pub fn lifetime(self, lifetime: Duration) -> Self {
        self.with(|own| own.lifetime = lifetime)
    }

    /// Sets how long authorities are valid: 1 s to 100 years. Default: 5 years. No effect on files.
    pub fn authority_lifetime(self, lifetime: Duration) -> Self {
        self.with(|own| own.authority_lifetime = lifetime)
    }

    fn with(mut self, set: impl FnOnce(&mut Own)) -> Self {
        if let CertificateSource::Own(own) = &mut self.source {
            set(own);
        }
        self
    }
}

impl Own {
    pub(super) fn check(&self) -> Result<(), SetupError> {
        let wrong = |problem: String| Err(SetupError::OwnCertificates(problem));
        if self.service.is_none() && self.url.is_none() {
            return wrong("`.service(..)` or `.url(..)` is required".into());
        }
        if let Some(url) = &self.url
            && !is_base_url(url)
        {
            let example =
                "expected `https://`, a host and a port, such as `https://127.0.0.1:9443`";
            return wrong(format!("invalid URL `{url}`: {example}"));
        }
        for (setter, lifetime) in [
            ("lifetime", self.lifetime),
            ("authority_lifetime", self.authority_lifetime),
        ] {
            if !LIFETIMES.contains(&lifetime) {
                return wrong(format!(
                    "`.{setter}(..)` must be between 1 second and 100 years"
                ));
            }
        }
        Ok(())
    }

    /// Returns the objects in which the authority is injected.
    pub(super) fn ca_targets(
        &self,
        namespace: &str,
        objects: Vec<CaBundleTarget>,
    ) -> CaBundleTargets {
        let service = self.service.clone();
        CaBundleTargets {
            objects,
            service: service.map(|service| (namespace.to_owned(), service)),
            url: self.url.clone(),
        }
    }

    /// Returns the names and lifetimes of the certificates to issue.
    pub(super) fn terms(&self, namespace: &str) -> Terms {
        let mut names = Vec::new();
        if let Some(service) = &self.service {
            names.push(format!("{service}.{namespace}.svc"));
            names.push(format!("{service}.{namespace}.svc.cluster.local"));
        }
        let url = self
            .url
            .as_deref()
            .and_then(|url| url.parse::<http::Uri>().ok());
        if let Some(host) = url.as_ref().and_then(http::Uri::host) {
            let host = host.trim_matches(['[', ']']);
            // The names are compared with those in a certificate, whose IP addresses are canonical.
            let address = host.parse::<IpAddr>().map(|address| address.to_string());
            names.push(address.unwrap_or_else(|_| host.to_owned()));
        }
        names.sort();
        Terms {
            authority: format!("{}.{namespace}", self.secret),
            names,
            lifetime: self.lifetime,
            authority_lifetime: self.authority_lifetime,
        }
    }
}
