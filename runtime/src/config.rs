//! Where the API server is, and who we are to it.

use std::path::{Path, PathBuf};

use kube::Config;
use kube::config::{KubeConfigOptions, Kubeconfig};

/// Why no configuration could be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The kubeconfig could not be used.
    #[error("cannot use the kubeconfig {}", path.display())]
    Kubeconfig {
        /// The file asked for.
        path: PathBuf,
        /// What is wrong with it.
        #[source]
        source: Box<kube::config::KubeconfigError>,
    },
    /// Neither a pod's service account nor a kubeconfig could be used.
    #[error("not running in a cluster ({in_cluster}), and no kubeconfig to use")]
    Inferred {
        /// What a pod has and this program does not.
        in_cluster: Box<kube::config::InClusterError>,
        /// What is wrong with the kubeconfig.
        #[source]
        kubeconfig: Box<kube::config::KubeconfigError>,
    },
    /// The address of the API server is no URL.
    #[error("the address of the API server, `{address}`, is no URL")]
    Master {
        /// What was given.
        address: String,
        /// What is wrong with it.
        #[source]
        source: http::uri::InvalidUri,
    },
}

/// The configuration that a program's `--master` and `--kubeconfig` flags ask for, as client-go's `BuildConfigFromFlags`.
///
/// With neither: the service account of the pod that the program runs in; outside of a cluster, `KUBECONFIG` or else
/// `~/.kube/config`, which client-go would not look for. `master` (`https://host:6443`, or `host:8080`) replaces the address in
/// the kubeconfig; alone, it is all there is: no credentials are sent to it.
///
/// ```no_run
/// # async fn run() -> Result<(), Box<dyn std::error::Error>> {
/// let config = genclient::config::from_flags(None, None).await?;
/// let client = genclient::client::connect(config)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// See [`ConfigError`].
///
/// # Cancel safety
///
/// Reads files only.
pub async fn from_flags(
    master: Option<&str>,
    kubeconfig: Option<&Path>,
) -> Result<Config, ConfigError> {
    // A flag that was given but empty is one that was not given, as in client-go.
    let master = master.filter(|address| !address.is_empty());
    let kubeconfig = kubeconfig.filter(|path| !path.as_os_str().is_empty());
    let address = master.map(parse_address).transpose()?;
    let mut config = match (kubeconfig, &address) {
        (Some(path), _) => from_file(path).await?,
        (None, Some(address)) => Config::new(address.clone()),
        (None, None) => infer().await?,
    };
    if let Some(address) = address {
        config.cluster_url = address;
    }
    Ok(config)
}

async fn infer() -> Result<Config, ConfigError> {
    let in_cluster = match Config::incluster() {
        Ok(config) => return Ok(config),
        Err(error) => Box::new(error),
    };
    let kubeconfig = Config::from_kubeconfig(&KubeConfigOptions::default()).await;
    kubeconfig.map_err(|error| ConfigError::Inferred {
        in_cluster,
        kubeconfig: Box::new(error),
    })
}

async fn from_file(path: &Path) -> Result<Config, ConfigError> {
    let failed = |source| ConfigError::Kubeconfig {
        path: path.to_owned(),
        source: Box::new(source),
    };
    let kubeconfig = Kubeconfig::read_from(path).map_err(failed)?;
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(failed)
}

fn parse_address(address: &str) -> Result<http::Uri, ConfigError> {
    // client-go takes a bare `host:port` to mean plain HTTP.
    let url = if address.contains("://") {
        address.to_owned()
    } else {
        format!("http://{address}")
    };
    url.parse().map_err(|source| ConfigError::Master {
        address: address.to_owned(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn missing_file_is_named_in_the_error() {
        let path = Path::new("/nowhere/kubeconfig");
        let error = from_flags(None, Some(path)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot use the kubeconfig /nowhere/kubeconfig"
        );
    }

    #[test]
    fn bare_address_means_plain_http() {
        for (address, url) in [
            ("localhost:8080", "http://localhost:8080/"),
            ("https://10.0.0.1:6443", "https://10.0.0.1:6443/"),
        ] {
            assert_eq!(parse_address(address).unwrap().to_string(), url);
        }
        assert!(parse_address("a b").is_err());
    }
}
