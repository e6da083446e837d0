//! Caches of sharding replicas: each holds its part, and what the last holder has written.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use e2e::{ControlPlane, eventually_within};
use futures::future::join_all;
use genclient::client;
use genclient::informer::{SharedInformer, SharedInformerFactory};
use genclient::scheme::Object;
use genclient::sharding::{ShardBy, ShardKey, ShardMember, Shards};
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::{ObjectMeta, OwnerReference};
use kube::api::{Api, DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::{Client, ResourceExt};
use libtest_mimic::Failed;
use parking_lot::Mutex;
use serde_json::json;
use tokio::task::{AbortHandle, JoinHandle, JoinSet};
use tokio::time::{sleep, timeout};
use tokio_util::sync::CancellationToken;

use crate::suite::{Outcome, Suite};

const LEASE_DURATION: Duration = Duration::from_secs(6);
const RENEW_DEADLINE: Duration = Duration::from_secs(4);
const RETRY_PERIOD: Duration = Duration::from_millis(500);
/// Time until all objects are held again. The rest is for a busy machine.
const TAKEOVER: Duration = Duration::from_secs(6 + 14);
const NAMESPACES: usize = 8;
/// Number of ConfigMaps in a namespace. Each owns a Secret.
const MAPS: usize = 4;

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "shard_caches::by_namespace",
        async |plane: &ControlPlane| caches_follow_the_shards(plane, ShardBy::Namespace).await,
    );
    suite.alone("shard_caches::by_namespace_without_filter", async || {
        // An API server that ignores shard selectors, as by default.
        let plane = ControlPlane::builder().existing_cluster(false).start();
        caches_follow_the_shards(&plane.await?, ShardBy::Namespace).await
    });
    suite.both("shard_caches::by_name", async |plane: &ControlPlane| {
        caches_follow_the_shards(plane, ShardBy::Name).await
    });
}

/// Namespaces of this test, with a prefix that no other test has.
struct Tenants {
    client: Client,
    prefix: String,
    names: Vec<String>,
}

impl Tenants {
    async fn create(plane: &ControlPlane, prefix: &str) -> Result<Self, Failed> {
        let client = plane.client();
        let mut names = Vec::new();
        for _ in 0..NAMESPACES {
            let namespace = plane.create_namespace(prefix).await?;
            let maps: Api<ConfigMap> = Api::namespaced(client.clone(), &namespace);
            let secrets: Api<Secret> = Api::namespaced(client.clone(), &namespace);
            for number in 0..MAPS {
                let name = format!("map-{number}");
                let map = ConfigMap {
                    metadata: metadata(prefix, &name),
                    data: Some(BTreeMap::from([("count".to_owned(), "0".to_owned())])),
                    ..ConfigMap::default()
                };
                let map = maps.create(&PostParams::default(), &map).await?;
                let mut secret = Secret {
                    metadata: metadata(prefix, &format!("secret-{number}")),
                    ..Secret::default()
                };
                secret.metadata.owner_references = Some(vec![owned_by(&map)]);
                secrets.create(&PostParams::default(), &secret).await?;
            }
            names.push(namespace);
        }
        Ok(Self {
            client,
            prefix: prefix.to_owned(),
            names,
        })
    }

    /// Lists the objects of this test.
    async fn list<K>(&self) -> Result<Vec<K>, Failed>
    where
        K: Object<DynamicType = ()> + Debug,
    {
        let of_test = ListParams::default().labels(&format!("test={}", self.prefix));
        Ok(Api::all(self.client.clone()).list(&of_test).await?.items)
    }

    /// Changes Secrets: other owners, none, new ones and deleted ones.
    async fn change_secrets(&self, round: usize) -> Outcome {
        let namespace = &self.names[round % self.names.len()];
        let maps: Api<ConfigMap> = Api::namespaced(self.client.clone(), namespace);
        let secrets: Api<Secret> = Api::namespaced(self.client.clone(), namespace);
        let map = maps.get(&format!("map-{}", round / 3 % MAPS)).await?;
        let name = format!("secret-{}", round % MAPS);
        let owners = match round % 5 {
            0 => json!([]),
            _ => json!([owned_by(&map)]),
        };
        let owned = json!({ "metadata": { "ownerReferences": owners } });
        secrets
            .patch(&name, &PatchParams::default(), &Patch::Merge(&owned))
            .await?;
        let mut new = Secret {
            metadata: metadata(&self.prefix, &format!("new-{round}")),
            ..Secret::default()
        };
        new.metadata.owner_references = Some(vec![owned_by(&map)]);
        secrets.create(&PostParams::default(), &new).await?;
        if round.is_multiple_of(2) {
            let name = format!("new-{round}");
            secrets.delete(&name, &DeleteParams::default()).await?;
        }
        Ok(())
    }
}

fn metadata(prefix: &str, name: &str) -> ObjectMeta {
    ObjectMeta {
        name: Some(name.to_owned()),
        labels: Some(BTreeMap::from([("test".to_owned(), prefix.to_owned())])),
        ..ObjectMeta::default()
    }
}

fn owned_by(map: &ConfigMap) -> OwnerReference {
    OwnerReference {
        api_version: "v1".to_owned(),
        kind: "ConfigMap".to_owned(),
        name: map.name_any(),
        uid: map.uid().unwrap_or_default(),
        controller: Some(true),
        ..OwnerReference::default()
    }
}

struct Replica {
    shards: Shards,
    maps: SharedInformer<ConfigMap>,
    secrets: SharedInformer<Secret>,
    factories: [SharedInformerFactory; 2],
    stop: CancellationToken,
    member: JoinHandle<()>,
    worker: AbortHandle,
}

/// What went wrong.
type Violations = Arc<Mutex<Vec<String>>>;

impl Replica {
    async fn start(
        plane: &ControlPlane,
        tenants: &Tenants,
        shard_by: ShardBy,
        violations: &Violations,
    ) -> Result<Self, Failed> {
        let client = client::connect(plane.config())?;
        let counted: Arc<Mutex<Option<SharedInformer<ConfigMap>>>> = Arc::default();
        let counting = Arc::clone(&counted);
        let member = ShardMember::builder(client.clone(), &tenants.names[0], "caches")
            .shard_by(shard_by)
            .lease_duration(LEASE_DURATION)
            .renew_deadline(RENEW_DEADLINE)
            .retry_period(RETRY_PERIOD)
            .counts(move |shards| {
                let maps = counting.lock().clone()?;
                let mut counts = BTreeMap::new();
                for map in maps.lister().list(&Default::default()) {
                    let namespace = map.namespace().unwrap_or_default();
                    let hash = shards.hash(&namespace, &map.name_any());
                    *counts.entry(hash).or_default() += 1;
                }
                maps.has_synced().then_some(counts)
            })
            .build()?;
        let all = member.shards();
        let factory = |key| {
            SharedInformerFactory::builder(client.clone())
                .tweak_list_params(|it| it.labels = Some(format!("test={}", tenants.prefix)))
                .shards(&all, key)
                .build()
        };
        let factories = [
            factory(ShardKey::Itself),
            factory(ShardKey::controller("", "ConfigMap", false)),
        ];
        let maps = factories[0].informer_for::<ConfigMap>();
        let secrets = factories[1].informer_for::<Secret>();
        *counted.lock() = Some(maps.clone());
        let caches = maps.shard_caches().iter().chain(secrets.shard_caches());
        let shards = all.with_caches(caches.copied());
        factories.iter().for_each(SharedInformerFactory::start);
        let stop = CancellationToken::new();
        let member = tokio::spawn(member.run(stop.clone()));
        let worker = Worker {
            client,
            shards: shards.clone(),
            maps: maps.clone(),
            violations: Arc::clone(violations),
        };
        let keys = { tenants.names.iter() }.flat_map(|namespace| {
            (0..MAPS).map(move |number| (namespace.clone(), format!("map-{number}")))
        });
        let worker = tokio::spawn(worker.run(keys.collect())).abort_handle();
        Ok(Self {
            shards,
            maps,
            secrets,
            factories,
            stop,
            member,
            worker,
        })
    }

    async fn shut_down(self) -> Outcome {
        self.stop.cancel();
        self.member.await?;
        self.worker.abort();
        join_all(self.factories.iter().map(SharedInformerFactory::shutdown)).await;
        Ok(())
    }

    /// As if the process were killed.
    fn kill(self) {
        self.member.abort();
        self.worker.abort();
    }

    fn holds_map(&self, map: &ConfigMap) -> bool {
        let namespace = map.namespace().unwrap_or_default();
        self.shards.is_cached(&namespace, &map.name_any())
    }

    fn holds_secret(&self, secret: &Secret) -> bool {
        let namespace = secret.namespace().unwrap_or_default();
        match secret.owner_references().first() {
            Some(owner) => self.shards.is_cached(&namespace, &owner.name),
            None if self.shards.shard_by() == ShardBy::Namespace => {
                self.shards.is_cached(&namespace, "")
            }
            None => true,
        }
    }

    /// Returns the difference between the caches and the objects that they have to hold.
    fn differences(&self, maps: &[ConfigMap], secrets: &[Secret]) -> Vec<String> {
        let mut found = differences(&self.maps, maps, |map| self.holds_map(map));
        found.extend(differences(&self.secrets, secrets, |it| {
            self.holds_secret(it)
        }));
        found
    }
}

fn differences<K: Object<DynamicType = ()>>(
    informer: &SharedInformer<K>,
    objects: &[K],
    is_held: impl Fn(&K) -> bool,
) -> Vec<String> {
    let state = |object: &K| {
        let version = object.resource_version().unwrap_or_default();
        let namespace = object.namespace().unwrap_or_default();
        format!("{namespace}/{}@{version}", object.name_any())
    };
    let held = objects.iter().filter(|object| is_held(object));
    let expected: BTreeSet<_> = held.map(state).collect();
    let listed = informer.lister().list(&Default::default());
    let cached: BTreeSet<_> = listed.iter().map(|object| state(object)).collect();
    expected.symmetric_difference(&cached).cloned().collect()
}

/// Counts each ConfigMap up, from the cached state, while it is this replica's.
#[derive(Clone)]
struct Worker {
    client: Client,
    shards: Shards,
    maps: SharedInformer<ConfigMap>,
    violations: Violations,
}

impl Worker {
    async fn run(self, keys: Vec<(String, String)>) {
        let mut workers = JoinSet::new();
        for (namespace, name) in keys {
            let worker = self.clone();
            workers.spawn(async move {
                loop {
                    sleep(Duration::from_millis(20)).await;
                    worker.count(&namespace, &name).await;
                }
            });
        }
        workers.join_all().await;
    }

    async fn count(&self, namespace: &str, name: &str) {
        let Some(permit) = self.shards.enter(namespace, name) else {
            return;
        };
        let counting = async |_| {
            let cached = self.maps.lister().namespace(namespace).get(name);
            let Some(mut map) = cached.map(Arc::unwrap_or_clone) else {
                return self.report(format!("{namespace}/{name} is not cached"));
            };
            let data = map.data.get_or_insert_default();
            let count: u64 = data["count"].parse().unwrap_or_default();
            data.insert("count".to_owned(), (count + 1).to_string());
            let maps: Api<ConfigMap> = Api::namespaced(self.client.clone(), namespace);
            match maps.replace(name, &PostParams::default(), &map).await {
                Ok(written) => {
                    let version = written.resource_version().unwrap_or_default();
                    let seen = self.maps.wait_until(|| {
                        let cached = self.maps.lister().namespace(namespace).get(name);
                        Ok(cached.is_some_and(|it| it.resource_version() == Some(version.clone())))
                    });
                    // The object may have moved meanwhile.
                    let _ = timeout(Duration::from_secs(5), seen).await;
                }
                Err(error) => self.report(format!("{namespace}/{name}: {error}")),
            }
        };
        let _ = permit.run(&CancellationToken::new(), counting).await;
    }

    fn report(&self, violation: String) {
        self.violations.lock().push(violation);
    }
}

/// Waits until each replica has a part, they have everything together, and their caches hold it.
async fn shared(tenants: &Tenants, replicas: &[&Replica]) -> Outcome {
    let is_shared = async || {
        let maps: Vec<ConfigMap> = tenants.list().await.unwrap_or_default();
        let held = |replica: &&Replica| maps.iter().filter(|it| replica.holds_map(it)).count();
        let counts: Vec<_> = replicas.iter().map(held).collect();
        counts.iter().sum::<usize>() == NAMESPACES * MAPS && !counts.contains(&0)
    };
    let what = format!("{} replicas hold everything", replicas.len());
    Ok(eventually_within(TAKEOVER, &what, is_shared).await?)
}

async fn caches_follow_the_shards(plane: &ControlPlane, shard_by: ShardBy) -> Outcome {
    let tenants = Tenants::create(plane, &format!("caches-by-{shard_by}")).await?;
    let violations = Violations::default();
    let start = async || Replica::start(plane, &tenants, shard_by, &violations).await;
    let changes = CancellationToken::new();
    let changing = async {
        let mut round = 0;
        while !changes.is_cancelled() {
            tenants.change_secrets(round).await?;
            round += 1;
            sleep(Duration::from_millis(30)).await;
        }
        Ok(())
    };
    let moving = async {
        let first = start().await?;
        shared(&tenants, &[&first]).await?;
        let (second, third) = (start().await?, start().await?);
        shared(&tenants, &[&first, &second, &third]).await?;
        first.shut_down().await?;
        shared(&tenants, &[&second, &third]).await?;
        let fourth = start().await?;
        shared(&tenants, &[&second, &third, &fourth]).await?;
        second.kill();
        shared(&tenants, &[&third, &fourth]).await?;
        changes.cancel();
        Ok::<_, Failed>([third, fourth])
    };
    let (changed, moved) = futures::join!(changing, moving);
    let replicas: [Replica; 2] = moved?;
    changed.map_err(|error: Failed| error)?;
    replicas.iter().for_each(|replica| replica.worker.abort());

    let mut different = Vec::new();
    let has_converged = async || {
        // The last writes may arrive late.
        let maps: Vec<ConfigMap> = tenants.list().await.unwrap_or_default();
        let secrets: Vec<Secret> = tenants.list().await.unwrap_or_default();
        let found = replicas.iter().map(|it| it.differences(&maps, &secrets));
        different = found.flatten().collect();
        different.is_empty()
    };
    let converged = eventually_within(TAKEOVER, "the caches are complete", has_converged).await;
    assert!(converged.is_ok(), "{different:?}");
    for replica in replicas {
        replica.shut_down().await?;
    }
    assert_eq!(*violations.lock(), [""; 0]);
    Ok(())
}
