//! Tests of watches, owners, maps and predicates on the real API server: controller-runtime's
//! `pkg/builder`, `pkg/controller` and `pkg/source` integration tests.

use genclient::scheme::Object;
use genclient_controller::RequestReconciler;
use genclient_controller::owner::{set_controller_reference, set_owner_reference};
use genclient_controller::predicate::{GenerationChanged, LabelChanged};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Secret;
use kube::api::DeleteParams;
use kube::core::PartialObjectMeta;

use super::*;

pub(super) fn tests(suite: &mut Suite) {
    suite.both("controller::watches::owners_and_maps", owners_and_maps);
    suite.both("controller::watches::metadata_alone", metadata_alone);
    suite.both("controller::watches::predicates", predicates);
    suite.both("controller::watches::other_clusters", other_clusters);
}

/// A reconciler of any kind that counts the reconciles of each name, also of deleted objects.
struct Counted<K> {
    counting: Counting,
    kind: std::marker::PhantomData<fn() -> K>,
}

impl<K> Counted<K> {
    fn new(counting: &Counting) -> Self {
        Self {
            counting: counting.clone(),
            kind: std::marker::PhantomData,
        }
    }
}

impl<K: Object> Reconciler for Counted<K> {
    type Object = K;

    async fn reconcile(&self, object: Arc<K>, _cx: &Context) -> Result {
        let name = object.meta().name.clone().unwrap_or_default();
        *self.counting.0.lock().entry(name).or_default() += 1;
        Ok(Action::done())
    }

    async fn absent(&self, name: &ObjectName, _cx: &Context) -> Result {
        let gone = format!("{} is gone", name.name());
        *self.counting.0.lock().entry(gone).or_default() += 1;
        Ok(Action::done())
    }
}

/// Waits until a name was reconciled after `what` was done.
async fn wakes<T>(
    counting: &Counting,
    name: &str,
    what: impl Future<Output = kube::Result<T>>,
) -> std::result::Result<T, Failed> {
    counting.0.lock().remove(name);
    let done = what.await?;
    eventually(name, async || match counting.of(name) {
        0 => Err(format!("{:?}", counting.0.lock())),
        _ => Ok(()),
    })
    .await?;
    Ok(done)
}

/// A Deployment, a ConfigMap that it controls, a Secret that it owns, and a Secret that names it.
async fn owners_and_maps(plane: &ControlPlane) -> Outcome {
    woken(Stage::new::<Deployment, ConfigMap, Secret>(plane).await?).await
}

/// The same with metadata only. Two controllers share the cache of it.
async fn metadata_alone(plane: &ControlPlane) -> Outcome {
    type Metadata<K> = PartialObjectMeta<K>;
    type Deployments = Metadata<Deployment>;
    let stage = Stage::new::<Deployments, Metadata<ConfigMap>, Metadata<Secret>>(plane);
    woken(stage.await?).await
}

/// Two controllers of Deployments, and one of a custom request type.
struct Stage {
    running: Running,
    namespace: String,
    deployments: Api<Deployment>,
    maps: Api<ConfigMap>,
    secrets: Api<Secret>,
    /// Counts for the controller that other kinds trigger, too.
    counting: Counting,
    second: Counting,
    requests: Counting,
}

impl Stage {
    async fn new<D, C, S>(plane: &ControlPlane) -> std::result::Result<Self, Failed>
    where
        D: Object<DynamicType: Default>,
        C: Object<DynamicType: Default>,
        S: Object<DynamicType: Default>,
    {
        let namespace = plane.create_namespace("wakes").await?;
        let [counting, second, requests] = [(); 3].map(|()| Counting::default());
        let running = Running::start_with(
            plane,
            &namespace,
            |builder| builder,
            |manager| {
                let controller =
                    Controller::new(Counted::<D>::new(&counting)).owns(Watch::<C>::new());
                manager.add(controller.watches(Watch::<S>::new(), named::<S>))?;
                let controller = Controller::new(Counted::<D>::new(&second));
                manager.add(controller.named("second"))?;
                let controller = Controller::for_requests("requests", Texts(requests.clone()));
                let names = |secret: &S| secret.meta().name.clone().map(Text);
                manager.add(controller.watches(Watch::<S>::new(), names))
            },
        );
        Ok(Self {
            running: running.await?,
            deployments: Api::namespaced(plane.client(), &namespace),
            maps: Api::namespaced(plane.client(), &namespace),
            secrets: Api::namespaced(plane.client(), &namespace),
            namespace,
            counting,
            second,
            requests,
        })
    }
}

/// Returns every owner of an object, and the name in an annotation.
fn named<K: Object>(object: &K) -> Vec<ObjectName> {
    let meta = object.meta();
    let owners = meta
        .owner_references
        .iter()
        .flatten()
        .map(|owner| &owner.name);
    let named = meta
        .annotations
        .iter()
        .flatten()
        .filter(|(key, _)| *key == "example.com/of");
    let names = owners.chain(named.map(|(_, name)| name));
    let namespace = meta.namespace.as_deref().unwrap_or_default();
    let names = names.map(|name| ObjectName::namespaced(namespace, name));
    names.collect()
}

fn web() -> std::result::Result<Deployment, Failed> {
    Ok(serde_json::from_value(json!({
        "metadata": { "name": "web" },
        "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [{ "name": "main", "image": "example.com/image" }] },
            },
        },
    }))?)
}

async fn woken(stage: Stage) -> Outcome {
    let (counting, post) = (&stage.counting, PostParams::default());
    let web = web()?;
    let web = stage.deployments.create(&post, &web);
    let web = wakes(counting, "web", web).await?;
    eventually("the second", async || match stage.second.of("web") {
        0 => Err("not yet"),
        _ => Ok(()),
    })
    .await?;

    // A controlled object is created, changed and deleted.
    let mut owned = config_map(&stage.namespace, "owned", "1")?;
    set_controller_reference(&web, &mut owned)?;
    let mut owned = wakes(counting, "web", stage.maps.create(&post, &owned)).await?;
    owned.metadata.labels = Some([("changed".to_owned(), "yes".to_owned())].into());
    let changed = stage.maps.replace("owned", &post, &owned);
    wakes(counting, "web", changed).await?;
    let params = DeleteParams::default();
    wakes(counting, "web", stage.maps.delete("owned", &params)).await?;
    mapped(&stage, &web).await?;
    let gone = stage.deployments.delete("web", &params);
    wakes(counting, "web is gone", gone).await?;
    stage.running.stop().await
}

/// An owned object that is not controlled enqueues its owner only by a map.
async fn mapped(stage: &Stage, web: &Deployment) -> Outcome {
    let (counting, post) = (&stage.counting, PostParams::default());
    let mut plain = config_map(&stage.namespace, "plain", "1")?;
    set_owner_reference(web, &mut plain)?;
    counting.0.lock().clear();
    stage.maps.create(&post, &plain).await?;
    let mut secret: Secret = serde_json::from_value(json!({
        "metadata": {
            "namespace": stage.namespace, "name": "secret",
            "annotations": { "example.com/of": "nobody" },
        },
    }))?;
    let created = stage.secrets.create(&post, &secret);
    wakes(counting, "nobody is gone", created).await?;
    assert_eq!(counting.of("web"), 0);
    secret.metadata.name = Some("another".to_owned());
    set_owner_reference(web, &mut secret)?;
    let created = stage.secrets.create(&post, &secret);
    wakes(counting, "web", created).await?;
    // Both enqueued a request of the custom type.
    eventually("both requests", async || {
        let found = ["secret", "another"].map(|name| stage.requests.of(name));
        if found == [1, 1] {
            Ok(())
        } else {
            Err(format!("{found:?}"))
        }
    })
    .await?;
    Ok(())
}

/// A custom request type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Text(String);

struct Texts(Counting);

impl RequestReconciler for Texts {
    type Request = Text;

    async fn reconcile(&self, request: &Text, _cx: &Context) -> Result {
        *self.0.0.lock().entry(request.0.clone()).or_default() += 1;
        Ok(Action::done())
    }
}

/// A predicate of one kind does not apply to another, and sees the generation that the API server
/// sets.
async fn predicates(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("predicates").await?;
    let counting = Counting::default();
    let running = Running::start_with(
        plane,
        &namespace,
        |builder| builder,
        |manager| {
            let reconciler = Counted::<Deployment>::new(&counting);
            let deployments = Watch::new().when(GenerationChanged);
            let secrets = Watch::<Secret>::new().when(LabelChanged);
            let controller = Controller::watching(deployments, reconciler);
            let by_name = |secret: &Secret| [ObjectName::from_object(secret)];
            manager.add(controller.watches(secrets, by_name))
        },
    )
    .await?;
    let deployments: Api<Deployment> = Api::namespaced(plane.client(), &namespace);
    let post = PostParams::default();
    let web = web()?;
    wakes(&counting, "web", deployments.create(&post, &web)).await?;
    let patch = async |patch: serde_json::Value| {
        let params = kube::api::PatchParams::default();
        deployments
            .patch("web", &params, &Patch::Merge(patch))
            .await
    };
    counting.0.lock().clear();
    // Neither labels nor the status are part of the specification.
    patch(json!({ "metadata": { "labels": { "changed": "yes" } } })).await?;
    let status = Patch::Merge(json!({ "status": { "replicas": 1 } }));
    deployments
        .patch_status("web", &Default::default(), &status)
        .await?;
    let secrets: Api<Secret> = Api::namespaced(plane.client(), &namespace);
    let mut secret = Secret::default();
    secret.metadata.name = Some("secret".to_owned());
    // Later than both changes: events are ordered only within one kind.
    wakes(&counting, "secret is gone", secrets.create(&post, &secret)).await?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(counting.of("web"), 0);
    wakes(
        &counting,
        "web",
        patch(json!({ "spec": { "replicas": 3 } })),
    )
    .await?;
    running.stop().await
}

/// A reconcile gets the cluster of the object that triggered it. The second cluster is the same API
/// server.
async fn other_clusters(plane: &ControlPlane) -> Outcome {
    struct Clusters(Counting);

    impl Reconciler for Clusters {
        type Object = ConfigMap;

        async fn reconcile(&self, map: Arc<ConfigMap>, cx: &Context) -> Result {
            let cluster = cx.client().cluster().name();
            let name = format!("{cluster}:{}", map.name_any());
            *self.0.0.lock().entry(name).or_default() += 1;
            Ok(Action::done())
        }
    }

    let namespace = plane.create_namespace("clusters").await?;
    let counting = Counting::default();
    let running = Running::start_with(
        plane,
        &namespace,
        |builder| builder,
        |manager| {
            let other = manager.cluster("other", plane.client())?;
            let watch = Watch::<ConfigMap>::new().in_cluster(&other);
            let by_name = |map: &ConfigMap| [ObjectName::from_object(map)];
            let controller = Controller::new(Clusters(counting.clone()));
            manager.add(controller.watches(watch, by_name))
        },
    )
    .await?;
    let maps: Api<ConfigMap> = Api::namespaced(plane.client(), &namespace);
    for (name, cluster) in [("one", ":one"), ("two", "other:two")] {
        let map = config_map(&namespace, name, "1")?;
        wakes(
            &counting,
            cluster,
            maps.create(&PostParams::default(), &map),
        )
        .await?;
    }
    running.stop().await
}
