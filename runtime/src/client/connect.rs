//! From a configuration to a connection.

use http::HeaderValue;
use http::header::USER_AGENT;
use kube::{Client, Config};

use super::Result;

/// Connects to the API server that `config` names. Nothing is sent yet.
///
/// kube's own retries (up to 15, up to 1000 s apart) are turned off: a verb answers what the API server answered, and caches
/// follow client-go's retry rules. A `User-Agent` is sent, the program's name first as client-go does, unless `config` has one.
///
/// # Errors
///
/// If the TLS or proxy settings of `config` cannot be used.
///
/// # Panics
///
/// Outside of a Tokio runtime, which the connection belongs to.
pub fn connect(mut config: Config) -> Result<Client> {
    config.default_retry = false;
    if !config.headers.iter().any(|(name, _)| name == USER_AGENT)
        && let Ok(agent) = HeaderValue::from_str(&user_agent())
    {
        config.headers.push((USER_AGENT, agent));
    }
    Client::try_from(config)
}

fn user_agent() -> String {
    let program = std::env::current_exe().ok();
    let program = program
        .as_deref()
        .and_then(|path| path.file_stem())
        .and_then(|name| name.to_str())
        .unwrap_or("unknown");
    format!(
        "{program} ({}/{}) genclient/{}",
        std::env::consts::OS,
        std::env::consts::ARCH,
        env!("CARGO_PKG_VERSION")
    )
}
