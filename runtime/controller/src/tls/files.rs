//! [`Files`]: a certificate in files, which are read again periodically.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use genclient::metrics::{Counter, Provider};

use super::{KeyPair, ServingCertificate};
use crate::failure::BoxError;
use crate::metrics;

/// Interval of reading the files, as in controller-runtime's certwatcher. The kubelet updates the
/// files of a Secret once a minute.
const PERIOD: Duration = Duration::from_secs(10);

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

    /// Reads the files, and serves their certificate.
    ///
    /// # Errors
    ///
    /// If the files cannot be read, or are not a certificate and its key.
    pub(crate) async fn watch(
        self,
        serving: ServingCertificate,
        metrics: &dyn Provider,
    ) -> Result<FileWatcher, BoxError> {
        let current = self.read().await?;
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

    async fn read(&self) -> Result<KeyPair, BoxError> {
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
    /// Serves the current certificate of the files, until the future is dropped.
    pub(crate) async fn run(mut self) {
        loop {
            tokio::time::sleep(PERIOD).await;
            self.reads.inc();
            if let Err(error) = self.reload().await {
                self.errors.inc();
                tracing::error!(error, "the certificate was not renewed");
            }
        }
    }

    async fn reload(&mut self) -> Result<(), BoxError> {
        let pair = self.files.read().await?;
        if pair != self.current {
            self.serving.replace(&pair)?;
            self.current = pair;
            tracing::info!(file = %self.files.certificate.display(), "the certificate was renewed");
        }
        Ok(())
    }
}
