//! [`ControlPlane`]: a running kube-apiserver and etcd, or an existing cluster.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use genclient::kube::config::Kubeconfig;
use genclient::kube::{Client, Config};
use genclient_apiserver::User;

use crate::authority::Authority;
use crate::environment::Programs;
use crate::error::{StartError, UserError};
use crate::flags::{self, Files};
use crate::port;
use crate::process::{Output, Process};
use crate::temporary_folder::TemporaryFolder;
use crate::users::{AuthenticatedUser, issue_credentials};

/// Settings of the builder, completed by those of the environment.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) programs: Programs,
    pub(crate) folder: PathBuf,
    pub(crate) api_server_flags: Vec<String>,
    pub(crate) etcd_flags: Vec<String>,
    pub(crate) tokens: Vec<(String, User)>,
    pub(crate) start_timeout: Duration,
    pub(crate) stop_timeout: Duration,
    pub(crate) output: Output,
    pub(crate) keep_logs: bool,
}

/// Number of times that a start is tried. Another process may take a free port before the server
/// listens on it.
const MAX_START_ATTEMPTS: u32 = 3;

/// kube-apiserver and etcd, started for tests, or an existing cluster.
///
/// When the control plane is dropped, both servers are killed with SIGKILL. Unless logs are kept,
/// their folder is removed. [`shutdown`](Self::shutdown) stops the servers gracefully. If this
/// process is killed, both servers continue to run.
pub struct ControlPlane {
    servers: Mutex<Servers>,
    pub(crate) started: Option<Started>,
    admin: AuthenticatedUser,
    folder: PathBuf,
}

/// State of a control plane whose servers were started here, not of an existing cluster.
pub(crate) struct Started {
    pub(crate) settings: Settings,
    pub(crate) port: u16,
    pub(crate) etcd_port: u16,
    pub(crate) authority: Authority,
}

/// Processes of both servers. The API server is the first field, so it is killed before etcd, on
/// which it depends.
pub(crate) struct Servers {
    pub(crate) api_server: Option<Process>,
    pub(crate) etcd: Option<Process>,
    folder: TemporaryFolder,
}

impl ControlPlane {
    pub(crate) async fn start_with(settings: Settings) -> Result<Self, StartError> {
        // With attached output, no log shows why a server exited. The start is then tried again
        // whatever the cause.
        let is_attached = settings.output == Output::Attached;
        let mut attempt = 1;
        loop {
            match Self::start_once(settings.clone()).await {
                Err(StartError::Ended { last_words, .. })
                    if attempt < MAX_START_ATTEMPTS
                        && (is_attached || last_words.contains("address already in use")) =>
                {
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    async fn start_once(settings: Settings) -> Result<Self, StartError> {
        std::fs::create_dir_all(&settings.folder)?;
        let mut folder = TemporaryFolder::create(&settings.folder)?;
        folder.keep(settings.keep_logs);
        let (port, etcd_port) = (port::find_free_port()?, port::find_free_port()?);
        let files = Files(folder.path());
        let authority = Authority::new()?;
        files.write(&authority, &settings.tokens)?;
        let admin = User::new("admin").group("system:masters");
        let admin = issue_credentials(&authority, port, &admin, files.kubeconfig()).await?;
        let mut flags = flags::etcd_flags(folder.path(), etcd_port);
        flags.extend(settings.etcd_flags.iter().cloned());
        let log = files.etcd_log();
        let etcd = spawn_server(&settings.programs.etcd, flags, &log, settings.output)?;
        let plane = Self {
            admin,
            folder: folder.path().to_owned(),
            started: Some(Started {
                settings,
                port,
                etcd_port,
                authority,
            }),
            servers: Mutex::new(Servers {
                api_server: None,
                etcd: Some(etcd),
                folder,
            }),
        };
        plane.start_api_server().await?;
        Ok(plane)
    }

    /// Connects to the cluster of a kubeconfig file, or to that of the current kubeconfig.
    pub(crate) async fn existing(
        parent: PathBuf,
        kubeconfig: Option<&Path>,
    ) -> Result<Self, StartError> {
        let folder = TemporaryFolder::create(&parent)?;
        let kubeconfig = match kubeconfig {
            Some(file) => Kubeconfig::read_from(file)?,
            None => Kubeconfig::read()?,
        };
        let file = Files(folder.path()).kubeconfig();
        let text = serde_json::to_vec(&kubeconfig).map_err(io::Error::other)?;
        std::fs::write(&file, text)?;
        let admin = AuthenticatedUser::new(kubeconfig, file).await?;
        let version = admin.client().apiserver_version().await;
        version.map_err(StartError::NoAnswer)?;
        Ok(Self {
            admin,
            folder: folder.path().to_owned(),
            started: None,
            servers: Mutex::new(Servers {
                api_server: None,
                etcd: None,
                folder,
            }),
        })
    }

    /// Returns the configuration for a client of the administrator or, with an existing cluster, of
    /// the user in its kubeconfig. kube's own retries are disabled.
    pub fn config(&self) -> Config {
        self.admin.config()
    }

    /// Returns a client with [`config`](Self::config). All callers get clones of the same client.
    pub fn client(&self) -> Client {
        self.admin.client()
    }

    /// Returns the path of the administrator's kubeconfig file, for programs such as kubectl. The
    /// file is removed when the control plane is dropped, unless the logs are kept.
    pub fn kubeconfig(&self) -> PathBuf {
        self.admin.kubeconfig().to_owned()
    }

    /// Issues a client certificate for a user, as envtest's `AddUser` does. Roles and bindings in
    /// the API server decide what the user may do. A member of the group `system:masters` may do
    /// everything.
    ///
    /// # Errors
    ///
    /// [`UserError`], such as for a user with extra attributes, which a certificate cannot
    /// represent, or for a user of an existing cluster.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the user's kubeconfig file may remain in the control plane's
    /// folder.
    pub async fn user(&self, user: impl Into<User>) -> Result<AuthenticatedUser, UserError> {
        let started = self.started.as_ref().ok_or(UserError::Existing)?;
        let number = fastrand::u64(..);
        let file = self.logs().join(format!("user-{number:016x}.json"));
        issue_credentials(&started.authority, started.port, &user.into(), file).await
    }

    /// Returns the folder of the control plane. It contains `etcd.log` and `kube-apiserver.log`,
    /// unless the output is attached or the cluster is an existing one.
    pub fn logs(&self) -> &Path {
        &self.folder
    }

    /// Returns the URL of etcd, which does not use TLS, or `None` for an existing cluster.
    pub fn etcd_url(&self) -> Option<http::Uri> {
        let address = format!("127.0.0.1:{}", self.started.as_ref()?.etcd_port);
        http::uri::Builder::new()
            .scheme("http")
            .authority(address)
            .path_and_query("/")
            .build()
            .ok()
    }

    /// Keeps the log folder after the control plane is dropped.
    pub fn keep_logs(&self) {
        self.servers().folder.keep(true);
    }

    pub(crate) fn servers(&self) -> MutexGuard<'_, Servers> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for ControlPlane {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ControlPlane")
            .field("url", &self.admin.config().cluster_url)
            .field("logs", &self.folder)
            .finish_non_exhaustive()
    }
}

pub(crate) fn spawn_server(
    program: &Path,
    arguments: Vec<String>,
    log: &Path,
    output: Output,
) -> Result<Process, StartError> {
    Process::spawn(program, arguments, log, output).map_err(|source| StartError::Spawn {
        program: program.to_owned(),
        source,
    })
}
