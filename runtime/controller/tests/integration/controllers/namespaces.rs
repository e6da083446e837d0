//! Tests of namespace selection by managers and watches, with selectors.

use genclient_controller::{Query, ReadError, Watch};
use k8s_openapi::api::core::v1::{Node, Secret};

use super::*;

type Settings = fn(ManagerBuilder) -> ManagerBuilder;

/// Runs a manager with these settings and this watch, and returns its list requests.
async fn list_requests<K>(settings: Settings, watch: Watch<K>) -> Vec<String>
where
    K: genclient::scheme::Object,
{
    let api = Api::new();
    let running = Running::start_with(&api, settings, |manager| {
        let controller = Controller::for_requests("tests", Ignored);
        let watch = watch.when(|_: &genclient_controller::predicate::Event<K>| false);
        manager
            .add(controller.watches(watch, |_| None::<u8>))
            .unwrap();
    })
    .await;
    settle().await;
    running.stop().await.unwrap();
    let mut lists = api.lists();
    lists.sort();
    lists
}

struct Ignored;

impl genclient_controller::RequestReconciler for Ignored {
    type Request = u8;

    async fn reconcile(&self, _request: &u8, _cx: &Context) -> Result {
        Ok(Action::done())
    }
}

/// The cases of controller-runtime's `TestDefaultOpts` whose settings exist here.
#[tokio::test(start_paused = true)]
async fn watch_namespaces_override_manager_namespaces() {
    let none: Settings = |builder| builder;
    let some: Settings = |builder| builder.namespaces(["a", "b"]);
    let except: Settings = |builder| builder.except_namespaces(["b", "a"]);
    let both: Settings = |builder| builder.namespaces(["a", "b"]).except_namespaces(["b"]);
    let all = || Watch::<Secret>::new();
    let without_two = "/api/v1/secrets?fieldSelector=metadata.namespace!=a,metadata.namespace!=b";
    for (settings, watch, expected) in [
        (none, all(), &["/api/v1/secrets?"][..]),
        (
            some,
            all(),
            &[
                "/api/v1/namespaces/a/secrets?",
                "/api/v1/namespaces/b/secrets?",
            ],
        ),
        (except, all(), &[without_two]),
        (both, all(), &["/api/v1/namespaces/a/secrets?"]),
        (
            some,
            all().namespaces(["c"]),
            &["/api/v1/namespaces/c/secrets?"],
        ),
        (
            some,
            all().namespaces(["c"]).namespaces(["d"]),
            &[
                "/api/v1/namespaces/c/secrets?",
                "/api/v1/namespaces/d/secrets?",
            ],
        ),
        (some, all().all_namespaces(), &["/api/v1/secrets?"]),
        (
            except,
            all().except_namespaces(["c"]),
            &["/api/v1/secrets?fieldSelector=metadata.namespace!=c"],
        ),
        (
            none,
            all().fields("type=x").except_namespaces(["c"]),
            &["/api/v1/secrets?fieldSelector=type=x,metadata.namespace!=c"],
        ),
        (
            some,
            all().labels([("x", "y")]).namespaces(["c"]),
            &["/api/v1/namespaces/c/secrets?labelSelector=x=y"],
        ),
    ] {
        let text = format!("{watch:?}");
        assert_eq!(list_requests(settings, watch).await, expected, "{text}");
    }
    for settings in [none, some, except] {
        assert_eq!(
            list_requests(settings, Watch::<Node>::new()).await,
            ["/api/v1/nodes?"]
        );
    }
}

#[tokio::test(start_paused = true)]
async fn namespaces_of_a_cluster_scoped_kind_are_an_error() {
    let mut manager = Manager::builder("tests")
        .client(Api::new().client())
        .build()
        .await
        .unwrap();
    let nodes = Watch::<Node>::new().namespaces(["a"]);
    let error = manager
        .add(Scripted::idle().controller().caches(nodes))
        .unwrap_err();
    assert_eq!(
        format_error_chain(&error),
        "cannot add a watch to controller `configmap`: nodes.v1 is cluster-scoped: remove `namespaces` from the watch"
    );
}

/// One watch for each namespace, with different selectors. Reads search all of their caches. A
/// cluster-scoped kind is cached as well.
#[tokio::test(start_paused = true)]
async fn reads_search_every_cache_that_covers_the_namespace() {
    let api = Api::new();
    for namespace in ["a", "b", "c"] {
        let name = format!("of-{namespace}");
        api.put("secrets", json!({ "metadata": { "namespace": namespace, "name": name, "labels": { "app": "x" } } }));
    }
    api.put("nodes", json!({ "metadata": { "name": "node" } }));
    let mut client = None;
    let only_a: Settings = |builder| builder.namespaces(["a"]);
    let running = Running::start_with(&api, only_a, |manager| {
        let by_name = |secret: &Secret| secret.metadata.name.clone();
        let in_b = Watch::<Secret>::new()
            .namespaces(["b"])
            .labels([("app", "x")]);
        let controller = Scripted::idle()
            .controller()
            .caches(in_b.index("name", by_name))
            .caches(Watch::<Secret>::new().index("name", by_name));
        manager
            .add(controller.caches(Watch::<Node>::new()))
            .unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    let client = client.unwrap();
    for namespace in ["a", "b"] {
        let name = ObjectName::namespaced(namespace, &format!("of-{namespace}"));
        assert!(
            client.get::<Secret>(&name).await.unwrap().is_some(),
            "{name}"
        );
        let inside = client
            .list::<Secret>(&Query::new().namespace(namespace))
            .await;
        assert_eq!(inside.unwrap().len(), 1);
    }
    assert_eq!(client.list::<Secret>(&Query::new()).await.unwrap().len(), 2);
    let by_index = Query::new().index("name", "of-b");
    assert_eq!(client.list::<Secret>(&by_index).await.unwrap().len(), 1);
    assert!(
        client
            .get::<Node>(&ObjectName::cluster("node"))
            .await
            .unwrap()
            .is_some()
    );
    let error = client
        .get::<Secret>(&ObjectName::namespaced("c", "of-c"))
        .await
        .unwrap_err();
    assert!(matches!(error, ReadError::NotCovered { .. }));
    assert_eq!(
        error.to_string(),
        "secrets.v1 is not cached in namespace `c`: add the namespace to the manager or the watch"
    );
    running.stop().await.unwrap();
}
