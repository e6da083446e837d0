//! Common command-line flags of the programs: the API server to use, and the log level.

use std::io::IsTerminal as _;
use std::path::PathBuf;

use genclient::kube::Config;
use tracing_subscriber::EnvFilter;

/// Which API server to use.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Connection {
    /// Path to a kubeconfig; defaults to the Pod's service account, $KUBECONFIG or ~/.kube/config
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Address of the API server; overrides that of the kubeconfig
    #[arg(long, value_name = "URL")]
    master: Option<String>,
}

impl Connection {
    /// Returns the configuration of a client.
    ///
    /// # Errors
    ///
    /// If no configuration is found, or it is invalid.
    pub async fn config(&self) -> Result<Config, genclient::config::ConfigError> {
        genclient::config::from_flags(self.master.as_deref(), self.kubeconfig.as_deref()).await
    }
}

/// How much to log.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub struct Logging {
    /// Log the work of informers; -vv logs the details of all libraries; RUST_LOG takes precedence
    #[arg(short, long, action = clap::ArgAction::Count)]
    verbose: u8,
}

impl Logging {
    /// Initializes logging to standard error.
    pub fn start(self) {
        let filter = match self.verbose {
            0 => "info,kube_client=off",
            1 => "info,genclient=debug,kube_client=off",
            _ => "debug",
        };
        tracing_subscriber::fmt()
            .with_env_filter(EnvFilter::try_from_default_env().unwrap_or_else(|_| filter.into()))
            .with_writer(std::io::stderr)
            .with_ansi(std::io::stderr().is_terminal())
            .init();
    }
}
