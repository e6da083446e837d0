//! Regression tests of controller-runtime's known defects that no other file covers.
//! `docs/controllers.md` lists all of them.

use std::sync::atomic::{AtomicUsize, Ordering};

use genclient::kube::core::{ApiResource, DynamicObject};
use genclient_controller::predicate::LabelChanged;
use genclient_controller::{ReadError, Task, Watch, source};
use k8s_openapi::api::core::v1::Secret;
use tokio::net::TcpStream;
use tokio::time::Instant;

use super::*;

/// `runnable_group.go`: a group that is stopped before its start starts first (#2719).
#[tokio::test(start_paused = true)]
async fn stopping_unstarted_components_does_not_start_them() {
    let api = Api::new();
    let other = json!({
        "metadata": { "namespace": "default", "name": "tests" },
        "spec": { "holderIdentity": "other", "leaseDurationSeconds": 3600,
                  "renewTime": "2026-01-01T00:00:00.000000Z" },
    });
    for (is_led, refused) in [(true, 0), (false, usize::MAX)] {
        api.put("leases", other.clone());
        api.refuse(http::Method::GET, "configmaps", 503, refused);
        let begun = Arc::new(Mutex::new(Vec::new()));
        let task = |name: &'static str| {
            let begun = Arc::clone(&begun);
            Task::new(name, move |_| async move {
                begun.lock().unwrap().push(name);
                Ok(())
            })
        };
        let settings = |builder: ManagerBuilder| builder.leader_election(is_led);
        let running = Running::start_with(&api, settings, |manager| {
            manager.add(Scripted::idle().controller()).unwrap();
            manager.add(task("led")).unwrap();
            manager.add(task("everywhere").on_every_replica()).unwrap();
        })
        .await;
        settle().await;
        running.stop().await.unwrap();
        // While caches have not synced, the other components do not run either.
        let expected: &[&str] = if is_led { &["everywhere"] } else { &[] };
        assert_eq!(*begun.lock().unwrap(), expected);
    }
}

/// `runnable_group.go`: waiting for a group to be ready spins once its context is cancelled.
#[tokio::test(start_paused = true)]
async fn stopping_during_cache_sync_returns_promptly() {
    let api = Api::new();
    api.refuse(http::Method::GET, "configmaps", 503, usize::MAX);
    let running = Running::start(&api, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
    })
    .await;
    settle().await;
    let begun = Instant::now();
    running.stop().await.unwrap();
    assert!(begun.elapsed() < millis(100), "{:?}", begun.elapsed());
}

/// `manager.go`: a server counts as started before it listens. Metrics are served without
/// protection on port 8080 unless switched off.
#[tokio::test]
async fn servers_listen_at_build_and_only_on_configured_addresses() {
    let api = Api::new();
    let silent = Manager::builder("tests")
        .client(api.client())
        .build()
        .await
        .unwrap();
    assert_eq!(
        (silent.metrics_address(), silent.health_probe_address()),
        (None, None)
    );
    let serving = Manager::builder("tests")
        .client(api.client())
        .metrics_bind_address(servers::LOOPBACK)
        .build();
    let address = serving.await.unwrap().metrics_address();
    let serving = Manager::builder("tests")
        .client(api.client())
        .metrics_bind_address(servers::LOOPBACK)
        .build()
        .await
        .unwrap();
    let other = serving.metrics_address();
    assert_ne!(address, other);
    assert!(TcpStream::connect(other.unwrap()).await.is_ok());
}

/// `informer_cache.go`: one `Get` starts an informer that caches all objects of the kind, and a
/// `Get` of another type for the same kind starts one more.
#[tokio::test(start_paused = true)]
async fn reads_do_not_start_informers() {
    let api = Api::new();
    let mut client = None;
    let running = Running::start(&api, |manager| {
        manager.add(Scripted::idle().controller()).unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    let client = client.unwrap();
    let name = ObjectName::namespaced("a", "one");
    let secret = client.get::<Secret>(&name).await.unwrap_err();
    let form = client
        .of::<DynamicObject>(ApiResource::erase::<ConfigMap>(&()))
        .get(&name)
        .await
        .unwrap_err();
    for error in [secret, form] {
        assert!(matches!(error, ReadError::NotCached { .. }), "{error}");
    }
    settle().await;
    assert_eq!(api.lists(), ["/api/v1/configmaps?"]);
    running.stop().await.unwrap();
}

/// `builder/options.go`: if predicates or options are given twice, the second replaces the first.
#[tokio::test(start_paused = true)]
async fn repeated_selectors_and_predicates_are_combined() {
    let api = Api::new();
    let scripted = Scripted::idle();
    let is_big = |map: &ConfigMap| map.data.iter().flatten().any(|(_, value)| value.len() > 1);
    let watch = Watch::<ConfigMap>::new()
        .labels([("app", "x")])
        .labels([("tier", "y")])
        .fields("metadata.name!=a")
        .fields("metadata.name!=b")
        .when(LabelChanged)
        .matching(is_big);
    let controller = Controller::watching(watch, scripted.clone());
    let running = Running::start(&api, |manager| {
        manager.add(controller).unwrap();
    })
    .await;
    settle().await;
    let selected = "/api/v1/configmaps?fieldSelector=metadata.name!=a,metadata.name!=b&labelSelector=app=x,tier=y";
    assert_eq!(
        api.lists()
            .iter()
            .map(|list| sorted_names(list))
            .collect::<Vec<_>>(),
        [sorted_names(selected)]
    );
    for (value, label, expected) in [
        ("1", "p", 0),
        ("22", "p", 0),
        ("22", "q", 1),
        ("3", "r", 1),
        ("4", "s", 0),
    ] {
        let mut object = config_map_json("one", value);
        object["metadata"]["labels"] = json!({ "app": "x", "tier": "y", "other": label });
        api.put("configmaps", object);
        settle().await;
        assert_eq!(scripted.take().len(), expected, "{value} {label}");
    }
    running.stop().await.unwrap();
}

fn sorted_names(list: &str) -> Vec<String> {
    let mut parts: Vec<_> = list.split(['?', '&']).map(str::to_owned).collect();
    parts.sort();
    parts
}

/// `predicate.go`: `Not` also inverts the result for creations and deletions.
#[tokio::test(start_paused = true)]
async fn inverted_predicates_admit_additions_and_deletions() {
    let api = Api::new();
    let scripted = Scripted::idle();
    let watch = Watch::<ConfigMap>::new().when(LabelChanged.not());
    let running = Running::start(&api, |manager| {
        let controller = Controller::watching(watch, scripted.clone());
        manager.add(controller).unwrap();
    })
    .await;
    settle().await;
    api.put("configmaps", config_map_json("one", "1"));
    settle().await;
    api.remove("configmaps", "a", "one");
    settle().await;
    assert_eq!(scripted.names(), ["a/one", "a/one"]);
    running.stop().await.unwrap();
}

/// `priorityqueue.go`: a steady flow of requests starves initial objects (#3496).
#[tokio::test(start_paused = true)]
async fn initial_objects_are_not_starved_by_frequent_requests() {
    let api = Api::new();
    for number in 0..5 {
        api.put("configmaps", config_map_json(&format!("old-{number}"), "1"));
    }
    // Each reconcile enqueues the next request, so that one with normal priority is always pending.
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel::<ObjectName>();
    let flow = futures::stream::unfold(receiver, |mut receiver| async move {
        Some((receiver.recv().await?, receiver))
    });
    let (asked, number) = (sender.clone(), AtomicUsize::new(0));
    let scripted = Scripted::new(move |_, _| {
        for _ in 0..2 {
            let number = number.fetch_add(1, Ordering::Relaxed).to_string();
            let _ = asked.send(ObjectName::namespaced("flow", &number));
        }
        Ok(Action::done())
    });
    let running = Running::start(&api, |manager| {
        let slow = Slowed(scripted.clone());
        let controller = Controller::new(slow).source(source::stream(Box::pin(flow)));
        manager.add(controller).unwrap();
    })
    .await;
    sender
        .send(ObjectName::namespaced("flow", "first"))
        .unwrap();
    advance(Duration::from_secs(100)).await;
    let names = scripted.names();
    let old = names
        .iter()
        .filter(|name| name.starts_with("a/old"))
        .count();
    assert_eq!((old, names.len() > 50), (5, true), "{names:?}");
    running.stop().await.unwrap();
}

/// A reconciler that takes a second for each call.
struct Slowed(Scripted);

impl Reconciler for Slowed {
    type Object = ConfigMap;

    async fn reconcile(&self, object: Arc<ConfigMap>, cx: &Context) -> Result {
        advance(Duration::from_secs(1)).await;
        self.0.reconcile(object, cx).await
    }

    async fn absent(&self, name: &ObjectName, cx: &Context) -> Result {
        advance(Duration::from_secs(1)).await;
        self.0.absent(name, cx).await
    }
}

/// `workqueue.go` and `metrics.go`: controller names and the registry are global to the process
/// (#2937, #210). A queue that is shut down twice panics.
#[tokio::test]
async fn managers_in_one_process_are_independent() {
    let metrics = |builder: ManagerBuilder| builder.metrics_bind_address(servers::LOOPBACK);
    let mut managers = Vec::new();
    for _ in 0..2 {
        let api = Api::new();
        api.put("configmaps", config_map_json("one", "1"));
        let (mut address, mut handle) = (None, None);
        let running = Running::start_with(&api, metrics, |manager| {
            handle = manager.add(Scripted::idle().controller()).ok();
            address = manager.metrics_address();
        })
        .await;
        managers.push((running, address.unwrap(), handle.unwrap()));
    }
    settle().await;
    for (running, address, handle) in managers {
        let (_, text) = servers::http_get(address, "/metrics").await;
        let line =
            r#"controller_runtime_reconcile_total{controller="configmap",result="success"} 1"#;
        assert!(text.contains(line), "{text}");
        tokio::join!(handle.shutdown(), handle.shutdown());
        running.stop.cancel();
        running.stop().await.unwrap();
    }
}
