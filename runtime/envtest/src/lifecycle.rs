//! Process lifecycle of the control plane: start, outages and shutdown.

use std::io;
use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::error::{ShutdownError, StartError};
use crate::flags::{self, Files};
use crate::process::Process;
use crate::server::{ControlPlane, Servers, spawn_server};

/// Interval between readiness checks.
const READY_POLL_INTERVAL: Duration = Duration::from_millis(50);

/// Paths that respond with success once the API server is ready.
const READY_PATHS: [&str; 2] = ["/readyz", "/api/v1/namespaces/default"];

impl ControlPlane {
    /// Kills the API server with SIGKILL, which breaks its connections. etcd keeps the objects. An
    /// existing cluster is not affected.
    pub fn kill_api_server(&self) {
        self.servers().api_server = None;
    }

    /// Suspends the API server with SIGSTOP. Connections stay open, but requests get no response.
    ///
    /// # Errors
    ///
    /// If the API server is not running or belongs to an existing cluster, or the command `kill`
    /// fails.
    pub fn pause_api_server(&self) -> io::Result<()> {
        self.signal_api_server("-STOP")
    }

    /// Resumes a suspended API server with SIGCONT.
    ///
    /// # Errors
    ///
    /// If the API server is not running or belongs to an existing cluster, or the command `kill`
    /// fails.
    pub fn resume_api_server(&self) -> io::Result<()> {
        self.signal_api_server("-CONT")
    }

    fn signal_api_server(&self, signal: &str) -> io::Result<()> {
        let servers = self.servers();
        let api_server = servers
            .api_server
            .as_ref()
            .ok_or_else(|| io::Error::other("no API server runs"))?;
        api_server.signal(signal)
    }

    /// Starts the API server again, on the same port, and waits until it is ready. If it is
    /// running, it is killed first.
    ///
    /// # Errors
    ///
    /// [`StartError`], for example if the API server exits or is not ready in time.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the API server continues to start.
    pub async fn start_api_server(&self) -> Result<(), StartError> {
        self.start_api_server_with(&[]).await
    }

    /// Like [`start_api_server`](Self::start_api_server), with additional flags of kube-apiserver.
    /// The flags apply only to this start.
    ///
    /// # Errors
    ///
    /// [`StartError`], for example if the API server exits or is not ready in time.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the API server continues to start.
    pub async fn start_api_server_with(&self, more: &[&str]) -> Result<(), StartError> {
        let started = self.started.as_ref().ok_or(StartError::Existing)?;
        self.kill_api_server();
        let settings = &started.settings;
        let files = Files(self.logs());
        let mut flags = flags::api_server_flags(&files, started.port, started.etcd_port);
        flags.extend(settings.api_server_flags.iter().cloned());
        flags.extend(more.iter().copied().map(str::to_owned));
        let program = &settings.programs.api_server;
        let api_server = spawn_server(program, flags, &files.api_server_log(), settings.output)?;
        self.servers().api_server = Some(api_server);
        let ready = self.wait_until_ready(settings.start_timeout).await;
        ready.inspect_err(|_| self.keep_logs())
    }

    async fn wait_until_ready(&self, timeout: Duration) -> Result<(), StartError> {
        let deadline = Instant::now() + timeout;
        for path in READY_PATHS {
            while let Err(last) = self.check_path(path).await {
                self.check_alive()?;
                if Instant::now() >= deadline {
                    let logs = self.logs().to_owned();
                    return Err(StartError::NotReady {
                        timeout,
                        last,
                        logs,
                    });
                }
                sleep(READY_POLL_INTERVAL).await;
            }
        }
        Ok(())
    }

    async fn check_path(&self, path: &str) -> Result<(), String> {
        let request = http::Request::get(path)
            .body(Vec::new())
            .map_err(|error| error.to_string())?;
        let answer = self.client().request_text(request).await;
        answer.map(drop).map_err(|error| error.to_string())
    }

    fn check_alive(&self) -> Result<(), StartError> {
        let mut servers = self.servers();
        let Servers {
            api_server, etcd, ..
        } = &mut *servers;
        for (program, process) in [("etcd", etcd), ("kube-apiserver", api_server)] {
            let Some(process) = process else { continue };
            if let Some(status) = process.exit_status() {
                return Err(StartError::Ended {
                    program,
                    status: status.to_string(),
                    logs: self.logs().to_owned(),
                    last_words: process.last_log_lines(),
                });
            }
        }
        Ok(())
    }

    /// Shuts down both servers. A server gets SIGTERM, and SIGKILL if it still runs after
    /// [`stop_timeout`](crate::ControlPlaneBuilder::stop_timeout). An existing cluster is not
    /// stopped.
    ///
    /// kube-apiserver exits within two seconds if there are no open watches; otherwise it waits up
    /// to a minute for them to end. Stop controllers and drop watches first.
    ///
    /// # Errors
    ///
    /// If a server had to be killed. Even then, both servers have ended when the function returns.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the server that is shutting down is killed. etcd may run until the
    /// control plane is dropped.
    pub async fn shutdown(&self) -> Result<(), ShutdownError> {
        let Some(started) = &self.started else {
            return Ok(());
        };
        let timeout = started.settings.stop_timeout;
        let api_server = self.servers().api_server.take();
        let api_server = terminate("kube-apiserver", api_server, timeout).await;
        let etcd = self.servers().etcd.take();
        api_server.and(terminate("etcd", etcd, timeout).await)
    }

    /// Kills both servers with SIGKILL. An existing cluster is not affected.
    pub fn kill(&self) {
        let mut servers = self.servers();
        servers.api_server = None;
        servers.etcd = None;
    }
}

async fn terminate(
    program: &'static str,
    process: Option<Process>,
    timeout: Duration,
) -> Result<(), ShutdownError> {
    let has_ended = match process {
        Some(process) => process.terminate(timeout).await,
        None => true,
    };
    if has_ended {
        Ok(())
    } else {
        Err(ShutdownError { program, timeout })
    }
}
