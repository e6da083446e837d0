//! Tests of read-your-writes: a cached read shows earlier writes, however late watch events arrive.

use genclient::client::{DeleteParams, Patch, TypedClient};
use genclient::lister::Selector;
use genclient_controller::{Client, Query, ReadError, Watch};
use http::Method;
use tokio::time::Instant;

use super::random::Random;
use super::*;
use crate::log::Log;
use crate::store::Backup;

/// Returns a client of ConfigMaps whose watch events arrive late.
async fn start_with_late_events(
    api: &Api,
    read_your_writes: bool,
    selector: Selector,
) -> (Client, Running) {
    let mut client = None;
    let settings = |builder: ManagerBuilder| builder.read_your_writes(read_your_writes);
    let running = Running::start_with(api, settings, |manager| {
        let watch = Watch::<ConfigMap>::new().labels(selector);
        manager
            .add(Controller::watching(watch, Scripted::idle()))
            .unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    let mut random = Random::new(1);
    api.delay(move || millis(random.below(80)));
    (client.unwrap(), running)
}

fn config_map(name: &str, value: &str) -> ConfigMap {
    serde_json::from_value(config_map_json(name, value)).unwrap()
}

fn data_value(map: &ConfigMap) -> &str {
    &map.data.as_ref().unwrap()["value"]
}

/// Ends the watch of ConfigMaps, and refuses the next ones until the returned backup is restored.
/// So the cache never has a version of the writes in between.
async fn interrupt_watch(api: &Api) -> Backup {
    let backup = api.backup();
    api.restore(backup.clone());
    api.refuse(Method::GET, "configmaps", 500, 3);
    settle().await;
    backup
}

/// Writes objects at random. Returns the number of reads that do not show the writes.
async fn stale_reads(client: &Client, rounds: usize) -> usize {
    let mut random = Random::new(7);
    let mut written: std::collections::BTreeMap<String, String> = Default::default();
    let mut stale = 0;
    for round in 0..rounds {
        let name = format!("map-{}", random.below(5));
        let key = ObjectName::namespaced("a", &name);
        let new = round.to_string();
        match (written.contains_key(&name), random.below(3)) {
            (false, _) => {
                client.create(&config_map(&name, &new)).await.unwrap();
                written.insert(name, new);
            }
            (true, 0) => {
                let maps = TypedClient::<ConfigMap>::namespaced(client.live().clone(), "a");
                maps.delete(&name, &Default::default()).await.unwrap();
                written.remove(&name);
            }
            (true, 1) => {
                client.update(&config_map(&name, &new)).await.unwrap();
                written.insert(name, new);
            }
            (true, _) => {
                let patch = Patch::Merge(json!({ "data": { "value": new } }));
                client.patch::<ConfigMap, _>(&key, &patch).await.unwrap();
                written.insert(name, new);
            }
        }
        let is_as_written = if random.below(2) == 0 {
            let read = client.get::<ConfigMap>(&key).await.unwrap();
            read.as_deref().map(data_value) == written.get(key.name()).map(String::as_str)
        } else {
            let listed = client.list::<ConfigMap>(&Query::new()).await.unwrap();
            let all = listed.iter().map(|map| {
                (
                    map.metadata.name.clone().unwrap(),
                    data_value(map).to_owned(),
                )
            });
            all.collect::<std::collections::BTreeMap<_, _>>() == written
        };
        stale += usize::from(!is_as_written);
    }
    stale
}

#[tokio::test(start_paused = true)]
async fn reads_are_never_older_than_own_writes() {
    let api = Api::new();
    let (client, running) = start_with_late_events(&api, true, Selector::default()).await;
    assert_eq!(stale_reads(&client, 10_000).await, 0);
    running.stop().await.unwrap();
}

/// Control test without waiting: proves that stale reads are possible and counted.
#[tokio::test(start_paused = true)]
async fn reads_may_be_stale_without_read_your_writes() {
    let api = Api::new();
    let (client, running) = start_with_late_events(&api, false, Selector::default()).await;
    assert!(stale_reads(&client, 100).await > 50);
    running.stop().await.unwrap();
}

/// Reads do not wait for objects that the selectors exclude: the cache never has them.
#[tokio::test(start_paused = true)]
async fn objects_outside_the_selector_are_not_waited_for() {
    let api = Api::new();
    let (client, running) =
        start_with_late_events(&api, true, [("app", "x")].into_iter().collect()).await;
    let begun = Instant::now();
    let created = client.create(&config_map("one", "1")).await.unwrap();
    let name = ObjectName::from_object(&created);
    let read = client.get::<ConfigMap>(&name).await.unwrap();
    assert!(read.is_none());
    assert!(begun.elapsed() < millis(10));
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn reads_fail_after_the_timeout_if_the_watch_stalls() {
    let api = Api::new();
    let (client, running) = start_with_late_events(&api, true, Selector::default()).await;
    api.delay(|| Duration::from_secs(3600));
    client.create(&config_map("one", "1")).await.unwrap();
    let begun = Instant::now();
    let error = client
        .get::<ConfigMap>(&ObjectName::namespaced("a", "one"))
        .await
        .unwrap_err();
    assert!(matches!(error, ReadError::Stale { .. }));
    assert_eq!(
        error.to_string(),
        "the cache of configmaps.v1 is stale: a write is still missing after 5 s"
    );
    assert_eq!(begun.elapsed().as_secs(), 5);
    // A read does not wait for writes of other objects.
    let other = client
        .get::<ConfigMap>(&ObjectName::namespaced("a", "two"))
        .await;
    assert!(other.unwrap().is_none());
    assert_eq!(begun.elapsed().as_secs(), 5);
    running.stop().await.unwrap();
}

/// Reads do not wait for writes that the API server refused, or for dry runs.
#[tokio::test(start_paused = true)]
async fn rejected_writes_are_not_waited_for() {
    let api = Api::new();
    let (client, running) = start_with_late_events(&api, true, Selector::default()).await;
    api.delay(|| Duration::from_secs(3600));
    api.refuse(http::Method::POST, "configmaps", 422, 1);
    client.create(&config_map("one", "1")).await.unwrap_err();
    let begun = Instant::now();
    client
        .get::<ConfigMap>(&ObjectName::namespaced("a", "one"))
        .await
        .unwrap();
    assert!(begun.elapsed() < millis(10));
    running.stop().await.unwrap();
}

/// An update that removes the last finalizer of a deleted object removes the object. A cached
/// object with a deletion timestamp does not show this.
#[tokio::test(start_paused = true)]
async fn removal_of_the_last_finalizer_is_waited_for() {
    let api = Api::new();
    let mut deleted = config_map_json("one", "1");
    deleted["metadata"]["finalizers"] = json!(["a"]);
    deleted["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z".into();
    let stored = api.put("configmaps", deleted);
    let (client, running) = start_with_late_events(&api, true, Selector::default()).await;
    let mut released: ConfigMap = serde_json::from_value(stored).unwrap();
    released.metadata.finalizers = None;
    client.update(&released).await.unwrap();
    advance(Duration::from_secs(1)).await;
    let begun = Instant::now();
    let name = ObjectName::namespaced("a", "one");
    let (read, ()) = tokio::join!(client.get::<ConfigMap>(&name), async {
        advance(Duration::from_secs(1)).await;
        api.remove("configmaps", "a", "one");
    });
    assert!(read.unwrap().is_none());
    assert!(begun.elapsed() >= Duration::from_secs(1));
    running.stop().await.unwrap();
}

/// A deletion states `dryRun` in its body.
#[tokio::test(start_paused = true)]
async fn dry_run_deletions_are_not_waited_for() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let (client, running) = start_with_late_events(&api, true, Selector::default()).await;
    let maps = TypedClient::<ConfigMap>::namespaced(client.live().clone(), "a");
    let tried = DeleteParams::default().dry_run();
    maps.delete("one", &tried).await.unwrap();
    let begun = Instant::now();
    let name = ObjectName::namespaced("a", "one");
    assert!(client.get::<ConfigMap>(&name).await.unwrap().is_some());
    assert!(begun.elapsed() < millis(10));
    running.stop().await.unwrap();
}

/// The cache never shows a write in a namespace that is not cached.
#[tokio::test(start_paused = true)]
async fn writes_in_uncached_namespaces_are_not_waited_for() {
    let api = Api::new();
    let mut client = None;
    let settings = |builder: ManagerBuilder| builder.namespaces(["a", "b"]);
    let running = Running::start_with(&api, settings, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        client = Some(manager.client());
    });
    let (running, client) = (running.await, client.unwrap());
    settle().await;
    let mut object = config_map("one", "1");
    object.metadata.namespace = Some("c".to_owned());
    client.create(&object).await.unwrap();
    let begun = Instant::now();
    let listed = client.list::<ConfigMap>(&Query::new()).await.unwrap();
    assert!(listed.is_empty());
    assert!(begun.elapsed() < millis(10));
    running.stop().await.unwrap();
}

/// Reads do not wait for writes that a restore of etcd has undone, and the cache shows the restored
/// objects. Later writes are waited for, although their versions are lower.
#[tokio::test(start_paused = true)]
async fn writes_that_a_restore_has_undone_are_not_waited_for() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let (client, running) = start_with_late_events(&api, true, Selector::default()).await;
    let backup = api.backup();
    for (round, name) in [("2", "one"), ("3", "one"), ("4", "two")] {
        client.apply(&config_map(name, round)).await.unwrap();
        advance(Duration::from_secs(1)).await;
    }
    api.restore(backup);
    advance(Duration::from_secs(15)).await;
    let [one, two] = ["one", "two"].map(|name| ObjectName::namespaced("a", name));
    let begun = Instant::now();
    let read = client.get::<ConfigMap>(&one).await.unwrap().unwrap();
    assert_eq!(data_value(&read), "1");
    assert!(client.get::<ConfigMap>(&two).await.unwrap().is_none());
    assert!(begun.elapsed() < millis(10));
    for round in ["5", "6"] {
        client.apply(&config_map("one", round)).await.unwrap();
        let read = client.get::<ConfigMap>(&one).await.unwrap().unwrap();
        assert_eq!(data_value(&read), round);
    }
    running.stop().await.unwrap();
}

/// The same if the restored version is one that the cache has not passed, so that the informer does
/// not notice the restore.
#[tokio::test(start_paused = true)]
async fn writes_that_were_lost_before_the_cache_saw_them_are_not_waited_for() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let (client, running) = start_with_late_events(&api, true, Selector::default()).await;
    advance(Duration::from_secs(1)).await;
    api.delay(|| Duration::ZERO);
    let backup = interrupt_watch(&api).await;
    for (round, name) in [("2", "one"), ("3", "two")] {
        client.apply(&config_map(name, round)).await.unwrap();
    }
    api.restore(backup);
    advance(Duration::from_secs(15)).await;
    let [one, two] = ["one", "two"].map(|name| ObjectName::namespaced("a", name));
    let read = client.get::<ConfigMap>(&one).await.unwrap().unwrap();
    assert_eq!(data_value(&read), "1");
    // From then on, no read waits.
    let begun = Instant::now();
    assert!(client.get::<ConfigMap>(&two).await.unwrap().is_none());
    assert_eq!(
        data_value(&client.get::<ConfigMap>(&one).await.unwrap().unwrap()),
        "1"
    );
    assert!(begun.elapsed() < millis(10));
    client.apply(&config_map("one", "4")).await.unwrap();
    let read = client.get::<ConfigMap>(&one).await.unwrap().unwrap();
    assert_eq!(data_value(&read), "4");
    running.stop().await.unwrap();
}

/// A deletion that was lost in the same way leaves an object that exists, and no other lost write
/// is hidden by it.
#[tokio::test(start_paused = true)]
async fn deletions_that_were_lost_before_the_cache_saw_them_are_not_waited_for() {
    let api = Api::new();
    let names = ["one", "two", "three", "four", "five"];
    for name in names {
        api.put("configmaps", config_map_json(name, "1"));
    }
    let (client, running) = start_with_late_events(&api, true, Selector::default()).await;
    advance(Duration::from_secs(1)).await;
    api.delay(|| Duration::ZERO);
    let backup = interrupt_watch(&api).await;
    let maps = TypedClient::<ConfigMap>::namespaced(client.live().clone(), "a");
    // A deletion of an object that has an earlier write, and deletions of others.
    client.apply(&config_map("one", "2")).await.unwrap();
    for name in &names[..4] {
        maps.delete(name, &DeleteParams::default()).await.unwrap();
    }
    client.apply(&config_map("five", "2")).await.unwrap();
    api.restore(backup);
    advance(Duration::from_secs(15)).await;
    let two = ObjectName::namespaced("a", "two");
    let read = client.get::<ConfigMap>(&two).await.unwrap().unwrap();
    assert_eq!(data_value(&read), "1");
    let listed = client.list::<ConfigMap>(&Query::new()).await.unwrap();
    assert!(listed.iter().all(|map| data_value(map) == "1"));
    assert_eq!(listed.len(), names.len());
    // From then on, no read waits.
    let begun = Instant::now();
    client.list::<ConfigMap>(&Query::new()).await.unwrap();
    assert!(begun.elapsed() < millis(10));
    // A later deletion is waited for, however late its event is.
    api.delay(|| Duration::from_secs(4));
    maps.delete("two", &DeleteParams::default()).await.unwrap();
    assert!(client.get::<ConfigMap>(&two).await.unwrap().is_none());
    assert_eq!(begun.elapsed().as_secs(), 4);
    running.stop().await.unwrap();
}

/// Reads wait for a write after the restore, even if another read finds that an earlier write is
/// lost.
#[tokio::test(start_paused = true)]
async fn writes_after_a_restore_are_waited_for() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let (client, running) = start_with_late_events(&api, true, Selector::default()).await;
    advance(Duration::from_secs(1)).await;
    let backup = interrupt_watch(&api).await;
    for round in ["2", "3", "4"] {
        client.apply(&config_map("one", round)).await.unwrap();
    }
    api.restore(backup);
    advance(Duration::from_secs(15)).await;
    api.delay(|| Duration::from_secs(4));
    let [one, two] = ["one", "two"].map(|name| ObjectName::namespaced("a", name));
    let (read, created) = tokio::join!(client.get::<ConfigMap>(&one), async {
        advance(Duration::from_secs(1)).await;
        client.create(&config_map("two", "1")).await
    });
    assert_eq!(data_value(&read.unwrap().unwrap()), "1");
    created.unwrap();
    assert!(client.get::<ConfigMap>(&two).await.unwrap().is_some());
    running.stop().await.unwrap();
}

/// Writes an object, and reads it in the next reconcile.
struct Writing;

impl Reconciler for Writing {
    type Object = ConfigMap;

    async fn reconcile(&self, object: Arc<ConfigMap>, cx: &Context) -> Result {
        let name = ObjectName::from_object(&*object);
        cx.client().get::<ConfigMap>(&name).await?;
        let change = json!({ "data": { "attempt": cx.attempt().to_string() } });
        let change = Patch::Merge(change);
        cx.client().patch::<ConfigMap, _>(&name, &change).await?;
        Ok(Action::after(millis(10)))
    }
}

/// The first stale read of a request is normal. If it repeats, the log says why.
#[tokio::test(start_paused = true)]
async fn repeated_stale_reads_are_warned_of() {
    let log = Log::default();
    // As in `log_names_cancelled_and_dropped_reconciles`.
    let _another = tracing::Dispatch::new(log.subscriber());
    let _listening = tracing::subscriber::set_default(log.subscriber());
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    api.delay(|| Duration::from_secs(3600));
    let running = Running::start(&api, |manager| {
        manager.add(Controller::new(Writing)).unwrap();
    })
    .await;
    advance(Duration::from_secs(45)).await;
    let text = log.text();
    let warnings: Vec<_> = { text.lines() }
        .filter(|line| line.contains("stale cache"))
        .collect();
    // Eight reads of 5 s: the second, the fourth and the eighth.
    assert_eq!(warnings.len(), 3, "{text}");
    for warning in warnings {
        assert!(warning.contains("WARN"), "{warning}");
        assert!(
            warning.contains("a write is still missing after 5 s"),
            "{warning}"
        );
        assert!(warning.contains(r#"name="one""#), "{warning}");
    }
    running.stop().await.unwrap();
}
