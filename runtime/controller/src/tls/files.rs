//! [`Files`]: a certificate in files that something else renews.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use genclient::metrics::{Counter, Provider};

use super::{KeyPair, ServingCertificate};
use crate::failure::BoxError;
use crate::metrics;

/// How often the files are read, as by controller-runtime's certwatcher. The kubelet changes files
/// of a Secret once a minute.
const PERIOD: Duration = Duration::from_secs(10);

/// A certificate in PEM files.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    certificate: PathBuf,
    key: PathBuf,
}

/// Files that are read from time to time.
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

    /// Reads the files, and serves what is in them.
    ///
    /// # Errors
    ///
    /// If they cannot be read, or are not what they should be.
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
    /// Serves what is in the files, until the future is dropped.
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
