//! Tests of leader election on the real API server: no two replicas work at the same time, whatever
//! happens to the leader.

mod killed;
mod partitioned;
mod replica;
mod stamps;

use std::time::Duration;

use e2e::ControlPlane;
use genclient::leaderelection::{LeaderElector, LeaderElectorBuilder, LeaseLock};
use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use kube::Config;
use kube::api::Api;
use libtest_mimic::Failed;

use crate::suite::Suite;

pub(crate) use replica::replica;

/// Short, but long enough for a machine that is busy with other tests.
const LEASE_DURATION: Duration = Duration::from_secs(6);
const RENEW_DEADLINE: Duration = Duration::from_secs(4);
const RETRY_PERIOD: Duration = Duration::from_millis(500);

/// Maximum time until the lease of a lost leader is taken over: it expires, and then a candidate
/// retries. The rest is for requests and the start of a process.
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

/// Returns a candidate for the lease in `namespace`.
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

/// Returns the stored lease.
async fn lease(plane: &ControlPlane, namespace: &str) -> Result<LeaseSpec, Failed> {
    let leases: Api<Lease> = Api::namespaced(plane.client(), namespace);
    Ok(leases.get(NAME).await?.spec.unwrap_or_default())
}
