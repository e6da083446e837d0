//! Command-line flags of leader election, named as those of Kubernetes' own components.

use std::time::Duration;

use clap::Args;
use genclient::kube::Config;
use genclient::leaderelection::{LeaderElector, LeaseLock, unique_identity};
use genclient::record::EventRecorder;
use gputask::controller;

use genclient::config::duration;

/// Leader election: only one of several replicas works at a time
#[derive(Debug, Args)]
#[command(next_help_heading = "Leader election")]
pub(crate) struct Election {
    /// Enable leader election: only the leader of the replicas is active
    #[arg(long)]
    leader_elect: bool,

    /// Namespace of the leader's Lease; defaults to that of the Pod or the kubeconfig
    #[arg(long, value_name = "NAMESPACE")]
    leader_elect_resource_namespace: Option<String>,

    /// Name of the Lease of the leader
    #[arg(long, value_name = "NAME", default_value = controller::NAME)]
    leader_elect_resource_name: String,

    /// How long other replicas wait for a leader that does not renew its Lease
    #[arg(long, value_name = "DURATION", default_value = "15s", value_parser = duration)]
    leader_elect_lease_duration: Duration,

    /// How long the leader retries a renewal before it stops; must be less than the lease duration
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration)]
    leader_elect_renew_deadline: Duration,

    /// Pause between two attempts to acquire or renew the Lease
    #[arg(long, value_name = "DURATION", default_value = "2s", value_parser = duration)]
    leader_elect_retry_period: Duration,
}

impl Election {
    /// Returns the elector, if election is enabled.
    pub(crate) fn elector(
        &self,
        config: &Config,
        recorder: EventRecorder,
    ) -> anyhow::Result<Option<LeaderElector>> {
        if !self.leader_elect {
            return Ok(None);
        }
        let namespace = self
            .leader_elect_resource_namespace
            .as_deref()
            .unwrap_or(&config.default_namespace);
        let name = &self.leader_elect_resource_name;
        let lock = LeaseLock::connect(config.clone(), namespace, name, &unique_identity())?;
        let elector = LeaderElector::builder(lock.recorder(recorder))
            .lease_duration(self.leader_elect_lease_duration)
            .renew_deadline(self.leader_elect_renew_deadline)
            .retry_period(self.leader_elect_retry_period)
            .on_new_leader(|leader| tracing::info!(leader, "new leader elected"))
            .build()?;
        Ok(Some(elector))
    }
}
