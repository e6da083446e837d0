//! [`ControlPlaneBuilder`]: settings of a control plane.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use super::environment::Environment;
use super::error::StartError;
use super::process::Output;
use super::server::{ControlPlane, Settings};
use crate::rbac::User;

/// envtest's 20 s are too short on a machine that compiles at the same time.
const START_TIMEOUT: Duration = Duration::from_secs(60);
const STOP_TIMEOUT: Duration = Duration::from_secs(20);

/// Settings of a [`ControlPlane`], from [`ControlPlane::builder`].
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct ControlPlaneBuilder {
    binaries: Option<PathBuf>,
    folder: Option<PathBuf>,
    api_server_flags: Vec<String>,
    etcd_flags: Vec<String>,
    tokens: Vec<(String, User)>,
    start_timeout: Option<Duration>,
    stop_timeout: Option<Duration>,
    attach_output: bool,
    keep_logs: bool,
    existing_cluster: Option<bool>,
    kubeconfig: Option<PathBuf>,
}

impl ControlPlane {
    /// Returns a builder with the settings of the environment.
    pub fn builder() -> ControlPlaneBuilder {
        ControlPlaneBuilder::default()
    }

    /// Starts etcd and kube-apiserver with the settings of the environment:
    /// [`ControlPlaneBuilder::start`].
    ///
    /// # Errors
    ///
    /// See [`StartError`]. No process is left running. Logs that explain the failure are kept.
    ///
    /// # Cancel safety
    ///
    /// A dropped future kills both servers.
    pub async fn start() -> Result<Self, StartError> {
        Self::builder().start().await
    }
}

impl ControlPlaneBuilder {
    /// Sets the folder of `etcd` and `kube-apiserver`. `KUBEBUILDER_ASSETS` takes precedence.
    /// Default: `/usr/local/kubebuilder/bin`.
    pub fn binaries(mut self, folder: impl Into<PathBuf>) -> Self {
        self.binaries = Some(folder.into());
        self
    }

    /// Sets the parent of the control plane's own folder for data, keys and logs. Default: the
    /// system's temporary folder.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Adds flags of kube-apiserver, such as `--feature-gates=SomeGate=true`, after those of the
    /// control plane. If a flag takes one value, the last one counts. Default: none.
    pub fn api_server_flags<F: Into<String>>(mut self, flags: impl IntoIterator<Item = F>) -> Self {
        self.api_server_flags
            .extend(flags.into_iter().map(Into::into));
        self
    }

    /// Adds flags of etcd, such as `--quota-backend-bytes=1000000`. Default: none.
    pub fn etcd_flags<F: Into<String>>(mut self, flags: impl IntoIterator<Item = F>) -> Self {
        self.etcd_flags.extend(flags.into_iter().map(Into::into));
        self
    }

    /// Authenticates requests with this bearer token as a user. Default: no tokens.
    ///
    /// [`ControlPlane::user`] issues certificates to further users after the start.
    pub fn token(mut self, token: impl Into<String>, user: impl Into<User>) -> Self {
        self.tokens.push((token.into(), user.into()));
        self
    }

    /// Sets the timeout until the API server is ready. Default:
    /// `KUBEBUILDER_CONTROLPLANE_START_TIMEOUT`, or 60 s.
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.start_timeout = Some(timeout);
        self
    }

    /// Sets how long each server may run after SIGTERM until [`ControlPlane::shutdown`] kills it.
    /// Default: `KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT`, or 20 s.
    pub fn stop_timeout(mut self, timeout: Duration) -> Self {
        self.stop_timeout = Some(timeout);
        self
    }

    /// Prints the output of both servers to stdout and stderr of this process instead of their
    /// logs. Default: `KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT`, which also overrides `false`.
    pub fn attach_output(mut self, is_attached: bool) -> Self {
        self.attach_output = is_attached;
        self
    }

    /// Keeps the folder of [`ControlPlane::logs`] after the control plane is dropped. Default:
    /// false, unless a start fails.
    pub fn keep_logs(mut self, is_kept: bool) -> Self {
        self.keep_logs = is_kept;
        self
    }

    /// Starts no servers and uses the cluster of the current kubeconfig (`KUBECONFIG`,
    /// `~/.kube/config`). Default: `USE_EXISTING_CLUSTER`.
    pub fn existing_cluster(mut self, is_used: bool) -> Self {
        self.existing_cluster = Some(is_used);
        self
    }

    /// Starts no servers and uses the cluster of the current context of this kubeconfig file. With
    /// the kubeconfig of an in-process [`ApiServer`](crate::ApiServer), a test can run on both
    /// servers. Default: see [`existing_cluster`](Self::existing_cluster).
    pub fn existing_kubeconfig(mut self, file: impl Into<PathBuf>) -> Self {
        self.existing_cluster = Some(true);
        self.kubeconfig = Some(file.into());
        self
    }

    /// Checks that [`start`](Self::start) would find the programs, without starting them. It is for
    /// tests that announce why they are ignored.
    ///
    /// # Errors
    ///
    /// [`StartError::NoProgram`] with the command to type, or [`StartError::Duration`] if a timeout
    /// in the environment is not a duration.
    pub fn check(&self) -> Result<(), StartError> {
        match self.uses_existing_cluster() {
            true => Ok(()),
            false => self.clone().settings().map(|_| ()),
        }
    }

    /// Starts etcd and kube-apiserver on free loopback ports. It waits until the API server is
    /// ready and has the namespace `default`, which takes a few seconds.
    ///
    /// # Errors
    ///
    /// See [`StartError`]. No process is left running. Logs that explain the failure are kept.
    ///
    /// # Cancel safety
    ///
    /// A dropped future kills both servers.
    pub async fn start(self) -> Result<ControlPlane, StartError> {
        match self.uses_existing_cluster() {
            true => ControlPlane::existing(self.parent(), self.kubeconfig.as_deref()).await,
            false => ControlPlane::start_with(self.settings()?).await,
        }
    }

    fn uses_existing_cluster(&self) -> bool {
        let environment = Environment(|name: &str| env::var_os(name));
        self.existing_cluster
            .unwrap_or_else(|| environment.uses_existing_cluster())
    }

    fn parent(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(env::temp_dir)
    }

    fn settings(self) -> Result<Settings, StartError> {
        let environment = Environment(|name: &str| env::var_os(name));
        let programs = environment.programs(self.binaries.as_deref());
        let paths = [
            ("etcd", &programs.etcd),
            ("kube-apiserver", &programs.api_server),
        ];
        for (program, path) in paths {
            if !path.is_file() {
                let path = path.clone();
                return Err(StartError::NoProgram { program, path });
            }
        }
        let start_timeout = match self.start_timeout {
            Some(timeout) => Some(timeout),
            None => environment.start_timeout()?,
        };
        let stop_timeout = match self.stop_timeout {
            Some(timeout) => Some(timeout),
            None => environment.stop_timeout()?,
        };
        let is_attached = self.attach_output || environment.attaches_output();
        Ok(Settings {
            programs,
            folder: self.parent(),
            api_server_flags: self.api_server_flags,
            etcd_flags: self.etcd_flags,
            tokens: self.tokens,
            start_timeout: start_timeout.unwrap_or(START_TIMEOUT),
            stop_timeout: stop_timeout.unwrap_or(STOP_TIMEOUT),
            output: if is_attached {
                Output::Attached
            } else {
                Output::Log
            },
            keep_logs: self.keep_logs,
        })
    }
}
