//! Starting, restarting and stopping the two servers.

use std::env;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use genclient::kube::config::{KubeConfigOptions, Kubeconfig};
use genclient::kube::{Client, Config};
use tempfile::TempDir;
use tokio::time::{Instant, sleep};

use super::error::{START_TIMEOUT, StartError};
use super::flags::{self, Files};
use super::port;
use super::process::Process;

/// A port that was free may be taken by another process before the server binds it.
const ATTEMPTS: u32 = 3;

/// The folder that `KUBEBUILDER_ASSETS` names, if it is set and not empty.
pub fn assets() -> Option<PathBuf> {
    env::var_os("KUBEBUILDER_ASSETS")
        .filter(|folder| !folder.is_empty())
        .map(PathBuf::from)
}

/// A running kube-apiserver with its etcd. Both end when it is dropped.
pub struct ControlPlane {
    servers: Mutex<Servers>,
    assets: PathBuf,
    port: u16,
    etcd_port: u16,
    config: Config,
    client: Client,
    folder: PathBuf,
}

/// Dropped from top to bottom: an API server whose etcd is gone takes half a minute to end by itself.
struct Servers {
    api_server: Option<Process>,
    etcd: Option<Process>,
    folder: TempDir,
}

impl ControlPlane {
    /// Starts both servers from [`assets`] and waits until the API server is ready, which takes a few seconds.
    ///
    /// # Errors
    ///
    /// See [`StartError`]. Nothing is left running; the logs are, where they say why.
    ///
    /// # Cancel safety
    ///
    /// A dropped future stops both servers.
    pub async fn start() -> Result<Self, StartError> {
        let assets = assets().ok_or(StartError::NoAssets)?;
        let mut attempt = 1;
        loop {
            match Self::start_once(&assets).await {
                Err(StartError::Ended { last_words, .. })
                    if attempt < ATTEMPTS && last_words.contains("address already in use") =>
                {
                    attempt += 1;
                }
                result => return result,
            }
        }
    }

    async fn start_once(assets: &Path) -> Result<Self, StartError> {
        let folder = tempfile::Builder::new()
            .prefix("control-plane-")
            .tempdir()?;
        let (port, etcd_port) = (port::free()?, port::free()?);
        let files = Files(folder.path());
        files.write(port)?;
        let kubeconfig = Kubeconfig::read_from(files.kubeconfig())?;
        let mut config =
            Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default()).await?;
        // A test wants to see what the server answers, not what it answers after some retries.
        config.default_retry = false;
        let etcd = spawn(
            &assets.join("etcd"),
            flags::etcd(folder.path(), etcd_port),
            &files.etcd_log(),
        )?;
        let plane = Self {
            client: Client::try_from(config.clone()).map_err(StartError::Client)?,
            assets: assets.to_owned(),
            port,
            etcd_port,
            config,
            folder: folder.path().to_owned(),
            servers: Mutex::new(Servers {
                api_server: None,
                etcd: Some(etcd),
                folder,
            }),
        };
        plane.start_api_server().await?;
        Ok(plane)
    }

    /// How to reach the API server as a cluster administrator, without kube's own retries.
    pub fn config(&self) -> Config {
        self.config.clone()
    }

    /// A client of [`config`](Self::config), shared by all who ask.
    pub fn client(&self) -> Client {
        self.client.clone()
    }

    /// A kubeconfig file for programs; it is gone when the control plane is.
    pub fn kubeconfig(&self) -> PathBuf {
        Files(&self.folder).kubeconfig()
    }

    /// The folder with the logs of both servers.
    pub fn logs(&self) -> &Path {
        &self.folder
    }

    /// Where etcd listens, without TLS.
    pub fn etcd_url(&self) -> http::Uri {
        let address = ([127, 0, 0, 1], self.etcd_port);
        let address = std::net::SocketAddr::from(address).to_string();
        http::uri::Builder::new()
            .scheme("http")
            .authority(address)
            .path_and_query("/")
            .build()
            .unwrap_or_default()
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

    /// Lets a paused API server go on.
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

    /// Starts the API server on the port that it had, and waits until it is ready. One that runs already is replaced.
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
        self.kill_api_server();
        let files = Files(&self.folder);
        let mut flags = flags::api_server(&files, self.port, self.etcd_port);
        flags.extend(more.iter().copied().map(str::to_owned));
        let api_server = spawn(
            &self.assets.join("kube-apiserver"),
            flags,
            &files.api_server_log(),
        )?;
        self.servers().api_server = Some(api_server);
        self.ready().await.inspect_err(|_| self.keep_logs())
    }

    async fn ready(&self) -> Result<(), StartError> {
        let deadline = Instant::now() + START_TIMEOUT;
        loop {
            let request = http::Request::get("/readyz")
                .body(Vec::new())
                .map_err(io::Error::other)?;
            let last = match self.client.request_text(request).await {
                Ok(_) => return Ok(()),
                Err(error) => error.to_string(),
            };
            self.alive()?;
            if Instant::now() >= deadline {
                let logs = self.logs().to_owned();
                return Err(StartError::NotReady { last, logs });
            }
            sleep(Duration::from_millis(50)).await;
        }
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

    /// Stops both servers.
    pub fn stop(&self) {
        let mut servers = self.servers();
        servers.api_server = None;
        servers.etcd = None;
    }

    fn servers(&self) -> MutexGuard<'_, Servers> {
        self.servers.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn spawn(program: &Path, arguments: Vec<String>, log: &Path) -> Result<Process, StartError> {
    Process::spawn(program, arguments, log).map_err(|source| StartError::Spawn {
        program: program.to_owned(),
        source,
    })
}
