//! From a configuration to a connection.

use kube::{Client, Config};

use super::{Result, builder};

/// Connects to the API server that `config` names. Nothing is sent yet.
///
/// Requests are sent again by client-go's rules
/// ([`ClientBuilder::max_retries`](super::ClientBuilder::max_retries)), those of informers by their
/// own. kube's retries (up to 15, up to 1000 s apart) are turned off. A `User-Agent` is sent, the
/// program's name first as client-go does, unless `config` has one. What the API server warns of is
/// logged, each text once. [`builder`] has more settings.
///
/// # Errors
///
/// If the TLS or proxy settings of `config` cannot be used.
///
/// # Panics
///
/// Outside of a Tokio runtime, which the connection belongs to.
pub fn connect(config: Config) -> Result<Client> {
    builder(config).connect()
}

/// [`connect`], for a part of the program that the API server may tell apart: client-go's `AddUserAgent`.
#[cfg(feature = "leader-election")]
pub(crate) fn connect_for(config: Config, part: &str) -> Result<Client> {
    use http::header::USER_AGENT;

    use super::default_kubernetes_user_agent;

    let stated = config.headers.iter().rfind(|(name, _)| name == USER_AGENT);
    let stated = stated.and_then(|(_, agent)| agent.to_str().ok().map(str::to_owned));
    let agent = stated.unwrap_or_else(default_kubernetes_user_agent);
    builder(config)
        .user_agent(format!("{agent}/{part}"))
        .connect()
}
