//! What the programs have in common: the flags that say which API server to use.

use std::path::PathBuf;

use genclient::kube::Config;

/// Which API server to use.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Connection {
    /// Path of a kubeconfig; without it, the Pod's service account, $KUBECONFIG or ~/.kube/config
    #[arg(long, value_name = "FILE")]
    kubeconfig: Option<PathBuf>,

    /// Address of the API server, in place of the kubeconfig's
    #[arg(long, value_name = "URL")]
    master: Option<String>,
}

impl Connection {
    /// What a client needs to know.
    ///
    /// # Errors
    ///
    /// There is no kubeconfig, or it cannot be used.
    pub async fn config(&self) -> Result<Config, genclient::config::ConfigError> {
        genclient::config::from_flags(self.master.as_deref(), self.kubeconfig.as_deref()).await
    }
}
