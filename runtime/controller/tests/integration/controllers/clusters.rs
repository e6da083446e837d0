//! Tests of managers with several clusters.

use genclient_controller::{Cluster, SetupError, Watch};
use k8s_openapi::api::core::v1::Pod;
use tokio::time::Instant;

use super::*;

/// Reconciler that keeps a Pod for each ConfigMap, without knowing about clusters.
struct OnePod;

impl Reconciler for OnePod {
    type Object = ConfigMap;

    async fn reconcile(&self, map: Arc<ConfigMap>, cx: &Context) -> Result {
        let mut pod = Pod::default();
        pod.metadata.name.clone_from(&map.metadata.name);
        pod.metadata.namespace.clone_from(&map.metadata.namespace);
        let written = cx.client().apply_owned(&*map, &pod).await?;
        let read = cx
            .client()
            .get::<Pod>(&ObjectName::from_object(&*map))
            .await?;
        assert_eq!(
            read.map(|pod| pod.metadata.uid.clone()),
            Some(written.object.metadata.uid)
        );
        Ok(Action::done())
    }
}

/// Returns a controller of two clusters, the manager's own one and `other`, with one reconciler.
fn controller_of_both_clusters(other: &Cluster) -> Controller<Request> {
    let names = |map: &ConfigMap| [ObjectName::from_object(map)];
    Controller::new(OnePod)
        .owns(Watch::<Pod>::new())
        .watches(Watch::<ConfigMap>::new().in_cluster(other), names)
        .owns(Watch::<Pod>::new().in_cluster(other))
}

#[tokio::test(start_paused = true)]
async fn reconciler_runs_unchanged_on_two_clusters() {
    let (own, other) = (Api::new(), Api::new());
    let running = Running::start(&own, |manager| {
        // The cluster may also be added after a controller that does not use it.
        manager
            .add(Scripted::idle().controller().named("earlier"))
            .unwrap();
        let cluster = manager.cluster("other", other.client()).unwrap();
        manager.add(controller_of_both_clusters(&cluster)).unwrap();
        for name in ["other", ""] {
            let error = manager.cluster(name, other.client()).unwrap_err();
            assert!(matches!(error, SetupError::SameCluster(same) if same == name));
        }
    })
    .await;
    settle().await;
    own.put("configmaps", config_map_json("one", "1"));
    other.put("configmaps", config_map_json("two", "1"));
    settle().await;
    let has_pod = |api: &Api, name: &str| api.get("pods", "a", name).is_some();
    let pods = || ["one", "two"].map(|name| (has_pod(&own, name), has_pod(&other, name)));
    assert_eq!(pods(), [(true, false), (false, true)]);
    // An owned object enqueues its owner in the same cluster.
    other.remove("pods", "a", "two");
    own.remove("pods", "a", "one");
    settle().await;
    assert_eq!(pods(), [(true, false), (false, true)]);
    running.stop().await.unwrap();
}

/// A map function may name another cluster than that of its watch.
#[tokio::test(start_paused = true)]
async fn map_function_enqueues_requests_of_another_cluster() {
    let (own, one, two) = (Api::new(), Api::new(), Api::new());
    let scripted = Scripted::new(|_, cx| {
        assert_eq!(cx.client().cluster().name(), "two");
        Ok(Action::done())
    });
    let in_two = |map: &ConfigMap| {
        let mut request = Request::from(ObjectName::from_object(map));
        request.cluster = "two".into();
        [request]
    };
    let running = Running::start(&own, |manager| {
        let one = manager.cluster("one", one.client()).unwrap();
        let two = manager.cluster("two", two.client()).unwrap();
        let watch = Watch::<ConfigMap>::new().in_cluster(&two);
        let controller = Controller::watching(watch, scripted.clone())
            .watches(Watch::<ConfigMap>::new().in_cluster(&one), in_two);
        manager.add(controller).unwrap();
    })
    .await;
    settle().await;
    one.put("configmaps", config_map_json("one", "1"));
    settle().await;
    assert_eq!(scripted.names(), ["a/one"]);
    running.stop().await.unwrap();
}

/// Requests have the name of the cluster, and events are written to that cluster.
#[tokio::test(start_paused = true)]
async fn events_are_recorded_in_the_cluster_of_the_request() {
    let (own, other) = (Api::new(), Api::new());
    other.put("configmaps", config_map_json("two", "1"));
    let recording = Scripted::new(|call, cx| {
        let map: ConfigMap = serde_json::from_value(config_map_json(&call.name[2..], "1")).unwrap();
        cx.recorder().event(
            &map,
            genclient::record::EventType::Normal,
            "Seen",
            cx.client().cluster().name(),
        );
        Ok(Action::done())
    });
    let running = Running::start(&own, |manager| {
        let cluster = manager.cluster("other", other.client()).unwrap();
        let maps = Watch::<ConfigMap>::new().in_cluster(&cluster);
        manager
            .add(Controller::watching(maps, recording.clone()))
            .unwrap();
    })
    .await;
    settle().await;
    running.stop().await.unwrap();
    let events = |api: &Api| {
        api.list("events")
            .into_iter()
            .map(|event| event["message"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(
        (events(&own), events(&other)),
        (vec![], vec![json!("other")])
    );
}

/// A manager whose watches were added before the start fails if one cluster is down at the start.
#[tokio::test(start_paused = true)]
async fn sync_error_names_the_unreachable_cluster() {
    let (own, other) = (Api::new(), Api::new());
    for resource in ["configmaps", "pods"] {
        other.refuse(http::Method::GET, resource, 503, usize::MAX);
    }
    let short = |builder: ManagerBuilder| builder.cache_sync_timeout(Duration::from_secs(20));
    let error = Running::start_with(&own, short, |manager| {
        let cluster = manager.cluster("other", other.client()).unwrap();
        manager.add(controller_of_both_clusters(&cluster)).unwrap();
    })
    .await
    .run
    .await
    .unwrap()
    .unwrap_err()
    .to_string();
    let lines: Vec<_> = error.lines().collect();
    assert_eq!(lines.len(), 2, "{error}");
    assert!(
        lines[0]
            .starts_with("cluster `other`: the cache of configmaps.v1 did not sync within 20 s"),
        "{error}"
    );
}

/// If a cluster goes down later, or is added later, reconciles in other clusters continue.
#[tokio::test(start_paused = true)]
async fn unreachable_cluster_does_not_stop_the_others() {
    let (own, other) = (Api::new(), Api::new());
    let mut handle = None;
    let short = |builder: ManagerBuilder| builder.cache_sync_timeout(Duration::from_secs(20));
    let running = Running::start_with(&own, short, |manager| {
        manager
            .add(Controller::new(OnePod).owns(Watch::<Pod>::new()))
            .unwrap();
        handle = Some(manager.handle());
    })
    .await;
    settle().await;
    let manager = handle.unwrap();
    let cluster = manager.cluster("other", other.client()).unwrap();
    let controller = || {
        let maps = Watch::<ConfigMap>::new().in_cluster(&cluster);
        let controller = Controller::watching(maps, OnePod).named("other");
        controller.owns(Watch::<Pod>::new().in_cluster(&cluster))
    };
    other.refuse(http::Method::GET, "pods", 503, 100);
    let begun = Instant::now();
    let error = manager.add(controller()).await.unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("cluster `other`: the cache of pods.v1 "),
        "{error}"
    );
    assert_eq!(begun.elapsed().as_secs(), 20);
    own.put("configmaps", config_map_json("one", "1"));
    settle().await;
    assert!(own.get("pods", "a", "one").is_some());
    // Tries until the cluster is up.
    while manager.add(controller()).await.is_err() {}
    other.refuse(http::Method::PATCH, "pods", 503, usize::MAX);
    other.put("configmaps", config_map_json("two", "1"));
    own.put("configmaps", config_map_json("three", "1"));
    settle().await;
    assert!(own.get("pods", "a", "three").is_some());
    assert!(other.get("pods", "a", "two").is_none());
    running.stop().await.unwrap();
}

/// Clusters are added and removed while the manager runs, but not after its end.
#[tokio::test(start_paused = true)]
async fn clusters_can_be_removed() {
    let (own, other) = (Api::new(), Api::new());
    let mut handle = None;
    let running = Running::start(&own, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        handle = Some(manager.handle());
    });
    let (running, manager) = (running.await, handle.unwrap());
    settle().await;
    let tasks = || {
        let runtime = tokio::runtime::Handle::current();
        runtime.metrics().num_alive_tasks()
    };
    let before = tasks();
    for round in ["one", "two"] {
        let cluster = manager.cluster("other", other.client()).unwrap();
        let scripted = Scripted::idle();
        let watch = Watch::<ConfigMap>::new().in_cluster(&cluster);
        let controller = Controller::watching(watch, scripted.clone()).named("other");
        let controller = manager.add(controller).await.unwrap();
        other.put("configmaps", config_map_json(round, "1"));
        settle().await;
        assert!(scripted.names().contains(&format!("a/{round}")));
        controller.shutdown().await;
        manager.remove_cluster(&cluster).await;
        drop(cluster);
        settle().await;
        assert_eq!(tasks(), before, "{round}");
    }
    running.stop().await.unwrap();
    let error = manager.cluster("other", other.client()).unwrap_err();
    assert!(matches!(error, SetupError::Stopped(_)), "{error}");
}
