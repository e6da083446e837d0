//! Tests of every verb of a controller's client, for every form of kind: controller-runtime's
//! `pkg/client/client_test.go` and `watch_test.go`.

use genclient::client::{DeleteParams, Patch, Preconditions};
use genclient::kube;
use genclient::scheme::Object;
use genclient_controller::{KindClient, owner};
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::batch::v1::Job;
use k8s_openapi::api::core::v1::Node;
use kube::core::{ApiResource, DynamicObject, PartialObjectMeta};
use serde::Serialize;
use serde_json::Value;

use super::*;

pub(super) fn tests(suite: &mut Suite) {
    suite.both("controller::client::verbs", verbs);
    suite.both("controller::client::statuses", statuses);
    suite.both("controller::client::metadata", metadata);
    suite.both("controller::client::dependents", dependents);
    suite.both("controller::client::deletion_options", deletion_options);
}

/// A kind in one form.
struct Form<K: Object> {
    of: KindClient<K>,
    /// A valid object.
    object: K,
    /// An invalid object.
    invalid: K,
}

/// A check that runs for each form.
trait Checks {
    async fn check<K: Object + Serialize>(&self, form: Form<K>) -> Outcome;
}

/// Runs a check for every form: typed and dynamic, namespaced and cluster-scoped.
async fn in_every_form(plane: &ControlPlane, checks: impl Checks) -> Outcome {
    let namespace = plane.create_namespace("forms").await?;
    let running = Running::start_with(
        plane,
        &namespace,
        // All namespaces, because a dynamic kind is not known to be cluster-scoped.
        |_| Manager::builder("controllers").client(plane.client()),
        |manager| {
            let cached = Controller::new(Counting::default()).named("cached");
            let deployment = ApiResource::erase::<Deployment>(&());
            let node = ApiResource::erase::<Node>(&());
            manager.add(
                cached
                    .caches(Watch::<Deployment>::new())
                    .caches(Watch::<Node>::new())
                    .caches(Watch::<DynamicObject>::of(deployment))
                    .caches(Watch::<DynamicObject>::of(node)),
            )
        },
    )
    .await?;
    let client = &running.client;
    let deployment = |name: &str, label: &str| {
        json!({
            "apiVersion": "apps/v1", "kind": "Deployment",
            "metadata": { "namespace": namespace, "name": name, "labels": { "app": label } },
            "spec": {
                "replicas": 2,
                "selector": { "matchLabels": { "app": "web" } },
                "template": {
                    "metadata": { "labels": { "app": label } },
                    "spec": { "containers": [{ "name": "main", "image": "example.com/image" }] },
                },
            },
        })
    };
    let node = |name: String, label: &str| {
        json!({
            "apiVersion": "v1", "kind": "Node",
            "metadata": { "name": name, "labels": { "app": label } },
        })
    };
    let resource = ApiResource::erase::<Deployment>(&());
    let typed = [deployment("typed", "web"), deployment("invalid", "db")];
    checks.check::<Deployment>(form(client, (), typed)?).await?;
    let dynamic = [deployment("dynamic", "web"), deployment("invalid", "db")];
    let dynamic = form::<DynamicObject>(client, resource, dynamic)?;
    checks.check(dynamic).await?;
    let resource = ApiResource::erase::<Node>(&());
    let name = |form| format!("{namespace}-{form}");
    let typed = [node(name("typed"), "web"), node("Not_A_Name".into(), "web")];
    checks.check::<Node>(form(client, (), typed)?).await?;
    let dynamic = [
        node(name("dynamic"), "web"),
        node("Not_A_Name".into(), "web"),
    ];
    let dynamic = form::<DynamicObject>(client, resource, dynamic)?;
    checks.check(dynamic).await?;
    running.stop().await
}

fn form<K: Object>(
    client: &Client,
    types: K::DynamicType,
    [object, invalid]: [Value; 2],
) -> std::result::Result<Form<K>, Failed> {
    Ok(Form {
        of: client.of(types),
        object: serde_json::from_value(object)?,
        invalid: serde_json::from_value(invalid)?,
    })
}

/// Returns the code of a refused write.
fn code<T>(result: &kube::Result<T>) -> Option<u16> {
    match result {
        Err(kube::Error::Api(status)) => Some(status.code),
        _ => None,
    }
}

fn labelled<K: Object>(object: &K, label: &str) -> K {
    let mut object = object.clone();
    let labels = object.meta_mut().labels.get_or_insert_default();
    labels.insert("app".to_owned(), label.to_owned());
    object
}

fn label<K: Object>(object: &K) -> Option<&str> {
    let label = object.meta().labels.as_ref()?.get("app")?;
    Some(label.as_str())
}

/// Checks create, read, update, patch, apply and delete.
struct Verbs;

async fn verbs(plane: &ControlPlane) -> Outcome {
    in_every_form(plane, Verbs).await
}

impl Checks for Verbs {
    async fn check<K: Object + Serialize>(&self, form: Form<K>) -> Outcome {
        let Form {
            of,
            object,
            invalid,
        } = form;
        let name = ObjectName::from_object(&object);
        let merge =
            |label: &str| Patch::Merge(json!({ "metadata": { "labels": { "app": label } } }));

        // The object does not exist yet.
        assert!(of.get(&name).await?.is_none());
        assert_eq!(code(&of.update(&object).await), Some(404));
        assert_eq!(code(&of.patch(&name, &merge("x")).await), Some(404));
        let created = of.create(&object).await?;
        assert!(created.meta().uid.is_some());
        assert_eq!(code(&of.create(&object).await), Some(409));
        assert_eq!(code(&of.create(&invalid).await), Some(422));

        let updated = of.update(&labelled(&created, "updated")).await?;
        assert_eq!(label(&updated), Some("updated"));
        assert_eq!(
            code(&of.update(&labelled(&created, "late")).await),
            Some(409)
        );
        let patched = of.patch(&name, &merge("patched")).await?;
        assert_eq!(label(&patched), Some("patched"));
        let applied = of.apply(&labelled(&object, "applied")).await?;
        assert_eq!(label(&applied), Some("applied"));
        let again = of.apply(&labelled(&object, "applied")).await?;
        let version = &applied.meta().resource_version;
        assert_eq!(&again.meta().resource_version, version);
        // The written object has its kind, even if no type states it.
        let kind = serde_json::to_value(&again)?["kind"].clone();
        assert_eq!(kind, serde_json::to_value(&object)?["kind"]);

        let read = of.get(&name).await?.ok_or("it is cached")?;
        assert_eq!(&read.meta().resource_version, version);
        for (labels, expected) in [("applied", 1), ("updated", 0)] {
            let labels = format!("app={labels}");
            let listed = of.list(&Query::new().labels(labels)).await?;
            let found = listed
                .iter()
                .filter(|it| it.meta().name == read.meta().name);
            assert_eq!(found.count(), expected);
        }

        // Only the object with the same uid is deleted.
        let mut other = created.clone();
        other.meta_mut().uid = Some("another".to_owned());
        of.delete(&other).await?;
        assert!(of.get(&name).await?.is_some());
        of.delete(&created).await?;
        assert!(of.get(&name).await?.is_none());
        of.delete(&created).await?;

        let applied = of.apply(&object).await?;
        assert!(applied.meta().uid.is_some());
        assert_ne!(applied.meta().uid, created.meta().uid);
        Ok(of.delete(&applied).await?)
    }
}

/// Checks that the verbs of the status write the status, and nothing else.
struct Statuses;

async fn statuses(plane: &ControlPlane) -> Outcome {
    in_every_form(plane, Statuses).await
}

impl Checks for Statuses {
    async fn check<K: Object + Serialize>(&self, form: Form<K>) -> Outcome {
        let Form { of, object, .. } = form;
        let name = ObjectName::from_object(&object);
        let condition = |status: &str| {
            json!([{ "type": "Tried", "status": status, "lastTransitionTime": "2026-01-01T00:00:00Z",
                     "lastHeartbeatTime": "2026-01-01T00:00:00Z", "lastUpdateTime": "2026-01-01T00:00:00Z" }])
        };
        // The API server or the type prunes a status that the kind does not have.
        let with_status = |object: &K, status: &str| {
            let mut object = serde_json::to_value(object)?;
            let mut condition = condition(status);
            let known = if object["kind"] == "Node" {
                "lastUpdateTime"
            } else {
                "lastHeartbeatTime"
            };
            condition[0]
                .as_object_mut()
                .ok_or("an object")?
                .remove(known);
            object["status"] = json!({ "conditions": condition });
            Ok::<K, Failed>(serde_json::from_value(object)?)
        };
        let status = |object: &K| {
            let object = serde_json::to_value(object)?;
            let mut conditions = object["status"]["conditions"]
                .as_array()
                .cloned()
                .unwrap_or_default()
                .into_iter();
            let tried = conditions.find(|it| it["type"] == "Tried");
            Ok::<_, Failed>(tried.map(|it| it["status"].clone()))
        };

        let created = of.create(&object).await?;
        let wanted = labelled(&with_status(&created, "True")?, "x");
        let updated = of.update_status(&wanted).await?;
        assert_eq!(status(&updated)?, Some("True".into()));
        let plain = of.update(&with_status(&updated, "Unknown")?).await?;
        assert_eq!(status(&plain)?, Some("True".into()));

        let mut patch = serde_json::to_value(with_status(&object, "False")?)?;
        let patch = json!({ "status": patch["status"].take() });
        let patched = of.patch_status(&name, &Patch::Merge(patch)).await?;
        assert_eq!(status(&patched)?, Some("False".into()));
        let mut applied = with_status(&object, "True")?;
        applied.meta_mut().labels = None;
        let applied = of.apply_status(&applied).await?;
        assert_eq!(status(&applied)?, Some("True".into()));
        let read = of.get(&name).await?.ok_or("it is cached")?;
        assert_eq!(status(&read)?, Some("True".into()));
        of.delete(&read).await?;

        let gone = of.update_status(&applied).await;
        assert_eq!(code(&gone), Some(404));
        Ok(())
    }
}

/// With metadata only, existing objects can be read, patched and deleted, but none can be created.
async fn metadata(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("metadata").await?;
    let running = Running::start_with(
        plane,
        &namespace,
        |builder| builder,
        |manager| {
            let cached = Controller::new(Counting::default())
                .named("cached")
                .caches(Watch::<ConfigMap>::new());
            manager.add(cached.caches(Watch::<PartialObjectMeta<ConfigMap>>::new()))
        },
    )
    .await?;
    let client = &running.client;
    client.create(&config_map(&namespace, "one", "1")?).await?;
    let of = client.of::<PartialObjectMeta<ConfigMap>>(());
    let name = ObjectName::namespaced(&namespace, "one");
    let read = of.get(&name).await?.ok_or("it is cached")?;
    assert!(
        of.get(&ObjectName::namespaced(&namespace, "two"))
            .await?
            .is_none()
    );
    let patch = Patch::Merge(json!({ "metadata": { "labels": { "app": "web" } } }));
    let patched = of.patch(&name, &patch).await?;
    assert_eq!(label(&patched), Some("web"));
    assert_eq!(of.list(&Query::new().labels("app=web")).await?.len(), 1);
    // Nothing is created from metadata alone, and existing objects keep their data.
    let mut another = (*read).clone();
    another.metadata.name = Some("another".to_owned());
    assert!(of.create(&another).await.is_err());
    assert!(of.update(&patched).await.is_err());
    assert!(of.update_status(&patched).await.is_err());
    let whole = client
        .get::<ConfigMap>(&name)
        .await?
        .ok_or("it is cached")?;
    assert_eq!(value(&whole), Some("1"));
    of.delete(&read).await?;
    assert!(of.get(&name).await?.is_none());
    running.stop().await
}

fn pod(namespace: &str, name: &str) -> std::result::Result<Pod, Failed> {
    Ok(serde_json::from_value(json!({
        "metadata": { "namespace": namespace, "name": name },
        "spec": { "containers": [{ "name": "main", "image": "example.com/image" }] },
    }))?)
}

/// Only the server in the process has a garbage collector. A real one marks the Job for it.
async fn dependents(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("dependents").await?;
    let manager = Manager::builder("controllers").client(plane.client());
    let client = manager.build().await?.client();
    let jobs: Api<Job> = Api::namespaced(plane.client(), &namespace);
    let pods: Api<Pod> = Api::namespaced(plane.client(), &namespace);
    let is_collected = plane.etcd_url().is_none();
    for (name, params, mark, is_orphaned) in [
        ("default", DeleteParams::default(), Some("orphan"), true),
        ("orphan", DeleteParams::orphan(), Some("orphan"), true),
        ("background", DeleteParams::background(), None, false),
        (
            "foreground",
            DeleteParams::foreground(),
            Some("foregroundDeletion"),
            false,
        ),
    ] {
        let mut dependent = pod(&namespace, name)?;
        let template = json!({ "spec": {
            "restartPolicy": "Never", "containers": [{ "name": "main", "image": "example.com/image" }],
        } });
        let new: Job = serde_json::from_value(json!({
            "metadata": { "namespace": namespace, "name": name }, "spec": { "template": template },
        }))?;
        let job = client.create(&new).await?;
        owner::set_controller_reference(&job, &mut dependent)?;
        client.create(&dependent).await?;
        client.delete_with(&job, &params).await?;
        if !is_collected {
            let marked = jobs.get_opt(name).await?;
            let finalizers = marked.and_then(|job| job.metadata.finalizers);
            assert_eq!(
                finalizers.as_deref(),
                mark.map(|it| vec![it.to_owned()]).as_deref()
            );
            continue;
        }
        eventually("the garbage collection", async || {
            match (jobs.get_opt(name).await, pods.get_opt(name).await) {
                (Ok(None), Ok(pod)) if pod.is_some() == is_orphaned => Ok(()),
                (job, pod) => Err(format!("{name}: {job:?}, {pod:?}")),
            }
        })
        .await?;
    }
    Ok(())
}

/// Grace period, dry run, and the version that an object must have.
async fn deletion_options(plane: &ControlPlane) -> Outcome {
    let namespace = plane.create_namespace("deletions").await?;
    let manager = Manager::builder("controllers").client(plane.client());
    let client = manager.build().await?.client();
    let pods: Api<Pod> = Api::namespaced(plane.client(), &namespace);
    let mut bound = pod(&namespace, "pod")?;
    // Pods of a node are deleted gracefully.
    bound.spec.get_or_insert_default().node_name = Some("node".to_owned());
    let read = client.create(&bound).await?;
    let changed = client.update(&labelled(&read, "changed")).await?;
    let exact = |pod: &Pod| {
        DeleteParams::default().preconditions(Preconditions {
            resource_version: pod.resource_version(),
            ..Preconditions::default()
        })
    };
    let stale = client.delete_with(&read, &exact(&read)).await;
    assert_eq!(code(&stale), Some(409));
    let mut other = changed.clone();
    other.metadata.uid = Some("another".to_owned());
    client
        .delete_with(&other, &DeleteParams::background())
        .await?;
    let dry_run = DeleteParams::default().dry_run();
    client.delete_with(&changed, &dry_run).await?;
    assert_eq!(pods.get("pod").await?.metadata.deletion_timestamp, None);

    let graceful = exact(&changed).grace_period(7);
    client.delete_with(&changed, &graceful).await?;
    let deleting = pods.get("pod").await?;
    assert_eq!(deleting.metadata.deletion_grace_period_seconds, Some(7));
    let immediate = DeleteParams::default().grace_period(0);
    client.delete_with(&deleting, &immediate).await?;
    assert!(pods.get_opt("pod").await?.is_none());
    Ok(())
}
