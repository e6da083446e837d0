//! TLS of servers: [`ServingCertificate`], which may be replaced while connections are accepted.

mod files;

use std::fmt;
use std::io;
use std::sync::Arc;

use futures::FutureExt;
use parking_lot::RwLock;
use rustls::crypto::{CryptoProvider, ring};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::{ClientHello, ResolvesServerCert, WebPkiClientVerifier};
use rustls::sign::CertifiedKey;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

pub(crate) use files::Files;

use crate::failure::BoxError;
use crate::http_server::{Handshake, Stream};

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
    /// If the PEM cannot be parsed, or the key is not that of the certificate. The previous
    /// certificate is kept.
    pub(crate) fn replace(&self, pair: &KeyPair) -> Result<(), BoxError> {
        let chain: Vec<_> =
            CertificateDer::pem_slice_iter(&pair.certificate).collect::<Result<_, _>>()?;
        if chain.is_empty() {
            return Err("there is no certificate in the file".into());
        }
        let key = PrivateKeyDer::from_pem_slice(&pair.key)?;
        let certified = CertifiedKey::from_der(chain, key, &provider())?;
        *self.current.write() = Some(Arc::new(certified));
        Ok(())
    }

    /// Returns the handshake of TLS 1.3 or 1.2. With client authorities, as PEM, a client has to
    /// present a certificate that one of them has signed.
    pub(crate) fn handshake(
        &self,
        client_authorities: Option<&[u8]>,
    ) -> Result<Handshake, BoxError> {
        let provider = Arc::new(provider());
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

fn provider() -> CryptoProvider {
    ring::default_provider()
}
