//! Tests of caches: typed, dynamic and metadata-only objects, namespaces, transforms, sharing,
//! owners.

use std::fmt::Debug;

use genclient::kube::Client;
use genclient::kube::core::{ApiResource, DynamicObject, ObjectMeta, PartialObjectMeta};
use genclient::scheme::Object;
use genclient_controller::{Query, ReadError, Watch};
use k8s_openapi::api::core::v1::{Node, Pod};

use super::*;

/// A reconciler of any kind that records the names of objects.
struct Names<K> {
    names: Arc<Mutex<Vec<String>>>,
    kind: std::marker::PhantomData<fn() -> K>,
}

impl<K> Names<K> {
    fn new() -> (Self, Arc<Mutex<Vec<String>>>) {
        let names = Arc::default();
        let kind = std::marker::PhantomData;
        (
            Self {
                names: Arc::clone(&names),
                kind,
            },
            names,
        )
    }
}

impl<K: Object> Reconciler for Names<K> {
    type Object = K;

    async fn reconcile(&self, object: Arc<K>, _cx: &Context) -> Result {
        let name = ObjectName::from_object(&*object);
        self.names.lock().unwrap().push(name.to_string());
        Ok(Action::done())
    }
}

/// Reconciles and reads the two Pods of the API server as the type `K`. Returns their metadata.
async fn in_form<K: Object + Debug>(types: K::DynamicType) -> Vec<ObjectMeta> {
    let api = Api::new();
    for (namespace, name) in [("a", "one"), ("b", "two")] {
        let labels = json!({ "app": name });
        let pod = json!({
            "apiVersion": "v1", "kind": "Pod",
            "metadata": { "namespace": namespace, "name": name, "labels": labels },
        });
        api.put("pods", pod);
    }
    let (reconciler, names) = Names::<K>::new();
    let mut client = None;
    let running = Running::start(&api, |manager| {
        let watch = Watch::<K>::of(types.clone()).index("app", |pod: &K| {
            let labels = pod.meta().labels.clone().unwrap_or_default();
            labels.into_values()
        });
        manager
            .add(Controller::watching(watch, reconciler))
            .unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    let pods = client.unwrap().of::<K>(types);
    let one = ObjectName::namespaced("a", "one");
    let found = pods.get(&one).await.unwrap().unwrap();
    let none = pods.get(&ObjectName::namespaced("a", "two")).await;
    assert!(none.unwrap().is_none());
    for (query, expected) in [
        (Query::new(), 2),
        (Query::new().namespace("b"), 1),
        (Query::new().labels("app=one"), 1),
        (Query::new().index("app", "two"), 1),
        (Query::new().namespace("a").index("app", "two"), 0),
    ] {
        assert_eq!(
            pods.list(&query).await.unwrap().len(),
            expected,
            "{query:?}"
        );
    }
    let mut names = std::mem::take(&mut *names.lock().unwrap());
    names.sort();
    assert_eq!(names, ["a/one", "b/two"]);
    running.stop().await.unwrap();
    vec![found.meta().clone()]
}

/// As typed objects, dynamic objects, and metadata only.
#[tokio::test(start_paused = true)]
async fn typed_dynamic_and_metadata_objects_are_cached() {
    let pod = ApiResource::erase::<Pod>(&());
    let typed = in_form::<Pod>(()).await;
    assert_eq!(in_form::<DynamicObject>(pod).await, typed);
    assert_eq!(in_form::<PartialObjectMeta<Pod>>(()).await, typed);
}

/// Namespaces limit the caches of namespaced kinds, but not those of cluster-scoped kinds. A read
/// in a namespace that is not cached is an error, and not a missing object.
#[tokio::test(start_paused = true)]
async fn reads_outside_the_cached_namespaces_are_errors() {
    let api = Api::new();
    for namespace in ["a", "b", "c"] {
        let mut map = config_map_json("one", "1");
        map["metadata"]["namespace"] = namespace.into();
        api.put("configmaps", map);
    }
    api.put("nodes", json!({ "metadata": { "name": "node" } }));
    let scripted = Scripted::idle();
    let mut client = None;
    let settings = |builder: ManagerBuilder| builder.namespaces(["a", "b"]);
    let running = Running::start_with(&api, settings, |manager| {
        let controller = scripted.controller().caches(Watch::<Node>::new());
        manager.add(controller).unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    let client = client.unwrap();
    let mut names = scripted.names();
    names.sort();
    assert_eq!(names, ["a/one", "b/one"]);
    for (namespace, expected) in [("a", Ok(1)), ("b", Ok(1)), ("c", Err(()))] {
        let name = ObjectName::namespaced(namespace, "one");
        let got = client
            .get::<ConfigMap>(&name)
            .await
            .map(|found| usize::from(found.is_some()));
        let query = Query::new().namespace(namespace);
        let listed = client
            .list::<ConfigMap>(&query)
            .await
            .map(|found| found.len());
        for found in [got, listed] {
            if let Err(error) = &found {
                assert!(matches!(error, ReadError::NotCovered { .. }));
                assert_eq!(
                    error.to_string(),
                    "configmaps.v1 is not cached in namespace `c`: add the namespace to the manager or the watch"
                );
            }
            assert_eq!(found.map_err(drop), expected, "{namespace}");
        }
    }
    assert_eq!(
        client.list::<ConfigMap>(&Query::new()).await.unwrap().len(),
        2
    );
    let node = client.get::<Node>(&ObjectName::cluster("node")).await;
    assert!(node.unwrap().is_some());
    running.stop().await.unwrap();
}

/// Reconciles and reads get transformed objects, and never `managedFields`.
#[tokio::test(start_paused = true)]
async fn objects_are_transformed_before_they_are_cached() {
    let api = Api::new();
    let mut one = config_map_json("one", "1");
    one["metadata"]["managedFields"] = json!([{ "manager": "kubectl" }]);
    api.put("configmaps", one);
    let scripted = Scripted::idle();
    let mut client = None;
    let running = Running::start(&api, |manager| {
        let watch = Watch::<ConfigMap>::new().transform(|map: &mut ConfigMap| {
            let data = map.data.get_or_insert_default();
            data.insert("value".to_owned(), "transformed".to_owned());
        });
        let controller = Controller::watching(watch, scripted.clone());
        manager.add(controller).unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    let seen = scripted.take();
    assert_eq!(seen[0].data, Some(json!({ "value": "transformed" })));
    let name = ObjectName::namespaced("a", "one");
    let cached = client
        .unwrap()
        .get::<ConfigMap>(&name)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(cached.data.as_ref().unwrap()["value"], "transformed");
    assert_eq!(cached.metadata.managed_fields, None);
    running.stop().await.unwrap();
}

/// Three controllers of one kind need two lists: two of them share one, the third has selectors.
#[tokio::test(start_paused = true)]
async fn controllers_share_informer_caches() {
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let lists = Arc::new(Mutex::new(0));
    let (inner, counted) = (api.client(), Arc::clone(&lists));
    let counting = tower::service_fn(move |request: http::Request<_>| {
        let query = request.uri().query().unwrap_or_default();
        if request.method() == http::Method::GET && !query.contains("watch=") {
            *counted.lock().unwrap() += 1;
        }
        let inner = inner.clone();
        async move { inner.send(request).await }
    });
    let settings = |builder: ManagerBuilder| builder.client(Client::new(counting, "default"));
    let (one, two, three) = (Scripted::idle(), Scripted::idle(), Scripted::idle());
    let running = Running::start_with(&api, settings, |manager| {
        manager.add(one.controller()).unwrap();
        manager.add(two.controller().named("two")).unwrap();
        let selected = Watch::<ConfigMap>::new().fields("metadata.name=one");
        let controller = Controller::watching(selected, three.clone());
        manager.add(controller.named("three")).unwrap();
    })
    .await;
    settle().await;
    assert_eq!(*lists.lock().unwrap(), 2);
    for scripted in [one, two, three] {
        assert_eq!(scripted.names(), ["a/one"]);
    }
    running.stop().await.unwrap();
}

/// A namespaced object enqueues its cluster-scoped owner, without a namespace.
#[tokio::test(start_paused = true)]
async fn cluster_scoped_owners_are_enqueued_without_a_namespace() {
    let api = Api::new();
    api.put("nodes", json!({ "metadata": { "name": "node" } }));
    let (reconciler, names) = Names::<Node>::new();
    let running = Running::start(&api, |manager| {
        let controller = Controller::new(reconciler).owns(Watch::<Pod>::new());
        manager.add(controller).unwrap();
    })
    .await;
    settle().await;
    names.lock().unwrap().clear();
    let owner = json!({ "kind": "Node", "apiVersion": "v1", "name": "node", "uid": "1", "controller": true });
    let metadata = json!({ "namespace": "a", "name": "pod", "ownerReferences": [owner] });
    api.put("pods", json!({ "metadata": metadata }));
    settle().await;
    assert_eq!(*names.lock().unwrap(), ["node"]);
    running.stop().await.unwrap();
}

/// The map also returns owners that are not the *controller*, like controller-runtime's
/// `MatchEveryOwner`.
#[tokio::test(start_paused = true)]
async fn map_function_can_enqueue_every_owner() {
    let api = Api::new();
    for name in ["x", "y", "z"] {
        api.put("configmaps", config_map_json(name, "1"));
    }
    let scripted = Scripted::idle();
    let owners = |pod: &Pod| {
        let owners = pod
            .metadata
            .owner_references
            .iter()
            .flatten()
            .filter(|owner| owner.kind == "ConfigMap");
        let names = owners.map(|owner| ObjectName::namespaced("a", &owner.name));
        names.collect::<Vec<_>>()
    };
    let running = Running::start(&api, |manager| {
        let controller = scripted.controller().watches(Watch::<Pod>::new(), owners);
        manager.add(controller).unwrap();
    })
    .await;
    settle().await;
    scripted.take();
    let owner = |kind: &str, name: &str, controller: bool| json!({ "kind": kind, "apiVersion": "v1", "name": name, "uid": name, "controller": controller });
    let owners = json!([
        owner("ConfigMap", "x", true),
        owner("Secret", "z", false),
        owner("ConfigMap", "y", false)
    ]);
    let metadata = json!({ "namespace": "a", "name": "pod", "ownerReferences": owners });
    api.put("pods", json!({ "metadata": metadata }));
    settle().await;
    assert_eq!(scripted.names(), ["a/x", "a/y"]);
    running.stop().await.unwrap();
}

/// A predicate applies only to its own watch.
#[tokio::test(start_paused = true)]
async fn predicates_apply_only_to_their_watch() {
    let api = Api::new();
    let scripted = Scripted::idle();
    let running = Running::start(&api, |manager| {
        let never = |_: &genclient_controller::predicate::Event<Pod>| false;
        let watch = Watch::<Pod>::new().when(never);
        let controller = scripted
            .controller()
            .watches(watch, |pod: &Pod| [ObjectName::from_object(pod)]);
        manager.add(controller).unwrap();
    })
    .await;
    settle().await;
    api.put(
        "pods",
        json!({ "metadata": { "namespace": "a", "name": "pod" } }),
    );
    api.put("configmaps", config_map_json("map", "1"));
    settle().await;
    assert_eq!(scripted.names(), ["a/map"]);
    running.stop().await.unwrap();
}
