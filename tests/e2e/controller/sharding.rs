//! Replicas of a manager that share the objects.

use e2e::eventually_within;
use genclient::cache::ObjectName;
use genclient::sharding::ShardBy;
use genclient_controller::{Query, ReadError};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta;
use kube::api::PatchParams;

use super::*;

const OBJECTS: usize = 40;
/// The lease duration, and the rest for a busy machine.
const TAKEOVER: Duration = Duration::from_secs(3 + 10);

pub(super) fn tests(suite: &mut Suite) {
    suite.both("controller::replicas_share_objects", replicas_share_objects);
}

/// Reconciles of all replicas.
#[derive(Clone, Default)]
struct Log(Arc<parking_lot::Mutex<Entries>>);

#[derive(Default)]
struct Entries {
    /// The replica that reconciles each object.
    running: BTreeMap<String, usize>,
    /// The round and the replica of each object's last reconcile.
    last: BTreeMap<String, (String, usize)>,
    violations: Vec<String>,
    /// Numbers of results of reads, for each reconcile of the first object.
    reads: Vec<BTreeMap<&'static str, usize>>,
    is_list_refused: bool,
}

struct Recorder {
    replica: usize,
    log: Log,
}

impl Recorder {
    /// Reads all objects. Some are other replicas', unless there are none.
    async fn read(&self, namespace: &str, cx: &Context) {
        let mut read = BTreeMap::new();
        for index in 0..OBJECTS {
            let name = ObjectName::namespaced(namespace, &format!("map-{index:02}"));
            let result = match cx.client().get::<ConfigMap>(&name).await {
                Ok(Some(_)) => "found",
                Ok(None) => "not found",
                Err(ReadError::OtherReplicas { .. }) => "of other replicas",
                Err(_) => "failed",
            };
            *read.entry(result).or_default() += 1;
        }
        let in_namespace = Query::new().namespace(namespace);
        let listed = cx.client().list::<ConfigMap>(&in_namespace).await;
        let is_refused = matches!(listed, Err(ReadError::OtherReplicas { .. }));
        let mut log = self.log.0.lock();
        log.is_list_refused |= is_refused;
        log.reads.push(read);
    }
}

/// A reconcile. It ends when this is dropped.
struct Running<'a>(&'a Log, String);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.0.lock().running.remove(&self.1);
    }
}

impl Reconciler for Recorder {
    type Object = ConfigMap;

    async fn reconcile(&self, map: Arc<ConfigMap>, cx: &Context) -> Result {
        let name = map.name_any();
        if name == "map-00" {
            let namespace = map.namespace().unwrap_or_default();
            self.read(&namespace, cx).await;
        }
        let other = { self.log.0.lock() }
            .running
            .insert(name.clone(), self.replica);
        if let Some(other) = other {
            let violation = format!("{name}: replicas {other} and {}", self.replica);
            self.log.0.lock().violations.push(violation);
        }
        let running = Running(&self.log, name.clone());
        tokio::time::sleep(Duration::from_millis(20)).await;
        let round = map.data.as_ref().and_then(|data| data.get("round"));
        let entry = (round.cloned().unwrap_or_default(), self.replica);
        self.log.0.lock().last.insert(name, entry);
        drop(running);
        Ok(Action::done())
    }
}

/// Changes all objects, and waits until each was reconciled. Returns how many each replica has
/// reconciled last.
async fn reconciled(
    maps: &Api<ConfigMap>,
    log: &Log,
    round: &str,
) -> std::result::Result<BTreeMap<usize, usize>, Failed> {
    for index in 0..OBJECTS {
        let patch = serde_json::json!({ "data": { "round": round } });
        let name = format!("map-{index:02}");
        maps.patch(&name, &PatchParams::default(), &Patch::Merge(&patch))
            .await?;
    }
    let has_round = async || {
        let entries = log.0.lock();
        let done = entries.last.values().filter(|(it, _)| it == round);
        done.count() == OBJECTS
    };
    eventually(format!("round {round}"), has_round).await?;
    let mut counts = BTreeMap::new();
    for (_, replica) in log.0.lock().last.values() {
        *counts.entry(*replica).or_default() += 1;
    }
    Ok(counts)
}

async fn replicas_share_objects(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("shared-objects").await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    for index in 0..OBJECTS {
        let map = ConfigMap {
            metadata: ObjectMeta {
                name: Some(format!("map-{index:02}")),
                ..ObjectMeta::default()
            },
            ..ConfigMap::default()
        };
        maps.create(&PostParams::default(), &map).await?;
    }
    let log = Log::default();
    let start = async |replica| {
        let recorder = Recorder {
            replica,
            log: log.clone(),
        };
        let controller = Controller::new(recorder).named("maps").workers(4);
        super::Running::start_with(plane, &namespace, sharded, |it| it.add(controller)).await
    };
    let first = start(0).await?;
    assert_eq!(
        reconciled(&maps, &log, "one").await?,
        BTreeMap::from([(0, OBJECTS)])
    );

    let (second, third) = (start(1).await?, start(2).await?);
    let is_shared = async || {
        let counts = reconciled(&maps, &log, "three").await.unwrap_or_default();
        counts.len() == 3 && counts.values().all(|count| (8..=20).contains(count))
    };
    eventually_within(TAKEOVER, "three replicas share the objects", is_shared).await?;
    // What a replica has lost leaves its cache a moment later.
    tokio::time::sleep(Duration::from_secs(3)).await;
    reconciled(&maps, &log, "reads").await?;
    {
        let entries = log.0.lock();
        assert!(entries.is_list_refused);
        let last = entries.reads.last().ok_or("no reads")?;
        let others = last.get("of other replicas").copied().unwrap_or_default();
        let found = last.get("found").copied().unwrap_or_default();
        assert!(
            found >= 8 && others >= 8 && found + others == OBJECTS,
            "{last:?}"
        );
    }

    // As if the process were killed. Its reconciles end with it.
    first.run.abort();
    let is_shared = async || {
        let counts = reconciled(&maps, &log, "two").await.unwrap_or_default();
        counts.len() == 2 && !counts.contains_key(&0)
    };
    eventually_within(TAKEOVER, "two replicas share the objects", is_shared).await?;

    second.stop().await?;
    let begun = Instant::now();
    assert_eq!(
        reconciled(&maps, &log, "last").await?,
        BTreeMap::from([(2, OBJECTS)])
    );
    assert!(
        begun.elapsed() < Duration::from_secs(3),
        "{:?}",
        begun.elapsed()
    );
    third.stop().await?;
    assert_eq!(log.0.lock().violations, [""; 0]);
    Ok(())
}

fn sharded(builder: ManagerBuilder) -> ManagerBuilder {
    elected(builder).shard_by(ShardBy::Name)
}
