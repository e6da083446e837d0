//! TLS of servers: [`ServingCertificate`], which may be replaced while connections are accepted,
//! and [`Files`], which are read again periodically.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use genclient::metrics::{Counter, Provider};
use parking_lot::RwLock;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

use crate::failure::BoxError;
use crate::http_listener::{Handshake, Stream};
use crate::metrics;

/// Interval of reading the files, as in controller-runtime's certwatcher.
const PERIOD: Duration = Duration::from_secs(10);

/// A certificate with its chain, and its private key, both as PEM.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct KeyPair {
    pub(crate) certificate: Vec<u8>,
    pub(crate) key: Vec<u8>,
}

/// The certificate that a server presents. Without one, every handshake fails.
#[derive(Clone, Debug, Default)]
pub(crate) struct ServingCertificate {
    current: Arc<RwLock<Option<Arc<CertifiedKey>>>>,
}

impl ServingCertificate {
    /// Replaces the certificate, from the next handshake on.
    ///
    /// # Errors
    ///
    /// If the PEM cannot be parsed, or the key does not match the certificate. The previous
    /// certificate is kept.
    pub(crate) fn replace(&self, pair: &KeyPair) -> Result<(), BoxError> {
        let chain: Vec<_> =
            CertificateDer::pem_slice_iter(&pair.certificate).collect::<Result<_, _>>()?;
        if chain.is_empty() {
            return Err("no certificate found".into());
        }
        let key = PrivateKeyDer::from_pem_slice(&pair.key)?;
        let certified = CertifiedKey::from_der(chain, key, &crypto_provider())?;
        *self.current.write() = Some(Arc::new(certified));
        Ok(())
    }

    /// Returns a function that does the handshake of a connection, with TLS 1.3 or 1.2. With
    /// `client_authorities` in PEM, a client has to present a certificate that one of them has
    /// signed.
    pub(crate) fn handshake(
        &self,
        client_authorities: Option<&[u8]>,
    ) -> Result<Handshake, BoxError> {
        let provider = Arc::new(crypto_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()?;
        let builder = match client_authorities {
            None => builder.with_no_client_auth(),
            Some(pem) => {
                let mut roots = RootCertStore::empty();
                for authority in CertificateDer::pem_slice_iter(pem) {
                    roots.add(authority?)?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
                builder.with_client_cert_verifier(verifier.build()?)
            }
        };
        let mut config = builder.with_cert_resolver(Arc::new(self.clone()));
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        let acceptor = TlsAcceptor::from(Arc::new(config));
        Ok(Arc::new(move |stream| {
            let accepted = acceptor.accept(stream);
            async move { io::Result::Ok(Box::new(accepted.await?) as Box<dyn Stream>) }.boxed()
        }))
    }
}

impl KeyPair {
    /// Generates a self-signed certificate for `localhost`.
    pub(crate) fn self_signed() -> Result<Self, BoxError> {
        let certified = rcgen::generate_simple_self_signed(["localhost".to_owned()])?;
        Ok(Self {
            certificate: certified.cert.pem().into_bytes(),
            key: certified.signing_key.serialize_pem().into_bytes(),
        })
    }
}

impl ResolvesServerCert for ServingCertificate {
    fn resolve(&self, _hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        self.current.read().clone()
    }
}

impl fmt::Debug for KeyPair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyPair").finish_non_exhaustive()
    }
}

fn crypto_provider() -> CryptoProvider {
    ring::default_provider()
}

/// A certificate in PEM files.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

/// Certificate files that are read periodically.
pub(crate) struct FileWatcher {
    files: Files,
    serving: ServingCertificate,
    current: KeyPair,
    reads: Arc<dyn Counter>,
    errors: Arc<dyn Counter>,
}

impl Files {
    pub(crate) fn new(certificate: PathBuf, key: PathBuf) -> Self {
        Self { certificate, key }
    }

    /// Reads the files for the first time, and serves their certificate.
    ///
    /// # Errors
    ///
    /// If the files cannot be read, or are not a certificate and its key.
    pub(crate) async fn watch(
        self,
        serving: ServingCertificate,
        metrics: &dyn Provider,
    ) -> Result<FileWatcher, BoxError> {
        let current = self.read_key_pair().await?;
        let replaced = serving.replace(&current);
        replaced.map_err(|error| format!("{}: {error}", self.certificate.display()))?;
        let reads = metrics.counter(&metrics::CERTIFICATE_READS, &[]);
        reads.inc();
        Ok(FileWatcher {
            files: self,
            serving,
            current,
            reads,
            errors: metrics.counter(&metrics::CERTIFICATE_READ_ERRORS, &[]),
        })
    }

    async fn read_key_pair(&self) -> Result<KeyPair, BoxError> {
        let read = async |path: &PathBuf| {
            let read = tokio::fs::read(path).await;
            read.map_err(|error: io::Error| format!("{}: {error}", path.display()))
        };
        Ok(KeyPair {
            certificate: read(&self.certificate).await?,
            key: read(&self.key).await?,
        })
    }
}

impl FileWatcher {
    /// Reads the files periodically, and serves a changed certificate, until the future is dropped.
    pub(crate) async fn run(mut self) {
        loop {
            tokio::time::sleep(PERIOD).await;
            self.reads.inc();
            if let Err(error) = self.reload().await {
                self.errors.inc();
                tracing::error!(error, "failed to reload the certificate");
            }
        }
    }

    async fn reload(&mut self) -> Result<(), BoxError> {
        let pair = self.files.read_key_pair().await?;
        if pair != self.current {
            self.serving.replace(&pair)?;
            self.current = pair;
            tracing::info!(file = %self.files.certificate.display(), "reloaded the certificate");
        }
        Ok(())
    }
}
