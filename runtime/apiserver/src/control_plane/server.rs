//! [`ControlPlane`]: both servers, from start to shutdown.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use genclient::kube::config::Kubeconfig;
use genclient::kube::{Client, Config};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::authority::Authority;
use super::builder::{ControlPlaneBuilder, Settings};
use super::error::{ShutdownError, StartError};
use super::flags::{self, Files};
use super::port;
use super::process::{Output, Process};
use super::users::{AuthenticatedUser, authenticate};
use crate::authorization::User;

/// A port that was free may be taken by another process before the server binds it.
const ATTEMPTS: u32 = 3;

/// How often the API server is asked whether it is ready.
const PAUSE: Duration = Duration::from_millis(50);

/// What the API server serves once it is ready.
const READY: [&str; 2] = ["/readyz", "/api/v1/namespaces/default"];

/// A running kube-apiserver with its etcd, or an existing cluster.
///
/// Dropping it kills both servers with SIGKILL and removes their folder;
/// [`shutdown`](Self::shutdown) lets them end by themselves. If this process is killed itself, the
/// servers go on.
pub struct ControlPlane {
    servers: Mutex<Servers>,
    pub(super) started: Option<Started>,
    admin: AuthenticatedUser,
    folder: PathBuf,
}

/// What an existing cluster does not have.
pub(super) struct Started {
    settings: Settings,
    pub(super) port: u16,
    etcd_port: u16,
    pub(super) authority: Authority,
}

/// Dropped from top to bottom: an API server whose etcd is gone takes half a minute to end by itself.
struct Servers {
    api_server: Option<Process>,
    etcd: Option<Process>,
    folder: TempDir,
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
    /// See [`StartError`]. Nothing is left running; the logs are left where they say why.
    ///
    /// # Cancel safety
    ///
    /// A dropped future kills both servers.
    pub async fn start() -> Result<Self, StartError> {
        Self::builder().start().await
    }

    pub(super) async fn start_with(settings: Settings) -> Result<Self, StartError> {
        // Output that is attached cannot be read.
        let is_attached = settings.output == Output::Attached;
        let mut attempt = 1;
        loop {
            match Self::start_once(settings.clone()).await {
                Err(StartError::Ended { last_words, .. })
                    if attempt < ATTEMPTS
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
        let mut folder = temporary(&settings.folder)?;
        folder.disable_cleanup(settings.keep_logs);
        let (port, etcd_port) = (port::free()?, port::free()?);
        let files = Files(folder.path());
        let authority = Authority::new()?;
        files.write(&authority, &settings.tokens)?;
        let admin = User::new("admin").group("system:masters");
        let admin = authenticate(&authority, port, &admin, files.kubeconfig()).await?;
        let mut flags = flags::etcd(folder.path(), etcd_port);
        flags.extend(settings.etcd_flags.iter().cloned());
        let log = files.etcd_log();
        let etcd = spawn(&settings.programs.etcd, flags, &log, settings.output)?;
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

    /// The cluster of the current kubeconfig.
    pub(super) async fn existing(parent: PathBuf) -> Result<Self, StartError> {
        let folder = temporary(&parent)?;
        let kubeconfig = Kubeconfig::read()?;
        let file = Files(folder.path()).kubeconfig();
        let text = serde_json::to_vec(&kubeconfig).map_err(io::Error::other)?;
        std::fs::write(&file, text)?;
        let admin = AuthenticatedUser::of(kubeconfig, file).await?;
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

    /// How to reach the API server as a cluster administrator, without kube's own retries.
    pub fn config(&self) -> Config {
        self.admin.config()
    }

    /// A client of [`config`](Self::config), shared by all callers.
    pub fn client(&self) -> Client {
        self.admin.client()
    }

    /// A kubeconfig file of the administrator for programs such as kubectl; it is gone when the
    /// control plane is.
    pub fn kubeconfig(&self) -> PathBuf {
        self.admin.kubeconfig().to_owned()
    }

    /// The folder with `etcd.log` and `kube-apiserver.log`.
    pub fn logs(&self) -> &Path {
        &self.folder
    }

    /// Where etcd listens, without TLS; `None` for an existing cluster.
    pub fn etcd_url(&self) -> Option<http::Uri> {
        let address = format!("127.0.0.1:{}", self.started.as_ref()?.etcd_port);
        http::uri::Builder::new()
            .scheme("http")
            .authority(address)
            .path_and_query("/")
            .build()
            .ok()
    }

    /// Kills the API server, without notice; connections break. etcd keeps the objects.
    pub fn kill_api_server(&self) {
        self.servers().api_server = None;
    }

    /// Stops the API server where it stands (SIGSTOP): connections stay open, nothing answers.
    ///
    /// # Errors
    ///
    /// If it does not run.
    pub fn pause_api_server(&self) -> io::Result<()> {
        self.signal_api_server("-STOP")
    }

    /// Lets a paused API server continue (SIGCONT).
    ///
    /// # Errors
    ///
    /// If it does not run.
    pub fn resume_api_server(&self) -> io::Result<()> {
        self.signal_api_server("-CONT")
    }

    fn signal_api_server(&self, signal: &str) -> io::Result<()> {
        let servers = self.servers();
        let api_server = servers.api_server.as_ref();
        let api_server = api_server.ok_or_else(|| io::Error::other("no API server runs"))?;
        api_server.signal(signal)
    }

    /// Starts the API server on the port that it had, and waits until it is ready. One that runs
    /// already is replaced.
    ///
    /// # Errors
    ///
    /// See [`StartError`].
    ///
    /// # Cancel safety
    ///
    /// A dropped future leaves the API server starting.
    pub async fn start_api_server(&self) -> Result<(), StartError> {
        self.start_api_server_with(&[]).await
    }

    /// As [`start_api_server`](Self::start_api_server), with more flags, until it is started again.
    ///
    /// # Errors
    ///
    /// See [`StartError`].
    ///
    /// # Cancel safety
    ///
    /// A dropped future leaves the API server starting.
    pub async fn start_api_server_with(&self, more: &[&str]) -> Result<(), StartError> {
        let started = self.started.as_ref().ok_or(StartError::Existing)?;
        self.kill_api_server();
        let settings = &started.settings;
        let files = Files(&self.folder);
        let mut flags = flags::api_server(&files, started.port, started.etcd_port);
        flags.extend(settings.api_server_flags.iter().cloned());
        flags.extend(more.iter().copied().map(str::to_owned));
        let program = &settings.programs.api_server;
        let api_server = spawn(program, flags, &files.api_server_log(), settings.output)?;
        self.servers().api_server = Some(api_server);
        let ready = self.ready(settings.start_timeout).await;
        ready.inspect_err(|_| self.keep_logs())
    }

    async fn ready(&self, timeout: Duration) -> Result<(), StartError> {
        let deadline = Instant::now() + timeout;
        for path in READY {
            while let Err(last) = self.serves(path).await {
                self.alive()?;
                if Instant::now() >= deadline {
                    let logs = self.logs().to_owned();
                    return Err(StartError::NotReady {
                        timeout,
                        last,
                        logs,
                    });
                }
                sleep(PAUSE).await;
            }
        }
        Ok(())
    }

    async fn serves(&self, path: &str) -> Result<(), String> {
        let request = http::Request::get(path).body(Vec::new());
        let request = request.map_err(|error| error.to_string())?;
        let answer = self.client().request_text(request).await;
        answer.map(drop).map_err(|error| error.to_string())
    }

    fn alive(&self) -> Result<(), StartError> {
        let mut servers = self.servers();
        let Servers {
            api_server, etcd, ..
        } = &mut *servers;
        for (program, process) in [("etcd", etcd), ("kube-apiserver", api_server)] {
            let Some(process) = process else { continue };
            if let Some(status) = process.exited() {
                return Err(StartError::Ended {
                    program,
                    status: status.to_string(),
                    logs: self.logs().to_owned(),
                    last_words: process.last_words(),
                });
            }
        }
        Ok(())
    }

    /// Keeps the folder of the logs when the control plane is gone.
    pub fn keep_logs(&self) {
        self.servers().folder.disable_cleanup(true);
    }

    /// Ends both servers: SIGTERM, and SIGKILL after [`ControlPlaneBuilder::stop_timeout`]. Of an
    /// existing cluster, nothing is ended.
    ///
    /// kube-apiserver ends within two seconds if nobody watches; it waits for open watches for a
    /// minute. Stop controllers and drop watches first.
    ///
    /// # Errors
    ///
    /// If a server was killed. Nothing is left running then, either.
    ///
    /// # Cancel safety
    ///
    /// A dropped future kills the server that it waits for; etcd may run until the control plane
    /// is dropped.
    pub async fn shutdown(&self) -> Result<(), ShutdownError> {
        let Some(started) = &self.started else {
            return Ok(());
        };
        let timeout = started.settings.stop_timeout;
        let api_server = self.servers().api_server.take();
        let api_server = end("kube-apiserver", api_server, timeout).await;
        let etcd = self.servers().etcd.take();
        api_server.and(end("etcd", etcd, timeout).await)
    }

    /// Kills both servers, without notice.
    pub fn kill(&self) {
        let mut servers = self.servers();
        servers.api_server = None;
        servers.etcd = None;
    }

    fn servers(&self) -> MutexGuard<'_, Servers> {
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

async fn end(
    program: &'static str,
    process: Option<Process>,
    timeout: Duration,
) -> Result<(), ShutdownError> {
    let has_ended = match process {
        Some(process) => process.terminate(timeout).await,
        None => true,
    };
    match has_ended {
        true => Ok(()),
        false => Err(ShutdownError { program, timeout }),
    }
}

fn temporary(parent: &Path) -> io::Result<TempDir> {
    let mut folder = tempfile::Builder::new();
    folder.prefix("control-plane-").tempdir_in(parent)
}

fn spawn(
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
