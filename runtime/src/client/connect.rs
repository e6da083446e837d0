//! From a configuration to a connection.

use kube::{Client, Config};

use super::{Result, builder};

/// Connects to the API server that `config` names. Nothing is sent yet.
///
/// kube's own retries (up to 15, up to 1000 s apart) are turned off: a verb answers what the API server answered, and caches
/// follow client-go's retry rules. A `User-Agent` is sent, the program's name first as client-go does, unless `config` has one.
/// What the API server warns of is logged, each text once. [`builder`] has more settings.
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
