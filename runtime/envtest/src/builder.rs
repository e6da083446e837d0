//! [`ControlPlaneBuilder`]: settings of a control plane.

use std::env;
use std::path::PathBuf;
use std::time::Duration;

use genclient_apiserver::User;

use crate::environment::EnvVars;
use crate::error::StartError;
use crate::process::Output;
use crate::server::{ControlPlane, Settings};

/// Default of the start timeout. envtest's 20 s are too short while the machine also compiles.
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
    /// Returns a builder. Environment variables give the defaults of some settings, and override
    /// others.
    pub fn builder() -> ControlPlaneBuilder {
        ControlPlaneBuilder::default()
    }

    /// Starts etcd and kube-apiserver with the settings of the environment, as
    /// [`ControlPlaneBuilder::start`] of a new builder does.
    ///
    /// # Errors
    ///
    /// [`StartError`], for example if a program is missing or the API server is not ready in time.
    /// After an error, neither server runs, and logs that explain the error are kept.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, both servers are killed.
    pub async fn start() -> Result<Self, StartError> {
        Self::builder().start().await
    }
}

impl ControlPlaneBuilder {
    /// Sets the folder with the programs `etcd` and `kube-apiserver`. The variable
    /// `KUBEBUILDER_ASSETS` overrides the folder. `TEST_ASSET_ETCD` and `TEST_ASSET_KUBE_APISERVER`
    /// override the path of one program. Default: `/usr/local/kubebuilder/bin`.
    pub fn binaries(mut self, folder: impl Into<PathBuf>) -> Self {
        self.binaries = Some(folder.into());
        self
    }

    /// Sets the folder in which the control plane creates a folder for its data, keys and logs.
    /// Default: the system's temporary folder.
    pub fn folder(mut self, folder: impl Into<PathBuf>) -> Self {
        self.folder = Some(folder.into());
        self
    }

    /// Adds flags of kube-apiserver, such as `--feature-gates=SomeGate=true`. They follow the flags
    /// that the control plane sets, and override those that take a single value. Default: none.
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

    /// Adds a bearer token, by which requests are authenticated as `user`. Default: no tokens.
    ///
    /// After the start, [`ControlPlane::user`] adds users with client certificates.
    pub fn token(mut self, token: impl Into<String>, user: impl Into<User>) -> Self {
        self.tokens.push((token.into(), user.into()));
        self
    }

    /// Sets the time in which the API server must become ready. Default:
    /// `KUBEBUILDER_CONTROLPLANE_START_TIMEOUT`, or 60 s.
    pub fn start_timeout(mut self, timeout: Duration) -> Self {
        self.start_timeout = Some(timeout);
        self
    }

    /// Sets the time in which each server must exit after SIGTERM. If the server still runs after
    /// this time, [`ControlPlane::shutdown`] kills it. Default:
    /// `KUBEBUILDER_CONTROLPLANE_STOP_TIMEOUT`, or 20 s.
    pub fn stop_timeout(mut self, timeout: Duration) -> Self {
        self.stop_timeout = Some(timeout);
        self
    }

    /// Whether both servers print to stdout and stderr of this process instead of into log files.
    /// Default: false. `KUBEBUILDER_ATTACH_CONTROL_PLANE_OUTPUT=true` overrides `false`.
    pub fn attach_output(mut self, is_attached: bool) -> Self {
        self.attach_output = is_attached;
        self
    }

    /// Whether the folder of [`ControlPlane::logs`] is kept after the control plane is dropped.
    /// Default: false. If the API server does not become ready, the folder is kept in any case.
    pub fn keep_logs(mut self, is_kept: bool) -> Self {
        self.keep_logs = is_kept;
        self
    }

    /// Whether the cluster of the current kubeconfig (`KUBECONFIG` or `~/.kube/config`) is used
    /// instead of starting servers. Default: true if `USE_EXISTING_CLUSTER` is `true`.
    pub fn existing_cluster(mut self, is_used: bool) -> Self {
        self.existing_cluster = Some(is_used);
        self
    }

    /// Uses the cluster of the current context in a kubeconfig file instead of starting servers.
    /// With the kubeconfig of an in-process [`ApiServer`](genclient_apiserver::ApiServer), a test
    /// for a control plane can also run against that server.
    pub fn existing_kubeconfig(mut self, file: impl Into<PathBuf>) -> Self {
        self.existing_cluster = Some(true);
        self.kubeconfig = Some(file.into());
        self
    }

    /// Checks that the programs of [`start`](Self::start) exist, without starting them. A test can
    /// print the error as the reason why it is skipped. With an existing cluster, nothing is
    /// checked.
    ///
    /// # Errors
    ///
    /// [`StartError::NoProgram`] if `etcd` or `kube-apiserver` is missing, or
    /// [`StartError::Duration`] if a timeout in the environment is not a duration.
    pub fn check(&self) -> Result<(), StartError> {
        if self.uses_existing_cluster() {
            Ok(())
        } else {
            self.clone().settings().map(|_| ())
        }
    }

    /// Starts etcd and kube-apiserver on free loopback ports. Returns once the API server is ready
    /// and has the namespace `default`, after a few seconds. With an existing cluster, the call
    /// only checks that the cluster responds.
    ///
    /// # Errors
    ///
    /// [`StartError`], for example if a program is missing or the API server is not ready in time.
    /// After an error, neither server runs, and logs that explain the error are kept.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, both servers are killed.
    pub async fn start(self) -> Result<ControlPlane, StartError> {
        if self.uses_existing_cluster() {
            ControlPlane::existing(self.parent(), self.kubeconfig.as_deref()).await
        } else {
            ControlPlane::start_with(self.settings()?).await
        }
    }

    fn uses_existing_cluster(&self) -> bool {
        let environment = EnvVars(|name: &str| env::var_os(name));
        self.existing_cluster
            .unwrap_or_else(|| environment.uses_existing_cluster())
    }

    fn parent(&self) -> PathBuf {
        self.folder.clone().unwrap_or_else(env::temp_dir)
    }

    fn settings(self) -> Result<Settings, StartError> {
        let environment = EnvVars(|name: &str| env::var_os(name));
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
