//! Tests of controllers with selectors, beside controllers that cache all objects of the kind.

use genclient_controller::{Query, Watch};
use k8s_openapi::api::core::v1::Pod;

use super::*;

fn labelled_config_map(name: &str, value: &str) -> Value {
    let mut map = config_map_json(name, value);
    map["metadata"]["labels"] = json!({ "app": "x" });
    map
}

fn watch_selected() -> Watch<ConfigMap> {
    Watch::new().labels("app=x")
}

/// Starts two controllers of ConfigMaps: one of labelled objects, and one of all objects, whose
/// watch events arrive later.
async fn with_all_cached(api: &Api) -> (Scripted, Running) {
    let some = Scripted::idle();
    let controller = Controller::watching(watch_selected(), some.clone());
    let running = Running::start(api, |manager| {
        manager.add(controller).unwrap();
        let all = Scripted::idle().controller().named("all");
        manager.add(all).unwrap();
    })
    .await;
    settle().await;
    api.delay_by_query(|query| {
        if query.contains("labelSelector=") {
            Duration::ZERO
        } else {
            millis(30)
        }
    });
    (some, running)
}

/// A reconcile begins when the cache of its own watch shows the change, whatever other caches show.
#[tokio::test(start_paused = true)]
async fn reconciles_read_from_the_cache_that_enqueued_them() {
    let api = Api::new();
    let (some, running) = with_all_cached(&api).await;
    for value in ["1", "2"] {
        api.put("configmaps", labelled_config_map("one", value));
        settle().await;
        let calls = some.take();
        assert_eq!(calls.len(), 1, "{calls:?}");
        assert_eq!(calls[0].data, Some(json!({ "value": value })));
    }
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn object_that_leaves_the_selector_is_absent() {
    let api = Api::new();
    let (some, running) = with_all_cached(&api).await;
    api.put("configmaps", labelled_config_map("one", "1"));
    settle().await;
    some.take();
    api.put("configmaps", config_map_json("one", "2"));
    settle().await;
    let calls = some.take();
    assert_eq!(calls.len(), 1, "{calls:?}");
    assert_eq!(calls[0].data, None);
    running.stop().await.unwrap();
}

/// The selector of the reconciled kind applies even if the controller itself caches or owns all
/// objects of the kind.
#[tokio::test(start_paused = true)]
async fn objects_cached_outside_the_watch_are_not_reconciled() {
    for owns in [false, true] {
        let api = Api::new();
        let some = Scripted::idle();
        let controller = Controller::watching(watch_selected(), some.clone());
        let running = Running::start(&api, |manager| {
            let all = Watch::<ConfigMap>::new();
            let controller = if owns {
                controller.owns(all)
            } else {
                controller.caches(all)
            };
            manager.add(controller).unwrap();
        })
        .await;
        api.put("configmaps", labelled_config_map("one", "1"));
        settle().await;
        some.take();
        api.put("configmaps", config_map_json("one", "2"));
        settle().await;
        let calls = some.take();
        assert_eq!(calls.len(), 1, "{calls:?}");
        assert_eq!(calls[0].data, None);
        running.stop().await.unwrap();
    }
}

/// Reads of a reconcile use the watches of its controller. Other caches are used only for kinds and
/// namespaces that the controller does not watch.
#[tokio::test(start_paused = true)]
async fn reads_prefer_the_controllers_own_watches() {
    let api = Api::new();
    api.put("configmaps", labelled_config_map("in", "1"));
    api.put("configmaps", config_map_json("out", "1"));
    for namespace in ["a", "b"] {
        let metadata = json!({ "namespace": namespace, "name": "pod" });
        api.put("pods", json!({ "metadata": metadata }));
    }
    let client = Arc::new(Mutex::new(None));
    let kept = Arc::clone(&client);
    let some = Scripted::new(move |_, cx| {
        *kept.lock().unwrap() = Some(cx.client().clone());
        Ok(Action::done())
    });
    let mut outside = None;
    let mut some_handle = None;
    let running = Running::start(&api, |manager| {
        let some = Controller::watching(watch_selected(), some)
            .caches(Watch::<Pod>::new().namespaces(["a"]));
        some_handle = Some(manager.add(some).unwrap());
        let all = Scripted::idle().controller().named("all");
        manager.add(all.caches(Watch::<Pod>::new())).unwrap();
        outside = Some(manager.client());
    })
    .await;
    settle().await;
    let (inside, outside) = (client.lock().unwrap().clone().unwrap(), outside.unwrap());
    for (client, maps, pods) in [(&inside, 1, 1), (&outside, 2, 2)] {
        let found = client.list::<ConfigMap>(&Query::new()).await.unwrap();
        assert_eq!(found.len(), maps);
        let name = ObjectName::namespaced("a", "out");
        let out = client.get::<ConfigMap>(&name).await.unwrap();
        assert_eq!(out.is_some(), maps == 2);
        let found = client.list::<Pod>(&Query::new()).await.unwrap();
        assert_eq!(found.len(), pods);
        let name = ObjectName::namespaced("b", "pod");
        assert!(client.get::<Pod>(&name).await.unwrap().is_some());
    }
    // The caches of a controller are removed with it.
    some_handle.unwrap().shutdown().await;
    let found = inside.list::<ConfigMap>(&Query::new()).await.unwrap();
    assert_eq!(found.len(), 2);
    running.stop().await.unwrap();
}
