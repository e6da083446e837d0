//! Tests of watches: owners, maps, predicates and panics.

use genclient_controller::predicate::{GenerationChanged, LabelChanged, ResourceVersionChanged};
use genclient_controller::{RequestReconciler, Watch, source};
use k8s_openapi::api::core::v1::{Node, Pod};

use super::*;

fn owned_pod(name: &str, owners: Value) -> Value {
    json!({ "metadata": { "namespace": "a", "name": name, "ownerReferences": owners } })
}

fn owner_reference(kind: &str, api_version: &str, name: &str, controller: bool) -> Value {
    json!({ "kind": kind, "apiVersion": api_version, "name": name, "uid": name, "controller": controller })
}

#[tokio::test(start_paused = true)]
async fn every_change_triggers_a_reconcile() {
    let api = Api::new();
    api.put("configmaps", config_map_json("old", "1"));
    let scripted = Scripted::idle();
    let running = Running::start(&api, |manager| {
        manager.add(scripted.controller()).unwrap();
    })
    .await;
    settle().await;
    api.put("configmaps", config_map_json("new", "1"));
    settle().await;
    api.put("configmaps", config_map_json("new", "2"));
    settle().await;
    api.remove("configmaps", "a", "new");
    settle().await;
    let calls = scripted.take();
    let calls: Vec<_> = calls
        .iter()
        .map(|call| (&*call.name, &*call.reasons[0], call.data.is_some()))
        .collect();
    assert_eq!(
        calls,
        [
            ("a/old", "ConfigMap listed", true),
            ("a/new", "ConfigMap added", true),
            ("a/new", "ConfigMap updated", true),
            ("a/new", "ConfigMap deleted", false),
        ]
    );
    running.stop().await.unwrap();
}

/// Only the *controller* of an object is enqueued, wherever it is in the list of owners and in any
/// version of its kind. An update enqueues the old and the new one.
#[tokio::test(start_paused = true)]
async fn owners_of_a_changed_object_are_reconciled() {
    let api = Api::new();
    let scripted = Scripted::idle();
    let running = Running::start(&api, |manager| {
        manager
            .add(scripted.controller().owns(Watch::<Pod>::new()))
            .unwrap();
    })
    .await;
    settle().await;
    for (owners, expected) in [
        (
            json!([owner_reference("ConfigMap", "v1", "x", true)]),
            vec!["a/x"],
        ),
        (
            json!([owner_reference("ConfigMap", "v2", "y", true)]),
            vec!["a/x", "a/y"],
        ),
        (
            json!([owner_reference("ConfigMap", "v1", "z", false)]),
            vec!["a/y"],
        ),
        (
            json!([owner_reference("ConfigMap", "apps/v1", "z", true)]),
            vec![],
        ),
        (
            json!([
                owner_reference("Bad", "a/b/c", "z", false),
                owner_reference("ConfigMap", "v1", "x", true)
            ]),
            vec!["a/x"],
        ),
        (
            json!([owner_reference("Secret", "v1", "z", true)]),
            vec!["a/x"],
        ),
        (json!([]), vec![]),
        (json!([]), vec![]),
        (
            json!([owner_reference("ConfigMap", "v1", "x", true)]),
            vec!["a/x"],
        ),
        (
            json!([owner_reference("ConfigMap", "v1", "x", true)]),
            vec!["a/x"],
        ),
    ] {
        api.put("pods", owned_pod("pod", owners.clone()));
        settle().await;
        let mut names = scripted.names();
        names.sort();
        assert_eq!(names, expected, "{owners}");
    }
    api.remove("pods", "a", "pod");
    settle().await;
    assert_eq!(scripted.names(), ["a/x"]);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn mapped_requests_are_deduplicated() {
    let api = Api::new();
    let scripted = Scripted::idle();
    let names = |node: &Node| {
        let labels = node.metadata.labels.clone().unwrap_or_default();
        labels
            .into_values()
            .map(|name| ObjectName::namespaced("a", &name))
            .collect::<Vec<_>>()
    };
    let running = Running::start(&api, |manager| {
        manager
            .add(scripted.controller().watches(Watch::<Node>::new(), names))
            .unwrap();
    })
    .await;
    settle().await;
    let node = |one: &str, two: &str| json!({ "metadata": { "name": "node", "labels": { "one": one, "two": two } } });
    for (one, two, expected) in [
        ("x", "x", vec!["a/x"]),
        ("x", "y", vec!["a/x", "a/y"]),
        ("z", "y", vec!["a/x", "a/y", "a/z"]),
    ] {
        api.put("nodes", node(one, two));
        settle().await;
        let mut names = scripted.names();
        names.sort();
        assert_eq!(names, expected);
    }
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn predicates_see_old_and_new_objects() {
    let labelled = |labels: Value, generation: u32| json!({ "metadata": { "namespace": "a", "name": "one", "labels": labels, "generation": generation } });
    type Case = (fn() -> Watch<ConfigMap>, Vec<usize>);
    let cases: [Case; 5] = [
        (|| Watch::new().when(LabelChanged), vec![0, 1]),
        (|| Watch::new().when(GenerationChanged), vec![0, 2]),
        (
            || Watch::new().when(LabelChanged.or(GenerationChanged)),
            vec![0, 1, 2],
        ),
        (
            || Watch::new().when(ResourceVersionChanged.and(LabelChanged.not())),
            vec![0, 2, 3],
        ),
        // Also admits an update by which the object ceases to match.
        (
            || {
                let matches = |map: &ConfigMap| {
                    map.metadata
                        .labels
                        .iter()
                        .flatten()
                        .any(|(_, value)| value == "1")
                };
                Watch::new().matching(matches)
            },
            vec![0, 1],
        ),
    ];
    for (case, (watch, expected)) in cases.into_iter().enumerate() {
        let api = Api::new();
        let scripted = Scripted::idle();
        let running = Running::start(&api, |manager| {
            manager
                .add(Controller::watching(watch(), scripted.clone()))
                .unwrap();
        })
        .await;
        settle().await;
        let mut woken = Vec::new();
        for (step, (labels, generation)) in
            [("1", 1), ("2", 1), ("2", 2), ("2", 2)].iter().enumerate()
        {
            api.put("configmaps", labelled(json!({ "x": labels }), *generation));
            settle().await;
            if !scripted.take().is_empty() {
                woken.push(step);
            }
        }
        assert_eq!(woken, expected, "{case}");
        running.stop().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn sources_enqueue_requests() {
    let api = Api::new();
    let scripted = Scripted::idle();
    let (sender, receiver) = tokio::sync::mpsc::unbounded_channel::<ObjectName>();
    let received = futures::stream::unfold(receiver, |mut receiver| async move {
        Some((receiver.recv().await?, receiver))
    });
    let running = Running::start(&api, |manager| {
        let controller = scripted
            .controller()
            .source(source::stream(Box::pin(received)));
        let every = source::every(
            Duration::from_secs(10),
            ObjectName::namespaced("a", "clock"),
        );
        manager.add(controller.source(every)).unwrap();
    })
    .await;
    sender.send(ObjectName::namespaced("a", "sent")).unwrap();
    advance(Duration::from_secs(25)).await;
    assert_eq!(scripted.names(), ["a/sent", "a/clock", "a/clock"]);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn requests_may_be_of_any_type() {
    struct Sums(Arc<Mutex<Vec<u32>>>);

    impl RequestReconciler for Sums {
        type Request = u32;

        async fn reconcile(&self, request: &u32, _cx: &Context) -> Result {
            self.0.lock().unwrap().push(*request);
            Ok(Action::done())
        }
    }

    let api = Api::new();
    let sums = Arc::new(Mutex::new(Vec::new()));
    let running = Running::start(&api, |manager| {
        let length = |map: &ConfigMap| {
            [map.data
                .iter()
                .flatten()
                .map(|(_, text)| text.len() as u32)
                .sum::<u32>()]
        };
        let controller = Controller::for_requests("sums", Sums(Arc::clone(&sums)));
        manager
            .add(controller.watches(Watch::<ConfigMap>::new(), length))
            .unwrap();
    })
    .await;
    settle().await;
    api.put("configmaps", config_map_json("one", "123"));
    settle().await;
    assert_eq!(*sums.lock().unwrap(), [3]);
    running.stop().await.unwrap();
}

/// A request that counts its comparisons.
#[derive(Clone, Debug)]
struct Counted(usize);

impl std::hash::Hash for Counted {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

static COMPARED: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);

impl PartialEq for Counted {
    fn eq(&self, other: &Self) -> bool {
        COMPARED.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        self.0 == other.0
    }
}

impl Eq for Counted {}

struct Counts(Arc<Mutex<usize>>);

impl RequestReconciler for Counts {
    type Request = Counted;

    async fn reconcile(&self, _request: &Counted, _cx: &Context) -> Result {
        *self.0.lock().unwrap() += 1;
        Ok(Action::done())
    }
}

/// Each request is enqueued once. The number of comparisons is linear in the number of requests.
#[tokio::test(start_paused = true)]
async fn one_object_can_enqueue_many_requests() {
    const MANY: usize = 20_000;
    let api = Api::new();
    let reconciled = Arc::default();
    let counts = Counts(Arc::clone(&reconciled));
    let running = Running::start(&api, |manager| {
        let controller = Controller::for_requests("many", counts);
        let many = |_: &Node| (0..2 * MANY).map(|number| Counted(number % MANY));
        manager
            .add(controller.watches(Watch::<Node>::new(), many))
            .unwrap();
    })
    .await;
    api.put("nodes", json!({ "metadata": { "name": "node" } }));
    settle().await;
    assert_eq!(*reconciled.lock().unwrap(), MANY);
    let compared = COMPARED.load(std::sync::atomic::Ordering::Relaxed);
    assert!(compared < 100 * MANY, "{compared}");
    running.stop().await.unwrap();
}

/// A predicate that panics admits the event. A map that panics loses only its own requests.
#[tokio::test(start_paused = true)]
async fn panicking_predicates_and_maps_lose_no_other_requests() {
    let api = Api::new();
    let scripted = Scripted::idle();
    let running = Running::start(&api, |manager| {
        let panics = |map: &ConfigMap| {
            let name = map.metadata.name.as_deref();
            assert_ne!(name, Some("predicate"), "told to");
            true
        };
        let watch = Watch::<ConfigMap>::new().matching(panics);
        let controller = Controller::watching(watch, scripted.clone());
        let names = |pod: &Pod| {
            assert_eq!(pod.metadata.labels, None, "told to");
            [ObjectName::from_object(pod)]
        };
        manager
            .add(controller.watches(Watch::<Pod>::new(), names))
            .unwrap();
    })
    .await;
    api.put("configmaps", config_map_json("predicate", "1"));
    api.put("configmaps", config_map_json("other", "1"));
    let pod = |labels: Value| json!({ "metadata": { "namespace": "a", "name": "pod", "labels": labels } });
    api.put("pods", pod(json!({ "app": "x" })));
    settle().await;
    let mut names = scripted.names();
    names.sort();
    assert_eq!(names, ["a/other", "a/predicate"]);
    // The map panics for the old Pod, and returns a request for the new one.
    api.put("pods", pod(Value::Null));
    settle().await;
    assert_eq!(scripted.names(), ["a/pod"]);
    running.stop().await.unwrap();
}
