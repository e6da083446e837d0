//! Tests of managers and controllers against the real API server.

mod apply;
mod cache;
mod client;
mod election;
mod killed;
mod manager;
mod many;
mod mapper;
mod restart;
mod role;
mod sharding;
mod watches;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use e2e::{ControlPlane, eventually};
use genclient::cache::ObjectName;
use genclient::client::Patch;
use genclient_controller::{
    Action, Client, ComponentHandle, Context, Controller, Manager, ManagerBuilder, OperationResult,
    Query, Reconciler, Result, RunError, SetupError, Task, Watch, finalizer,
};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use kube::ResourceExt;
use kube::api::{Api, DynamicObject, PostParams};
use libtest_mimic::Failed;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::suite::{Outcome, Suite};

pub(crate) use role::role;

pub(crate) fn tests(suite: &mut Suite) {
    apply::tests(suite);
    cache::tests(suite);
    client::tests(suite);
    election::tests(suite);
    killed::tests(suite);
    manager::tests(suite);
    many::tests(suite);
    mapper::tests(suite);
    restart::tests(suite);
    sharding::tests(suite);
    watches::tests(suite);
    suite.both("controller::reads_show_own_writes", reads_show_own_writes);
    suite.both(
        "controller::deletions_are_visible_in_the_next_read",
        deletions_are_visible_in_the_next_read,
    );
    suite.both(
        "controller::second_apply_is_unchanged",
        second_apply_is_unchanged,
    );
    suite.both(
        "controller::missing_crd_ends_the_run",
        missing_crd_ends_the_run,
    );
}

/// A reconciler that counts the reconciles of each ConfigMap.
#[derive(Clone, Default)]
struct Counting(Arc<parking_lot::Mutex<BTreeMap<String, usize>>>);

impl Reconciler for Counting {
    type Object = ConfigMap;

    async fn reconcile(&self, map: Arc<ConfigMap>, _cx: &Context) -> Result {
        *self.0.lock().entry(map.name_any()).or_default() += 1;
        Ok(Action::done())
    }
}

impl Counting {
    fn of(&self, name: &str) -> usize {
        self.0.lock().get(name).copied().unwrap_or_default()
    }
}

/// A manager that runs in one namespace.
struct Running {
    client: Client,
    counting: Counting,
    stop: CancellationToken,
    run: JoinHandle<std::result::Result<(), RunError>>,
}

impl Running {
    async fn start(
        plane: &ControlPlane,
        namespace: &str,
        settings: impl FnOnce(ManagerBuilder) -> ManagerBuilder,
    ) -> std::result::Result<Self, Failed> {
        let counting = Counting::default();
        let controller = Controller::new(counting.clone()).caches(Watch::<Pod>::new());
        let running = Self::start_with(plane, namespace, settings, |it| it.add(controller)).await?;
        Ok(Self {
            counting,
            ..running
        })
    }

    /// Runs the components that `add` adds. Returns when the manager has started.
    async fn start_with(
        plane: &ControlPlane,
        namespace: &str,
        settings: impl FnOnce(ManagerBuilder) -> ManagerBuilder,
        add: impl FnOnce(&mut Manager) -> std::result::Result<ComponentHandle, SetupError>,
    ) -> std::result::Result<Self, Failed> {
        let builder = Manager::builder("controllers")
            .client(plane.client())
            .leader_election_namespace(namespace)
            .namespaces([namespace]);
        let mut manager = settings(builder).build().await?;
        add(&mut manager)?;
        let (begins, begun) = tokio::sync::oneshot::channel();
        let begins = Task::new("begins", |_| async move {
            begins.send(()).map_err(|()| "nobody waits".into())
        });
        manager.add(begins.on_every_replica())?;
        let counting = Counting::default();
        let (client, stop) = (manager.client(), CancellationToken::new());
        let run = tokio::spawn(manager.run(stop.clone()));
        // The caches have synced then.
        begun.await?;
        Ok(Self {
            client,
            counting,
            stop,
            run,
        })
    }

    async fn stop(self) -> Outcome {
        self.stop.cancel();
        Ok(self.run.await??)
    }
}

fn config_map(namespace: &str, name: &str, value: &str) -> std::result::Result<ConfigMap, Failed> {
    Ok(serde_json::from_value(json!({
        "metadata": { "namespace": namespace, "name": name }, "data": { "value": value },
    }))?)
}

fn value(map: &ConfigMap) -> Option<&str> {
    Some(map.data.as_ref()?.get("value")?.as_str())
}

async fn reads_show_own_writes(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("reads").await?;
    let running = Running::start(plane, &namespace, |builder| builder).await?;
    let client = &running.client;
    let mut slowest = Duration::ZERO;
    for round in 0..50 {
        let name = ObjectName::namespaced(&namespace, &format!("map-{}", round % 5));
        let read = async |expected: Option<&str>| {
            let begun = Instant::now();
            let map = client.get::<ConfigMap>(&name).await?;
            assert_eq!(map.as_deref().and_then(value), expected, "{round}");
            let maps = client
                .list::<ConfigMap>(&Query::new().namespace(&namespace))
                .await?;
            let listed = maps.iter().find(|map| map.name_any() == name.name());
            assert_eq!(listed.and_then(|map| value(map)), expected, "{round}");
            Ok::<_, Failed>(begun.elapsed())
        };
        let mut map = client
            .create(&config_map(&namespace, name.name(), "created")?)
            .await?;
        slowest = slowest.max(read(Some("created")).await?);
        map.data
            .get_or_insert_default()
            .insert("value".into(), "updated".into());
        let map = client.update(&map).await?;
        slowest = slowest.max(read(Some("updated")).await?);
        let patch = Patch::Merge(json!({ "data": { "value": "patched" } }));
        client.patch::<ConfigMap, _>(&name, &patch).await?;
        slowest = slowest.max(read(Some("patched")).await?);
        client
            .apply(&config_map(&namespace, name.name(), "applied")?)
            .await?;
        slowest = slowest.max(read(Some("applied")).await?);
        client.delete(&map).await?;
        slowest = slowest.max(read(None).await?);
    }
    assert!(slowest < Duration::from_secs(1), "{slowest:?}");
    running.stop().await
}

/// Immediately, and while finalizers or a grace period delay the deletion.
async fn deletions_are_visible_in_the_next_read(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("deletions").await?;
    let running = Running::start(plane, &namespace, |builder| builder).await?;
    let client = &running.client;
    for round in 0..10 {
        let mut map = config_map(&namespace, &format!("kept-{round}"), "1")?;
        assert!(finalizer::add(&mut map, "example.com/kept"));
        let map = client.create(&map).await?;
        let name = ObjectName::from_object(&map);
        client.delete(&map).await?;
        let kept = client.get::<ConfigMap>(&name).await?.ok_or("it is kept")?;
        assert!(kept.metadata.deletion_timestamp.is_some());
        let mut kept = (*kept).clone();
        assert!(finalizer::remove(&mut kept, "example.com/kept"));
        // The API server deletes the object with this write, and answers with its former version.
        client.update(&kept).await?;
        assert!(client.get::<ConfigMap>(&name).await?.is_none(), "{round}");
    }

    let pod: Pod = serde_json::from_value(json!({
        "metadata": { "namespace": namespace, "name": "pod" },
        "spec": { "containers": [{ "name": "main", "image": "example.com/image" }] },
    }))?;
    let pod = client.create(&pod).await?;
    let name = ObjectName::from_object(&pod);
    assert!(client.get::<Pod>(&name).await?.is_some());
    // The Pod is not bound to a node, so it is gone at once, although the answer is the Pod.
    client.delete(&pod).await?;
    let left = client.get::<Pod>(&name).await?;
    assert!(left.is_none_or(|pod| pod.metadata.deletion_timestamp.is_some()));
    running.stop().await
}

async fn second_apply_is_unchanged(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("applied").await?;
    let running = Running::start(plane, &namespace, |builder| builder).await?;
    let client = &running.client;
    let owner = client
        .create(&config_map(&namespace, "owner", "1")?)
        .await?;
    for (value, expected) in [
        ("1", OperationResult::Created),
        ("1", OperationResult::Unchanged),
        ("2", OperationResult::Updated),
        ("2", OperationResult::Unchanged),
    ] {
        let owned = config_map(&namespace, "owned", value)?;
        let written = client.apply_owned(&owner, &owned).await?;
        assert_eq!(written.result, expected);
        assert_eq!(
            written.object.owner_references()[0].uid,
            owner.uid().unwrap_or_default()
        );
    }
    running.stop().await
}

fn elected(builder: ManagerBuilder) -> ManagerBuilder {
    builder
        .leader_election(true)
        .lease_duration(Duration::from_secs(3))
        .renew_deadline(Duration::from_secs(2))
        .retry_period(Duration::from_millis(500))
}

async fn create_and_wait(
    plane: &ControlPlane,
    namespace: &str,
    name: &str,
    counting: &Counting,
) -> Outcome {
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), namespace);
    maps.create(&PostParams::default(), &config_map(namespace, name, "1")?)
        .await?;
    let reconciled = eventually("the reconcile", async || match counting.of(name) {
        0 => Err("none".to_owned()),
        _ => Ok(()),
    });
    Ok(reconciled.await?)
}

async fn missing_crd_ends_the_run(plane: &ControlPlane) -> Outcome {
    struct Never(Arc<AtomicUsize>);

    impl Reconciler for Never {
        type Object = kube::core::DynamicObject;

        async fn reconcile(&self, _object: Arc<Self::Object>, _cx: &Context) -> Result {
            self.0.fetch_add(1, Ordering::Relaxed);
            Ok(Action::done())
        }
    }

    let kind = kube::core::GroupVersionKind::gvk("nowhere.example.com", "v1", "Thing");
    let things = Watch::of(kube::core::ApiResource::from_gvk(&kind));
    let reconciles = Arc::new(AtomicUsize::new(0));
    let mut manager = Manager::builder("controllers")
        .client(plane.client())
        .build()
        .await?;
    manager.add(Controller::watching(things, Never(Arc::clone(&reconciles))))?;
    let ended = manager.run(CancellationToken::new()).await;
    let error = ended.err().ok_or("it ends")?.to_string();
    let expected = "is the CustomResourceDefinition `things.nowhere.example.com`";
    assert!(error.contains(expected), "{error}");
    assert_eq!(reconciles.load(Ordering::Relaxed), 0);
    Ok(())
}
