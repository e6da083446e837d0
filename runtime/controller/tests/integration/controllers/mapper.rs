//! Tests of looking up kinds by discovery.

use genclient::kube::ResourceExt;
use genclient::kube::client::Body;
use genclient::kube::core::DynamicObject;
use genclient_controller::{Mapper, MapperError, Watch};

use k8s_openapi::api::core::v1::Pod;

use super::discovery::Discovery;
use super::*;

/// Looks up names one after another, in the format of `mapper.txt`. A name with a capital letter is
/// that of a kind, another one that of a resource.
async fn look_up(lookups: &str, discovery: &Discovery, mapper: &Mapper) {
    for lookup in lookups.lines() {
        let mut columns = lookup.split('|').map(str::trim);
        let mut column = || columns.next().unwrap();
        let (name, expected, aggregated, listed) = (column(), column(), column(), column());
        let found = if name.starts_with(char::is_uppercase) {
            mapper.kind(name).await
        } else {
            mapper.resource(name).await
        };
        let found = found
            .map(|kind| kind.resource)
            .map(|kind| format!("{}.{}", kind.kind, kind.api_version))
            .unwrap_or_else(|error| error.to_string());
        assert_eq!(found, expected, "{name}");
        let requests = if discovery.is_aggregated {
            aggregated
        } else {
            listed
        };
        let requests = requests.split_whitespace().map(|path| {
            if path.starts_with('/') {
                path.to_owned()
            } else {
                format!("/apis/{path}")
            }
        });
        assert_eq!(discovery.requests(), requests.collect::<Vec<_>>(), "{name}");
    }
}

#[tokio::test(start_paused = true)]
async fn kinds_are_discovered_lazily() {
    let cases: Vec<_> = include_str!("../../controllers/mapper.txt")
        .split("\n\n")
        .skip(1)
        .collect();
    assert_eq!(cases.len(), 9);
    for is_aggregated in [true, false] {
        for case in &cases {
            let (_, lookups) = case.trim_end().split_once('\n').unwrap();
            let discovery = Discovery::new(is_aggregated);
            let mapper = discovery.mapper().await;
            assert_eq!(discovery.requests(), [""; 0]);
            look_up(lookups, &discovery, &mapper).await;
        }
    }
}

/// The cases "can fetch CRDs if they were created at runtime" and "should invalidate the group
/// cache if a version is not found" of controller-runtime.
#[tokio::test(start_paused = true)]
async fn added_and_removed_kinds_are_rediscovered() {
    const BEFORE: &str = "\
Guard.v1.crew.example.com | Guard.crew.example.com/v1 | /apis | /apis crew.example.com crew.example.com/v2 crew.example.com/v1
Rider.crew.example.com | the API server does not serve kind `Rider` in `crew.example.com` | crew.example.com crew.example.com/v2 crew.example.com/v1 | crew.example.com crew.example.com/v2 crew.example.com/v1";
    // Kinds stay cached until a kind of the group is looked up that is not cached.
    const AFTER: &str = "\
Guard.v1.crew.example.com | Guard.crew.example.com/v1 | |
Rider.crew.example.com | Rider.crew.example.com/v2 | crew.example.com crew.example.com/v2 | crew.example.com crew.example.com/v2
Guard.v1.crew.example.com | the API server does not serve `Guard.v1.crew.example.com` in version `v1`; served versions: `v2` | crew.example.com crew.example.com/v2 | crew.example.com crew.example.com/v2
Driver.crew.example.com | Driver.crew.example.com/v2 | |";
    const FORGOTTEN: &str = "\
Driver.crew.example.com | Driver.crew.example.com/v2 | crew.example.com crew.example.com/v2 | crew.example.com crew.example.com/v2";
    for is_aggregated in [true, false] {
        let discovery = Discovery::new(is_aggregated);
        let mapper = discovery.mapper().await;
        look_up(BEFORE, &discovery, &mapper).await;
        discovery.serve("crew.example.com", &[("v2", &["Driver", "Rider"])]);
        look_up(AFTER, &discovery, &mapper).await;
        mapper.forget("crew.example.com");
        look_up(FORGOTTEN, &discovery, &mapper).await;
    }
}

#[tokio::test(start_paused = true)]
async fn concurrent_lookups_share_discovery_requests() {
    for is_aggregated in [true, false] {
        let discovery = Discovery {
            delay: Duration::from_secs(1),
            ..Discovery::new(is_aggregated)
        };
        let mapper = discovery.mapper().await;
        let many = |name: &'static str| {
            let lookups = (0..50).map(|_| mapper.kind(name));
            futures::future::join_all(lookups)
        };
        for found in many("Driver.crew.example.com").await {
            assert_eq!(found.unwrap().resource.version, "v2");
        }
        let expected = if is_aggregated { 1 } else { 4 };
        assert_eq!(discovery.requests().len(), expected);
        // The second lookup joins the first one, and then finds a kind that was installed after the
        // answer to it.
        let (first, late) = tokio::join!(mapper.kind("Limo.crew.example.com"), async {
            advance(millis(1_500)).await;
            discovery.serve("crew.example.com", &[("v2", &["Driver", "Limo"])]);
            mapper.kind("Limo.crew.example.com").await
        });
        assert!(first.is_err_and(|error| error.is_not_served()));
        assert_eq!(late.unwrap().resource.plural, "limos");
        // If the lookup that sent the request is dropped, other lookups do not hang.
        let dropped = tokio::time::timeout(millis(500), mapper.kind("None.v1.apps")).await;
        assert!(dropped.is_err());
        let none = many("None.v1.apps").await;
        assert!(
            none.iter()
                .all(|found| found.as_ref().is_err_and(MapperError::is_not_served))
        );
    }
}

/// Looks up a kind, and records the result and the time that it took.
#[derive(Clone, Default)]
struct LookingUp(Arc<Mutex<Vec<(bool, u64)>>>);

impl Reconciler for LookingUp {
    type Object = ConfigMap;

    async fn reconcile(&self, _object: Arc<ConfigMap>, cx: &Context) -> Result {
        let begun = tokio::time::Instant::now();
        let found = cx.client().mapper().kind("Driver.crew.example.com").await;
        let took = begun.elapsed().as_secs();
        self.0.lock().unwrap().push((found.is_ok(), took));
        found?;
        Ok(Action::done())
    }
}

/// The requests of a removed controller end. A lookup that another controller waits for goes on.
#[tokio::test(start_paused = true)]
async fn shared_lookup_outlasts_the_controller_that_began_it() {
    let discovery = Discovery {
        delay: Duration::from_secs(5),
        ..Discovery::new(false)
    };
    let api = Api::new();
    api.put("configmaps", config_map_json("one", "1"));
    let (client, discovering) = (api.client(), discovery.client());
    let client = tower::service_fn(move |request: http::Request<Body>| {
        let is_discovery = request.uri().path().starts_with("/apis");
        let client = if is_discovery { &discovering } else { &client };
        let client = client.clone();
        async move { client.send(request).await }
    });
    let settings = |builder: ManagerBuilder| {
        let client = genclient::kube::Client::new(client, "default");
        let builder = builder.client(client);
        builder.graceful_shutdown_timeout(Duration::from_secs(6))
    };
    let lookups = [LookingUp::default(), LookingUp::default()];
    let mut handles = Vec::new();
    let running = Running::start_with(&api, settings, |manager| {
        for (lookup, name) in lookups.iter().zip(["first", "second"]) {
            let controller = Controller::new(lookup.clone()).named(name);
            handles.push(manager.add(controller).unwrap());
        }
    })
    .await;
    // After the first answer, both controllers wait for the group.
    advance(Duration::from_secs(7)).await;
    let results = || lookups.each_ref().map(|it| it.0.lock().unwrap().clone());
    assert!(results().iter().all(Vec::is_empty));
    // Either may have begun the lookup.
    handles[0].shutdown().await;
    advance(Duration::from_secs(60)).await;
    let [removed, other] = results();
    assert_eq!(removed.len(), 1, "{removed:?}");
    assert!(!removed[0].0 && removed[0].1 < 14, "{removed:?}");
    assert_eq!(other, [(true, 15)]);
    running.stop().await.unwrap();
}

/// If an API service is down, only lookups in its own group fail.
#[tokio::test(start_paused = true)]
async fn lookups_in_an_unavailable_group_are_errors() {
    for is_aggregated in [true, false] {
        let discovery = Discovery::new(is_aggregated);
        discovery.state.lock().unwrap().down.push("policy");
        let mapper = discovery.mapper().await;
        let error = mapper.kind("Budget.policy").await.unwrap_err();
        assert!(!error.is_not_served(), "{error}");
        let source = std::error::Error::source(&error).unwrap().to_string();
        assert!(source.contains("told to"), "{source}");
        assert!(mapper.kind("Deployment.apps").await.is_ok());
        discovery.state.lock().unwrap().down.clear();
        assert!(mapper.kind("Budget.policy").await.is_ok());
    }
}

/// A controller of a cluster-scoped kind that a mapper has found. It owns namespaced objects.
#[tokio::test(start_paused = true)]
async fn discovered_kinds_can_be_watched() {
    #[derive(Clone, Default)]
    struct Nodes(Arc<Mutex<Vec<String>>>);

    impl Reconciler for Nodes {
        type Object = DynamicObject;

        async fn reconcile(&self, node: Arc<DynamicObject>, cx: &Context) -> Result {
            let reasons = cx
                .reasons()
                .iter()
                .map(|reason| format!("{}: {reason}", node.name_any()));
            self.0.lock().unwrap().extend(reasons);
            Ok(Action::done())
        }
    }

    let mapper = Discovery::new(true).mapper().await;
    let kind = mapper.kind_of("v1", "Node").await.unwrap();
    let verbs: Vec<_> = kind.verbs.iter().map(|verb| &**verb).collect();
    assert_eq!(
        (kind.namespaced, &*kind.singular, &*verbs),
        (false, "node", &["get"][..])
    );
    let api = Api::new();
    api.put(
        "nodes",
        json!({ "apiVersion": "v1", "kind": "Node", "metadata": { "name": "one" } }),
    );
    let nodes = Nodes::default();
    let running = Running::start(&api, |manager| {
        let controller = Controller::watching(Watch::served(&kind), nodes.clone());
        manager.add(controller.owns(Watch::<Pod>::new())).unwrap();
    })
    .await;
    settle().await;
    let owner = json!({ "apiVersion": "v1", "kind": "Node", "name": "one", "uid": "1", "controller": true });
    api.put(
        "pods",
        json!({ "metadata": { "namespace": "a", "name": "pod", "ownerReferences": [owner] } }),
    );
    settle().await;
    assert_eq!(
        *nodes.0.lock().unwrap(),
        ["one: Node listed", "one: Pod added"]
    );
    running.stop().await.unwrap();
}
