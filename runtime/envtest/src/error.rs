//! Errors of a control plane: start, users and shutdown. If a command fixes the cause, the message
//! contains the command.

use std::error::Error;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use genclient::kube;

/// Error of starting a control plane, or of starting its API server again.
///
/// `Debug` prints the text of [`explain`](Self::explain), so that the panic of `unwrap` shows it.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// `etcd` or `kube-apiserver` is not at the configured path.
    #[error(
        "there is no {program} at {}\n\
         help: type `export KUBEBUILDER_ASSETS=$(setup-envtest use --print path)`, the folder of etcd and \
         kube-apiserver; `go install sigs.k8s.io/controller-runtime/tools/setup-envtest@latest` \
         installs setup-envtest",
        path.display()
    )]
    NoProgram {
        /// `etcd` or `kube-apiserver`.
        program: &'static str,
        /// The path.
        path: PathBuf,
    },
    /// The timeout in an environment variable is not a Go duration such as `20s`.
    #[error("{variable}: `{value}` is not a duration; type for instance `export {variable}=20s`")]
    Duration {
        /// The environment variable.
        variable: &'static str,
        /// Its value.
        value: String,
    },
    /// A program could not be started.
    #[error("cannot start {}", program.display())]
    Spawn {
        /// The program.
        program: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A server exited by itself, for instance because of an unknown flag.
    #[error("{program} ended ({status}); logs: {}\n{last_words}", logs.display())]
    Ended {
        /// `etcd` or `kube-apiserver`.
        program: &'static str,
        /// The exit code or the signal of the server.
        status: String,
        /// The folder with the logs of both servers. It is not removed.
        logs: PathBuf,
        /// The last lines of the server's log; empty if the server prints to the test's output.
        last_words: String,
    },
    /// The API server was not ready before the timeout.
    #[error(
        "kube-apiserver was not ready after {} s: {last}; logs: {}\n\
         help: on a slow machine type `export KUBEBUILDER_CONTROLPLANE_START_TIMEOUT=5m`",
        timeout.as_secs(), logs.display()
    )]
    NotReady {
        /// The timeout.
        timeout: Duration,
        /// The error of the last readiness check.
        last: String,
        /// The folder with the logs of both servers. It is not removed.
        logs: PathBuf,
    },
    /// A key, certificate or file could not be created, or no port is free.
    #[error("cannot prepare the files of the control plane")]
    Prepare(#[from] io::Error),
    /// The kubeconfig, of the control plane or of the existing cluster, cannot be used.
    #[error("cannot use the kubeconfig of the control plane")]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// The client could not be created.
    #[error("cannot make a client of the control plane")]
    Client(#[source] kube::Error),
    /// The credentials of the administrator, or of a user given to the builder, could not be
    /// created.
    #[error(transparent)]
    User(#[from] UserError),
    /// The existing cluster does not respond.
    #[error(
        "the existing cluster does not answer\n\
         help: `kubectl version` asks the same cluster; `unset USE_EXISTING_CLUSTER` starts one instead"
    )]
    NoAnswer(#[source] kube::Error),
    /// The API server of an existing cluster cannot be started.
    #[error(
        "the API server of an existing cluster cannot be started\n\
         help: `unset USE_EXISTING_CLUSTER`, or call `existing_cluster(false)` on the builder"
    )]
    Existing,
}

/// Error of issuing credentials, by [`ControlPlane::user`](crate::ControlPlane::user) or at the
/// start.
///
/// `Debug` prints the messages of the error and of its causes, so that the panic of `unwrap` shows
/// them.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum UserError {
    /// The user has extra attributes, which neither certificates nor tokens can represent.
    #[error(
        "user {name:?} has extra attributes, which neither a certificate nor a token can contain\n\
         help: impersonate the user by `Impersonate-Extra-` headers"
    )]
    Extra {
        /// The name of the user.
        name: String,
    },
    /// A group contains a comma, which separates groups in a token file.
    #[error(
        "a group of user {name:?} contains a comma, which separates groups in a token file\n\
         help: use `ControlPlane::user`, which issues a certificate"
    )]
    Comma {
        /// The name of the user.
        name: String,
    },
    /// The cluster is an existing one, so its certificate authority is not available.
    #[error(
        "cannot issue certificates for users of an existing cluster\n\
         help: `unset USE_EXISTING_CLUSTER`, or call `existing_cluster(false)` on the builder"
    )]
    Existing,
    /// The certificate or the kubeconfig file could not be written.
    #[error("cannot write the credentials of a user")]
    Prepare(#[from] io::Error),
    /// The kubeconfig of the user cannot be used.
    #[error("cannot use the kubeconfig of a user")]
    Kubeconfig(#[from] kube::config::KubeconfigError),
    /// The client could not be created.
    #[error("cannot make a client of a user")]
    Client(#[source] kube::Error),
}

/// Error of the shutdown: a server did not exit in time after SIGTERM and was killed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{program} did not end within {} s after SIGTERM and was killed\n\
     help: kube-apiserver waits for open watches; stop controllers and drop watches first",
    timeout.as_secs()
)]
pub struct ShutdownError {
    /// `etcd` or `kube-apiserver`.
    pub(crate) program: &'static str,
    /// The time that the server had to exit after SIGTERM.
    pub(crate) timeout: Duration,
}

impl StartError {
    /// Returns the messages of the error and of its causes, separated by colons.
    pub fn explain(&self) -> String {
        explain(self)
    }
}

impl fmt::Debug for StartError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&explain(self))
    }
}

impl fmt::Debug for UserError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&explain(self))
    }
}

pub(crate) fn explain(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        text = format!("{text}: {error}");
        cause = error.source();
    }
    text
}
