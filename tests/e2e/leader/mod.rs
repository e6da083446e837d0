//! Leader election on the real API server: whatever happens to the leader, no two replicas work at the same time.

mod killed;
mod partitioned;
mod replica;
mod stamps;

use std::time::Duration;

use genclient::leaderelection::{LeaderElector, LeaderElectorBuilder, LeaseLock};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::Config;
use kube::api::Api;
use libtest_mimic::Failed;
use tests::ControlPlane;

use crate::suite::Suite;

pub(crate) use replica::replica;

/// Short, yet long enough for a machine that is busy with other tests.
const LEASE_DURATION: Duration = Duration::from_secs(6);
const RENEW_DEADLINE: Duration = Duration::from_secs(4);
const RETRY_PERIOD: Duration = Duration::from_millis(500);

/// How long the lease of a leader that is gone may go untaken: it ends, and then somebody looks. What is on top is the time
/// that requests and a new process may take.
const TAKEOVER: Duration = Duration::from_millis(6000 + 500 * 22 / 10 + 3000);

/// The name of the lease.
const NAME: &str = "replicas";

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("leader::killed_processes", killed::killed_processes);
    suite.both(
        "leader::partitioned_leader",
        partitioned::partitioned_leader,
    );
    suite.own(
        "leader::stopped_api_server",
        partitioned::stopped_api_server,
    );
    suite.own("leader::killed_api_server", partitioned::killed_api_server);
}

/// Stands for the lease in `namespace`.
fn elector(config: Config, namespace: &str, identity: &str) -> Result<LeaderElector, Failed> {
    let lock = LeaseLock::connect(config, namespace, NAME, identity)?;
    Ok(timed(LeaderElector::builder(lock)).build()?)
}

fn timed(builder: LeaderElectorBuilder) -> LeaderElectorBuilder {
    builder
        .lease_duration(LEASE_DURATION)
        .renew_deadline(RENEW_DEADLINE)
        .retry_period(RETRY_PERIOD)
}

/// The lease as it is stored.
async fn lease(plane: &ControlPlane, namespace: &str) -> Result<LeaseSpec, Failed> {
    let leases: Api<Lease> = Api::namespaced(plane.client(), namespace);
    Ok(leases.get(NAME).await?.spec.unwrap_or_default())
}
