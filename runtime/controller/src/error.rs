//! Manager errors: [`SetupError`] and [`RunError`].

use std::fmt;
use std::time::Duration;

use genclient::informer::StopCause;
use genclient::leaderelection::{LeaderElectionConfigError, LeadershipLostError};
use genclient::scheme::GroupVersionResource;

use crate::cluster::{CacheError, WatchError, cluster_prefix};
use crate::error_text::format_error_chain;
use crate::failure::BoxError;

/// Error of building a manager or a webhook service, or of adding a component, a check or a cluster
/// to a manager.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SetupError {
    /// A watch of a controller cannot be added.
    #[error("cannot add a watch to controller `{controller}`")]
    Watch {
        /// The name of the controller.
        controller: String,
        /// The reason why the watch cannot be added.
        #[source]
        error: WatchError,
    },
    /// Another component has this name.
    #[error("duplicate component name `{0}`: rename one with `Controller::named` or `Task::new`")]
    SameName(String),
    /// Another check has this name.
    #[error("duplicate check name `{0}`: choose another name")]
    SameCheck(String),
    /// Another cluster has this name. The manager's own cluster has the empty name.
    #[error("duplicate cluster name `{0}`: rename one of the clusters")]
    SameCluster(String),
    /// A [`ManagerHandle`](crate::ManagerHandle) was to add a component, but caches did not sync.
    /// The value has an error for each of them.
    #[error("{}", Lines(.0))]
    Sync(Vec<CacheError>),
    /// The manager has ended. The value is the name of the component or cluster that cannot be
    /// added.
    #[error("cannot add `{0}`: the manager has stopped")]
    Stopped(String),
    /// A controller has neither a watch that enqueues requests nor a source.
    #[error("controller `{0}` is never triggered: add a watch or a source")]
    NothingToWatch(String),
    /// The path of a webhook is invalid or in use.
    #[error("webhook at `{path}`: {problem}")]
    WebhookPath {
        /// The path of the webhook.
        path: String,
        /// The problem, and what to do.
        problem: &'static str,
    },
    /// The conversion of a CustomResourceDefinition was added twice.
    #[error("duplicate conversion of `{0}`")]
    SameConversion(String),
    /// The settings of certificates that the program issues are invalid.
    #[error("`Certificates::own`: {0}")]
    OwnCertificates(String),
    /// The authorities of client certificates cannot be parsed.
    #[error("`WebhookServer::client_authorities`: expected CA certificates in PEM format")]
    ClientAuthorities(#[source] BoxError),
    /// The connection settings of the API server are missing or invalid.
    #[error("cannot load the client configuration")]
    Config(#[source] BoxError),
    /// The connection cannot be set up.
    #[error("cannot connect to the API server")]
    Connect(#[source] genclient::kube::Error),
    /// The settings of leader election are invalid.
    #[error("{rule}")]
    Election {
        /// The violated rule.
        error: LeaderElectionConfigError,
        /// The message of the rule. It names flags if the settings came from flags. Otherwise it is
        /// the message of `error`, with client-go's names of the settings.
        rule: String,
    },
    /// The certificate of the metrics server cannot be used.
    #[error("cannot load the certificate of the metrics server")]
    Certificate(#[source] BoxError),
    /// An address cannot be bound.
    #[error("{server} cannot listen on {address}")]
    Listen {
        /// The name of the server, such as `the webhook server`.
        server: &'static str,
        /// The address that cannot be bound.
        address: String,
        /// The reason why it cannot be bound.
        #[source]
        error: std::io::Error,
    },
}

/// Error that ended [`Manager::run`](crate::Manager::run).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// Caches did not sync. The value has an error for each of them.
    #[error("{}", Lines(.0))]
    Sync(Vec<CacheError>),
    /// An informer stopped while the program ran.
    #[error("{}the informer of {resource} has stopped", cluster_prefix(cluster))]
    Informer {
        /// The name of the cluster; empty for the manager's own cluster.
        cluster: String,
        /// The resource that the informer caches.
        resource: GroupVersionResource,
        /// The reason why the informer stopped.
        #[source]
        cause: StopCause,
    },
    /// A component failed or panicked.
    #[error("`{component}` failed")]
    Component {
        /// The name of the component.
        component: String,
        /// The error that the component returned, or its panic.
        #[source]
        error: BoxError,
    },
    /// The lease was lost: another replica may lead. The program has to exit.
    #[error("{error}: {cause}")]
    LeadershipLost {
        /// Tells whether the work ended, or was dropped.
        error: LeadershipLostError,
        /// The current holder of the lease, or the reason why it could not be renewed.
        cause: String,
    },
    /// Components did not end within their timeout, and were dropped.
    #[error("{} did not stop within {} s and was dropped", .components.join(", "), timeout.as_secs_f64())]
    Stuck {
        /// The names of the components.
        components: Vec<String>,
        /// The time that the components had to end.
        timeout: Duration,
    },
}

/// Returns the message of the rule that election settings violate, with the names of the flags.
#[cfg(feature = "flags")]
pub(crate) fn rule_of_flags(error: &LeaderElectionConfigError) -> String {
    let (one, rule) = match error {
        LeaderElectionConfigError::LeaseDuration => (
            "lease-duration",
            "greater than `--leader-elect-renew-deadline`",
        ),
        LeaderElectionConfigError::RenewDeadline => (
            "renew-deadline",
            "greater than 1.2 times `--leader-elect-retry-period`",
        ),
        LeaderElectionConfigError::ShardingLeaseDuration => (
            "lease-duration",
            "greater than 10/9 of `--leader-elect-renew-deadline` with `--shard-by`",
        ),
        LeaderElectionConfigError::NoRetryPeriod => ("retry-period", "greater than zero"),
        LeaderElectionConfigError::LeaseName(_) => {
            return format!("{error} (`--leader-elect-resource-name`)");
        }
        other => return other.to_string(),
    };
    format!("`--leader-elect-{one}` must be {rule}")
}

/// Display of errors, one per line, each with its causes.
struct Lines<'a>(&'a [CacheError]);

impl fmt::Display for Lines<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            if index > 0 {
                f.write_str("\n")?;
            }
            f.write_str(&format_error_chain(error))?;
        }
        Ok(())
    }
}
