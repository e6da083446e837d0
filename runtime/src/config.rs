//! Client configuration from flags, a kubeconfig or a service account; and parsers of flag values.

use std::path::{Path, PathBuf};
use std::time::Duration;

use genclient_apimachinery::validation;
use kube::Config;
use kube::config::{InClusterError, KubeConfigOptions, Kubeconfig, KubeconfigError};
use serde_saphyr::Location;

/// Error of [`from_flags`]. It may name a context, a cluster or a file of the kubeconfig, but never
/// quotes a token or a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// The kubeconfig of `--kubeconfig` cannot be used.
    #[error("cannot load the kubeconfig `{}`: {}", path.display(), message_of(kubeconfig))]
    Kubeconfig {
        /// The path of the kubeconfig.
        path: PathBuf,
        /// Error of loading the kubeconfig.
        kubeconfig: Box<KubeconfigError>,
    },
    /// Neither a Pod's service account nor the kubeconfig of the environment can be used.
    #[error(
        "not running in a cluster ({in_cluster}), and cannot load the kubeconfig {}: {}",
        default_kubeconfig_path(),
        message_of(kubeconfig)
    )]
    Inferred {
        /// Why there is no in-cluster configuration.
        in_cluster: Box<InClusterError>,
        /// Error of loading the kubeconfig.
        kubeconfig: Box<KubeconfigError>,
    },
    /// The address of the API server is not a URL.
    #[error("invalid URL of the API server: `{address}`")]
    Master {
        /// The given address.
        address: String,
        /// Error of parsing the address.
        #[source]
        source: http::uri::InvalidUri,
    },
}

/// Error of [`duration`]: the text is not a duration, or the duration is negative.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct DurationError(String);

/// Parses the value of a flag in Go's duration syntax: `1h30m`, `10s`, `0`.
///
/// ```
/// use std::time::Duration;
/// use genclient::config;
///
/// assert_eq!(config::duration("1m30s"), Ok(Duration::from_secs(90)));
/// assert!(config::duration("10").is_err());
/// ```
///
/// # Errors
///
/// If the text does not have this syntax, or the duration is negative.
pub fn duration(text: &str) -> Result<Duration, DurationError> {
    if text.is_empty() {
        return Err(DurationError("duration must not be empty".to_owned()));
    }
    let duration: kube::core::Duration = text
        .parse()
        .map_err(|error| DurationError(format!("{error}")))?;
    if duration.is_negative() {
        return Err(DurationError("duration must not be negative".to_owned()));
    }
    Ok(duration.into())
}

/// Error of [`namespace`]: the text is not a valid namespace name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected up to 63 lower-case letters, digits and `-`, with a letter or digit at both ends"
)]
#[non_exhaustive]
pub struct NamespaceError;

/// Parses the value of a flag that names a namespace.
///
/// A namespace with an invalid name cannot exist, so a program that reads from it would find
/// nothing and report no error.
///
/// ```
/// use genclient::config;
///
/// assert_eq!(config::namespace("kube-system").as_deref(), Ok("kube-system"));
/// assert!(config::namespace("Default").is_err());
/// ```
///
/// # Errors
///
/// If the text is not a DNS label.
pub fn namespace(text: &str) -> Result<String, NamespaceError> {
    if validation::label(text).is_empty() {
        Ok(text.to_owned())
    } else {
        Err(NamespaceError)
    }
}

/// Returns the client configuration for the flags `--master` and `--kubeconfig`: client-go's
/// `BuildConfigFromFlags`.
///
/// Without either flag, the service account of the Pod is used. Outside of a cluster, the
/// kubeconfig in `KUBECONFIG` is used, or else `~/.kube/config`; client-go's function reads
/// neither. `master` (`https://host:6443`, or `host:8080`) replaces the address in the kubeconfig.
/// With `master` alone, the configuration has no credentials.
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
/// Only files are read, so the future can be dropped at any time.
pub async fn from_flags(
    master: Option<&str>,
    kubeconfig: Option<&Path>,
) -> Result<Config, ConfigError> {
    // As in client-go, an empty flag counts as absent.
    let master = master.filter(|address| !address.is_empty());
    let kubeconfig = kubeconfig.filter(|path| !path.as_os_str().is_empty());
    let address = master.map(parse_address).transpose()?;
    let mut config = match (kubeconfig, &address) {
        (Some(path), _) => load_kubeconfig(path).await?,
        (None, Some(address)) => Config::new(address.clone()),
        (None, None) => infer_config().await?,
    };
    if let Some(address) = address {
        config.cluster_url = address;
    }
    Ok(config)
}

async fn infer_config() -> Result<Config, ConfigError> {
    let in_cluster = match Config::incluster() {
        Ok(config) => return Ok(config),
        Err(error) => Box::new(error),
    };
    let kubeconfig = Config::from_kubeconfig(&KubeConfigOptions::default()).await;
    kubeconfig.map_err(|error| ConfigError::Inferred {
        in_cluster,
        kubeconfig: remove_content(error),
    })
}

async fn load_kubeconfig(path: &Path) -> Result<Config, ConfigError> {
    let failed = |error| ConfigError::Kubeconfig {
        path: path.to_owned(),
        kubeconfig: remove_content(error),
    };
    let kubeconfig = Kubeconfig::read_from(path).map_err(failed)?;
    Config::from_custom_kubeconfig(kubeconfig, &KubeConfigOptions::default())
        .await
        .map_err(failed)
}

/// Returns the message of an error about a kubeconfig, without the path, which the caller adds.
/// kube's messages include their causes, so [`ConfigError`] does not report these as sources.
fn message_of(error: &KubeconfigError) -> String {
    match error {
        KubeconfigError::ReadConfig(error, _) => error.to_string(),
        other => other.to_string(),
    }
}

/// Returns the path of the kubeconfig that is used without a flag, for error messages.
fn default_kubeconfig_path() -> String {
    match std::env::var("KUBECONFIG") {
        Ok(paths) if !paths.is_empty() => format!("`{paths}` ($KUBECONFIG)"),
        _ => "`~/.kube/config`".to_owned(),
    }
}

/// Replaces the message of a syntax error: it quotes lines around the error, which may contain
/// tokens and keys. The location of the error is kept.
fn remove_content(error: KubeconfigError) -> Box<KubeconfigError> {
    Box::new(match error {
        KubeconfigError::Parse(error) => {
            KubeconfigError::Parse(Box::new(serde_saphyr::Error::Message {
                msg: "syntax error, or a value of the wrong type".to_owned(),
                location: error.location().unwrap_or(Location::UNKNOWN),
            }))
        }
        other => other,
    })
}

fn parse_address(address: &str) -> Result<http::Uri, ConfigError> {
    // Like client-go, treats a bare `host:port` as plain HTTP.
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
    use crate::error_chain::error_chain;

    #[test]
    fn duration_flags_are_parsed_as_in_go() {
        assert_eq!(duration("1h30m"), Ok(Duration::from_secs(5400)));
        assert_eq!(duration("0"), Ok(Duration::ZERO));
        for wrong in ["10", "-5m", "ten", ""] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[tokio::test]
    async fn missing_kubeconfig_is_named_in_the_error() {
        let path = Path::new("/nowhere/kubeconfig");
        let error = from_flags(None, Some(path)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "cannot load the kubeconfig `/nowhere/kubeconfig`: No such file or directory (os error 2)"
        );
        assert!(std::error::Error::source(&error).is_none());
    }

    #[tokio::test]
    async fn errors_do_not_quote_the_kubeconfig() {
        let path = std::env::temp_dir().join(format!("kubeconfig-{}", std::process::id()));
        for (kubeconfig, place) in [
            ("users:\n- name: a\n  user: {token: hunter2", "line 3"),
            ("users:\n- name: a\n  user: {token: 'hunter2}\n", "line 3"),
            (
                "users:\n- name: a\n  user:\n    token: hunter2: b\n",
                "line 4",
            ),
            (
                "users:\n- name: a\n  user:\n    token: [hunter2]\n",
                "line 4",
            ),
            ("users:\n- name: a\n  user: hunter2\n", "line 3"),
            (
                "users:\n- name: a\n  user: {exec: {env: hunter2}}\n",
                "line 3",
            ),
            ("users:\n- hunter2\n", "line 2"),
            ("users: *hunter2\n", "line 1"),
            ("hunter2\n", "line 1"),
            ("a: 1\nhunter2\n", "line 2"),
            ("hunter2: 1\nhunter2: 1\n", "line 2"),
        ] {
            std::fs::write(&path, kubeconfig).unwrap();
            let error = from_flags(None, Some(&path)).await.unwrap_err();
            let text = error_chain(&error).map(|cause| format!("{cause} {cause:?}"));
            let text = Vec::from_iter(text).join("\n");
            assert!(text.contains(place), "{kubeconfig}{text}");
            assert!(!text.contains("hunter2"), "{kubeconfig}{text}");
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn address_without_a_scheme_uses_http() {
        for (address, url) in [
            ("localhost:8080", "http://localhost:8080/"),
            ("https://10.0.0.1:6443", "https://10.0.0.1:6443/"),
        ] {
            assert_eq!(parse_address(address).unwrap().to_string(), url);
        }
        assert!(parse_address("a b").is_err());
    }
}
