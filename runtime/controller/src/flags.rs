//! [`ManagerFlags`]: command-line flags of a program that runs a manager.

use std::io::{self, IsTerminal as _};
use std::net::{SocketAddr, ToSocketAddrs as _};
use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgAction, Args, ValueEnum};
use genclient::config;
use genclient::sharding::ShardBy;
use tracing_subscriber::EnvFilter;

use crate::http_listener::unspecified_address;
use crate::manager::ManagerBuilder;
#[cfg(feature = "tls")]
use crate::manager::SecureMetrics;

/// The flags of a program that runs a manager. The flags for the connection, probes, metrics and
/// leader election have the same names as in kubebuilder's programs or Kubernetes' own components.
///
/// ```no_run
/// use clap::Parser;
/// use genclient_controller::{Manager, ManagerFlags};
///
/// /// Keeps guestbooks
/// #[derive(Parser)]
/// struct Flags {
///     #[command(flatten)]
///     manager: ManagerFlags,
/// }
///
/// # async fn example() -> Result<(), genclient_controller::SetupError> {
/// let flags = Flags::parse();
/// flags.manager.init_logging();
/// let manager = Manager::builder("guestbook").flags(&flags.manager).build().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Args, Clone, Debug)]
#[non_exhaustive]
pub struct ManagerFlags {
    /// Path to a kubeconfig; defaults to the Pod's service account, $KUBECONFIG or ~/.kube/config
    #[arg(long, value_name = "FILE")]
    pub kubeconfig: Option<PathBuf>,

    /// Address of the API server; overrides the kubeconfig
    #[arg(long, value_name = "URL")]
    pub master: Option<String>,

    /// Namespace to watch; may be repeated. Defaults to all namespaces
    #[arg(long, value_name = "NAMESPACE", value_parser = config::namespace)]
    pub namespace: Vec<String>,

    /// Interval at which all objects are reconciled without a change, such as 10m; 0 disables it
    #[arg(long, value_name = "DURATION", default_value = "10h", value_parser = config::duration)]
    pub resync: Duration,

    /// Maximum time to wait for caches to sync
    #[arg(long, value_name = "DURATION", default_value = "2m", value_parser = config::duration)]
    pub cache_sync_timeout: Duration,

    /// Maximum time for a graceful shutdown
    #[arg(long, value_name = "DURATION", default_value = "30s", value_parser = config::duration)]
    pub graceful_shutdown_timeout: Duration,

    /// Address to serve /healthz and /readyz on, such as :8081; 0 disables them
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = parse_address)]
    pub health_probe_bind_address: BindAddress,

    /// Address to serve /metrics on, such as :8080, for all who can reach it; 0 disables it
    #[arg(long, value_name = "ADDRESS", default_value = "0", value_parser = parse_address)]
    pub metrics_bind_address: BindAddress,

    /// Serve /metrics over TLS, to clients that the API server authenticates and authorizes
    #[cfg(feature = "tls")]
    #[arg(long)]
    pub metrics_secure: bool,

    /// Folder with the certificate of the metrics server; defaults to a self-signed certificate
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "FOLDER", requires = "metrics_secure")]
    pub metrics_cert_path: Option<PathBuf>,

    /// File name of the metrics server's certificate
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "NAME", default_value = "tls.crt")]
    pub metrics_cert_name: String,

    /// File name of the metrics server's key
    #[cfg(feature = "tls")]
    #[arg(long, value_name = "NAME", default_value = "tls.key")]
    pub metrics_cert_key: String,

    /// Enable leader election: only the leader of the replicas is active
    #[arg(long, help_heading = "Leader election")]
    pub leader_elect: bool,

    /// Share the objects among the replicas: by namespace, or by name
    #[arg(long, value_name = "KEY", value_parser = shard_by(), help_heading = "Leader election")]
    pub shard_by: Option<ShardBy>,

    /// Namespace of the leader's Lease; defaults to that of the Pod or the kubeconfig
    #[arg(long, value_name = "NAMESPACE", value_parser = config::namespace, help_heading = "Leader election")]
    pub leader_elect_resource_namespace: Option<String>,

    /// Name of the leader's Lease; defaults to the program's name
    #[arg(long, value_name = "NAME", help_heading = "Leader election")]
    pub leader_elect_resource_name: Option<String>,

    /// How long other replicas wait after a renewal before they try to acquire the Lease
    #[arg(long, value_name = "DURATION", default_value = "15s", value_parser = config::duration, help_heading = "Leader election")]
    pub leader_elect_lease_duration: Duration,

    /// How long the leader retries a renewal before it stops; must be less than the lease duration
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = config::duration, help_heading = "Leader election")]
    pub leader_elect_renew_deadline: Duration,

    /// Interval between attempts to acquire or renew the Lease
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = config::duration, help_heading = "Leader election")]
    pub leader_elect_retry_period: Duration,

    /// Format of logs on standard error
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        help_heading = "Logs"
    )]
    pub log_format: LogFormat,

    /// Log each reconcile, list and watch; -vv includes all libraries. RUST_LOG takes precedence
    #[arg(short, long, action = ArgAction::Count, help_heading = "Logs")]
    pub verbose: u8,
}

/// An address to listen on, or `None` to serve nothing.
pub type BindAddress = Option<SocketAddr>;

/// Format of logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
#[non_exhaustive]
pub enum LogFormat {
    /// Human-readable lines.
    Text,
    /// One JSON object per line.
    Json,
}

impl ManagerFlags {
    #[cfg(feature = "tls")]
    fn secure_metrics(&self) -> SecureMetrics {
        match &self.metrics_cert_path {
            None => SecureMetrics::self_signed(),
            Some(folder) => SecureMetrics::files(
                folder.join(&self.metrics_cert_name),
                folder.join(&self.metrics_cert_key),
            ),
        }
    }

    /// Initializes logging to standard error, filtered by `RUST_LOG`, or else by `-v` and `-vv`.
    /// Does nothing if logging is initialized already.
    pub fn init_logging(&self) {
        let filter = match self.verbose {
            0 => "info,kube_client=off",
            1 => "info,genclient=debug,genclient_controller=debug,kube_client=off",
            _ => "debug",
        };
        let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| filter.into());
        let logs = tracing_subscriber::fmt()
            .with_env_filter(filter)
            .with_writer(io::stderr)
            .with_ansi(io::stderr().is_terminal());
        // An error means that there is a subscriber already.
        let _ = match self.log_format {
            LogFormat::Text => logs.try_init(),
            LogFormat::Json => logs.json().try_init(),
        };
    }
}

/// Initializes logging in tests. The output of a failed test then has warnings and errors, such as
/// the reason of a retry; `RUST_LOG` selects more. Does nothing if logging is initialized already.
///
/// ```
/// genclient_controller::init_test_logging();
/// ```
pub fn init_test_logging() {
    let filter =
        EnvFilter::try_from_default_env().unwrap_or_else(|_| "warn,kube_client=off".into());
    let logs = tracing_subscriber::fmt().with_env_filter(filter);
    // An error means that there is a subscriber already.
    let _ = logs.with_ansi(false).with_test_writer().try_init();
}

impl ManagerBuilder {
    /// Applies the flags of a program. The kubeconfig is read by [`build`](Self::build).
    pub fn flags(self, flags: &ManagerFlags) -> Self {
        let mut builder = self
            .found_by(flags.master.clone(), flags.kubeconfig.clone())
            .resync(flags.resync)
            .cache_sync_timeout(flags.cache_sync_timeout)
            .graceful_shutdown_timeout(flags.graceful_shutdown_timeout)
            .leader_election(flags.leader_elect)
            .lease_duration(flags.leader_elect_lease_duration)
            .renew_deadline(flags.leader_elect_renew_deadline)
            .retry_period(flags.leader_elect_retry_period)
            .timing_is_of_flags();
        if !flags.namespace.is_empty() {
            builder = builder.namespaces(&flags.namespace);
        }
        if let Some(address) = flags.health_probe_bind_address {
            builder = builder.health_probe_bind_address(address);
        }
        if let Some(address) = flags.metrics_bind_address {
            builder = builder.metrics_bind_address(address);
        }
        #[cfg(feature = "tls")]
        if flags.metrics_secure {
            builder = builder.secure_metrics(flags.secure_metrics());
        }
        if let Some(shard_by) = flags.shard_by {
            builder = builder.shard_by(shard_by);
        }
        if let Some(namespace) = &flags.leader_elect_resource_namespace {
            builder = builder.leader_election_namespace(namespace);
        }
        if let Some(name) = &flags.leader_elect_resource_name {
            builder = builder.leader_election_id(name);
        }
        builder
    }
}

fn shard_by() -> impl TypedValueParser<Value = ShardBy> {
    PossibleValuesParser::new(["namespace", "name"]).try_map(|key| key.parse::<ShardBy>())
}

/// Parses an address as Go's `net.Listen` does. `:8081` means every IPv6 and IPv4 address of this
/// host. A host name means its first IPv4 address, or its first address if it has no IPv4 address.
/// Returns `None` for `0`.
pub(crate) fn parse_address(text: &str) -> Result<BindAddress, String> {
    if text == "0" {
        return Ok(None);
    }
    let example = || "expected an address such as `:8081` or `localhost:8081`, or `0`".to_owned();
    let (host, port) = text.rsplit_once(':').ok_or_else(example)?;
    let port: u16 = port.parse().map_err(|_| format!("invalid port `{port}`"))?;
    if host.is_empty() {
        return Ok(Some(unspecified_address(port)));
    }
    let bracketed = host
        .strip_prefix('[')
        .and_then(|host| host.strip_suffix(']'));
    if bracketed.is_none() && host.contains(':') {
        return Err(example());
    }
    let host = bracketed.unwrap_or(host);
    let addresses: Vec<_> = (host, port)
        .to_socket_addrs()
        .map_err(|error| format!("cannot resolve host `{host}`: {error}"))?
        .collect();
    let first = addresses
        .iter()
        .find(|it| it.is_ipv4())
        .or(addresses.first());
    let none = || format!("host `{host}` has no address");
    first.copied().map(Some).ok_or_else(none)
}

#[cfg(test)]
mod tests;
