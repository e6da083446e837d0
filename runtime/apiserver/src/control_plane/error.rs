//! Why a control plane did not come up, and where to read on.

use std::error::Error;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// Generous: the machine may be compiling beside us.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(120);

/// The control plane did not come up.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// `KUBEBUILDER_ASSETS` is not set.
    #[error(
        "KUBEBUILDER_ASSETS is not set; type `export KUBEBUILDER_ASSETS=$(hack/control-plane.sh)`"
    )]
    NoAssets,
    /// A program could not be started, most often because the folder does not hold it.
    #[error("cannot start {}", program.display())]
    Spawn {
        /// What was to be run.
        program: PathBuf,
        /// Why it did not.
        source: io::Error,
    },
    /// A server ended by itself.
    #[error("{program} ended ({status}); logs: {}\n{last_words}", logs.display())]
    Ended {
        /// `etcd` or `kube-apiserver`.
        program: &'static str,
        /// Its exit code or signal.
        status: String,
        /// The folder with both logs, which is kept.
        logs: PathBuf,
        /// The end of its log.
        last_words: String,
    },
    /// `/readyz` did not answer `ok` in time.
    #[error("kube-apiserver was not ready after {} s: {last}; logs: {}", START_TIMEOUT.as_secs(), logs.display())]
    NotReady {
        /// The last answer to `/readyz`.
        last: String,
        /// The folder with both logs, which is kept.
        logs: PathBuf,
    },
    /// Keys, certificate, kubeconfig or ports could not be had.
    #[error("cannot prepare the files of the control plane")]
    Prepare(#[from] io::Error),
    /// The kubeconfig that was written cannot be used.
    #[error("cannot use the kubeconfig of the control plane")]
    Kubeconfig(#[from] genclient::kube::config::KubeconfigError),
    /// No client could be made.
    #[error("cannot make a client of the control plane")]
    Client(#[source] genclient::kube::Error),
}

impl StartError {
    /// The error and what caused it, on one line.
    pub fn explain(&self) -> String {
        let mut text = self.to_string();
        let mut cause = self.source();
        while let Some(error) = cause {
            text = format!("{text}: {error}");
            cause = error.source();
        }
        text
    }
}
