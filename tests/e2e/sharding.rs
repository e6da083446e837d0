//! Sharding on the API server: replicas share the namespaces, and no two of them work on one.

use std::collections::BTreeMap;
use std::future::pending;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use e2e::{ControlPlane, eventually};
use futures::future::join_all;
use genclient::client;
use genclient::leaderelection::{LeaderElector, LeadershipLostError, LeaseLock};
use genclient::sharding::{ShardMember, ShardObstacle, Shards};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{Api, DeleteParams, ListParams};
use libtest_mimic::Failed;
use parking_lot::Mutex;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use crate::suite::{Outcome, Suite};

/// The name of the group.
const GROUP: &str = "shop";
/// Short, but long enough for a machine that is busy with other tests.
const LEASE_DURATION: Duration = Duration::from_secs(6);
const RENEW_DEADLINE: Duration = Duration::from_secs(4);
const RETRY_PERIOD: Duration = Duration::from_millis(500);
/// Time until the work of a lost replica goes on. The rest is for a busy machine.
const TAKEOVER: Duration = Duration::from_secs(6 + 4);
const TENANTS: usize = 40;

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("sharding::replicas_share_namespaces", share_namespaces);
    suite.both(
        "sharding::leader_election_and_sharding_exclude_each_other",
        exclude_leader_election,
    );
}

/// The replica that works on each namespace, and the completed work of each replica.
#[derive(Default)]
struct Work {
    running: BTreeMap<String, usize>,
    done: BTreeMap<(String, usize), usize>,
    violations: Vec<String>,
}

type SharedWork = Arc<Mutex<Work>>;

/// Work of a replica on a namespace. It ends when this is dropped.
struct Running(SharedWork, String);

impl Drop for Running {
    fn drop(&mut self) {
        self.0.lock().running.remove(&self.1);
    }
}

struct Replica {
    shards: Shards,
    stop: CancellationToken,
    run: JoinHandle<()>,
    workers: JoinHandle<()>,
}

impl Replica {
    fn start(
        plane: &ControlPlane,
        namespace: &str,
        index: usize,
        work: &SharedWork,
    ) -> Result<Self, Failed> {
        let client = client::connect(plane.config())?;
        let count = |shards: &Shards| {
            let hashes = tenants().map(|tenant| shards.hash(&tenant, ""));
            Some(hashes.map(|hash| (hash, 1)).collect())
        };
        let member = ShardMember::builder(client, namespace, GROUP)
            .identity(format!("replica-{index}"))
            .lease_duration(LEASE_DURATION)
            .renew_deadline(RENEW_DEADLINE)
            .retry_period(RETRY_PERIOD)
            .drain_timeout(Duration::from_millis(500))
            .counts(count)
            .build()?;
        let (shards, stop) = (member.shards(), CancellationToken::new());
        Ok(Self {
            run: tokio::spawn(member.run(stop.clone())),
            workers: tokio::spawn(work_on_all(index, shards.clone(), Arc::clone(work))),
            shards,
            stop,
        })
    }

    fn held(&self) -> usize {
        tenants()
            .filter(|tenant| self.shards.holds(tenant, ""))
            .count()
    }

    /// Stops the workers, and waits until the replica has left the group.
    async fn shut_down(self) -> Outcome {
        self.stop.cancel();
        self.run.await?;
        self.workers.abort();
        Ok(())
    }

    /// No more renewals, as if the process could not reach the API server. Its workers go on.
    fn isolate(&self) {
        self.run.abort();
    }
}

fn tenants() -> impl Iterator<Item = String> {
    (0..TENANTS).map(|tenant| format!("tenant-{tenant:02}"))
}

async fn work_on_all(replica: usize, shards: Shards, work: SharedWork) {
    join_all(tenants().map(|tenant| work_on(replica, tenant, &shards, &work))).await;
}

/// Works on a namespace whenever it is this replica's, and sometimes does not end by itself.
async fn work_on(replica: usize, tenant: String, shards: &Shards, work: &SharedWork) {
    for round in 0.. {
        sleep(Duration::from_millis(10)).await;
        let Some(permit) = shards.enter(&tenant, "") else {
            continue;
        };
        let reconcile = async |stop: CancellationToken| {
            let other = work.lock().running.insert(tenant.clone(), replica);
            let running = Running(Arc::clone(work), tenant.clone());
            if let Some(other) = other {
                let violation = format!("{tenant}: replicas {other} and {replica}");
                work.lock().violations.push(violation);
            }
            sleep(Duration::from_millis(20)).await;
            if round % 10 == 0 {
                stop.run_until_cancelled(sleep(Duration::from_millis(500)))
                    .await;
            }
            if stop.is_cancelled() && round % 2 == 0 {
                // Until it is dropped.
                pending::<()>().await;
            }
            *work
                .lock()
                .done
                .entry((tenant.clone(), replica))
                .or_default() += 1;
            drop(running);
        };
        let _ = permit.run(&CancellationToken::new(), reconcile).await;
    }
}

/// Waits until the replicas hold everything, in equal parts.
async fn balanced(replicas: &[&Replica], limit: Duration) -> Outcome {
    let begun = Instant::now();
    let share = TENANTS / replicas.len();
    loop {
        let held: Vec<_> = replicas.iter().map(|replica| replica.held()).collect();
        let is_fair = held
            .iter()
            .all(|held| held.abs_diff(share) <= share / 4 + 1);
        if is_fair && held.iter().sum::<usize>() == TENANTS {
            return Ok(());
        }
        if begun.elapsed() > limit {
            return Err(format!("after {limit:?}, {held:?} are held").into());
        }
        sleep(Duration::from_millis(20)).await;
    }
}

async fn share_namespaces(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("sharding").await?;
    let leases: Api<Lease> = Api::namespaced(plane.client(), &namespace);
    let work = SharedWork::default();
    let start = |index| Replica::start(plane, &namespace, index, &work);

    let first = start(0)?;
    balanced(&[&first], TAKEOVER).await?;
    let (second, third, fourth) = (start(1)?, start(2)?, start(3)?);
    // Work that does not stop by itself is dropped after the drain timeout.
    balanced(&[&first, &second, &third, &fourth], TAKEOVER).await?;
    for replica in [&first, &second, &third, &fourth] {
        let status = replica.shards.status();
        assert_eq!((status.members, status.obstacle), (4, None), "{status:?}");
        assert_eq!(status.objects, TENANTS as u64, "{status:?}");
        assert_eq!(status.held_objects, replica.held() as u64, "{status:?}");
    }

    // The leader cannot renew its Lease.
    first.isolate();
    balanced(&[&second, &third, &fourth], LEASE_DURATION + TAKEOVER).await?;
    assert_eq!(first.held(), 0);

    fourth.shut_down().await?;
    balanced(&[&second, &third], Duration::from_secs(2)).await?;

    // Somebody deletes all Leases of members.
    let members = ListParams::default().labels(&format!("genclient/shard-group={GROUP}"));
    for lease in leases.list(&members).await? {
        let name = lease.metadata.name.unwrap_or_default();
        if name.starts_with(&format!("{GROUP}-shard-")) {
            // The one of the first replica has expired, and may be deleted already.
            let _ = leases.delete(&name, &DeleteParams::default()).await;
        }
    }
    for replica in [&second, &third] {
        eventually("what the replica held is lost", async || {
            replica.held() == 0
        })
        .await?;
    }
    balanced(&[&second, &third], LEASE_DURATION + TAKEOVER).await?;

    second.shut_down().await?;
    balanced(&[&third], Duration::from_secs(2)).await?;
    third.shut_down().await?;
    let lock = leases.get(GROUP).await?.spec.unwrap_or_default();
    assert_eq!(lock.holder_identity.unwrap_or_default(), "");

    let all = work.lock();
    assert_eq!(all.violations, [""; 0]);
    for replica in 0..4 {
        assert!(
            all.done.keys().any(|(_, it)| *it == replica),
            "replica {replica}"
        );
    }
    Ok(())
}

/// A program with leader election is updated to one with sharding, and back.
async fn exclude_leader_election(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("sharding").await?;
    let work = SharedWork::default();
    let elected = Elected::start(plane, &namespace)?;
    eventually("the first program leads", async || elected.is_leading()).await?;
    let sharded = Replica::start(plane, &namespace, 0, &work)?;
    sleep(LEASE_DURATION + RENEW_DEADLINE).await;
    assert_eq!((elected.is_leading(), sharded.held()), (true, 0));
    let obstacle = sharded.shards.status().obstacle;
    assert_eq!(obstacle, Some(ShardObstacle::LeaderElection));

    elected.stop().await?;
    balanced(&[&sharded], TAKEOVER).await?;
    let elected = Elected::start(plane, &namespace)?;
    sleep(LEASE_DURATION + RENEW_DEADLINE).await;
    assert_eq!((elected.is_leading(), sharded.held()), (false, TENANTS));

    sharded.shut_down().await?;
    eventually("the first program leads again", async || {
        elected.is_leading()
    })
    .await?;
    elected.stop().await
}

/// A program with leader election.
struct Elected {
    is_leading: Arc<AtomicBool>,
    stop: CancellationToken,
    run: JoinHandle<Result<Option<()>, LeadershipLostError>>,
}

impl Elected {
    fn start(plane: &ControlPlane, namespace: &str) -> Result<Self, Failed> {
        let lock = LeaseLock::connect(plane.config(), namespace, GROUP, "elected")?;
        let mut elector = LeaderElector::builder(lock)
            .lease_duration(LEASE_DURATION)
            .renew_deadline(RENEW_DEADLINE)
            .retry_period(RETRY_PERIOD)
            .build()?;
        let (is_leading, stop) = (Arc::new(AtomicBool::new(false)), CancellationToken::new());
        let (leads, until) = (Arc::clone(&is_leading), stop.clone());
        let run = tokio::spawn(async move {
            let lead = async |leading: CancellationToken| {
                leads.store(true, Ordering::Relaxed);
                leading.cancelled().await;
                leads.store(false, Ordering::Relaxed);
            };
            elector.run(until, lead).await
        });
        Ok(Self {
            is_leading,
            stop,
            run,
        })
    }

    fn is_leading(&self) -> bool {
        self.is_leading.load(Ordering::Relaxed)
    }

    async fn stop(self) -> Outcome {
        self.stop.cancel();
        self.run.await??;
        Ok(())
    }
}
