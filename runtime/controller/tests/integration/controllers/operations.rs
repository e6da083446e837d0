//! Tests of writes that begin with a read, of owner references and finalizers.

use genclient_controller::owner::{
    self, OwnerError, has_owner_reference, remove_owner_reference, set_controller_reference,
    set_owner_reference,
};
use genclient_controller::{Client, OperationResult, Watch, WriteError, finalizer};
use http::Method;
use k8s_openapi::api::core::v1::{Node, Pod};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::Time;
use k8s_openapi::jiff::Timestamp;

use genclient::client::{DeleteParams, Preconditions};
use genclient::kube::core::DynamicObject;

use super::*;

/// Returns a client that caches Pods.
async fn start_with_pods(api: &Api) -> (Client, Running) {
    start_caching(api, Watch::new()).await
}

async fn start_caching(api: &Api, pods: Watch<Pod>) -> (Client, Running) {
    let mut client = None;
    let running = Running::start(api, |manager| {
        manager
            .add(Scripted::idle().controller().caches(pods))
            .unwrap();
        client = Some(manager.client());
    })
    .await;
    settle().await;
    (client.unwrap(), running)
}

fn pod(name: &str) -> Pod {
    let pod = json!({ "metadata": { "namespace": "a", "name": name } });
    serde_json::from_value(pod).unwrap()
}

fn set_label(pod: &mut Pod, value: &str) {
    let labels = pod.metadata.labels.get_or_insert_default();
    labels.insert("label".to_owned(), value.to_owned());
}

fn set_phase(pod: &mut Pod, phase: &str) {
    pod.status.get_or_insert_default().phase = Some(phase.to_owned());
}

/// The cases of `controllerutil.CreateOrPatch`: results and errors.
#[tokio::test(start_paused = true)]
async fn object_is_created_or_patched() {
    let api = Api::new();
    let (client, running) = start_with_pods(&api).await;
    type Change = fn(&mut Pod);
    let steps: [(Change, OperationResult, (&str, &str)); 7] = [
        (
            |pod| set_label(pod, "1"),
            OperationResult::Created,
            ("1", ""),
        ),
        (
            |pod| set_label(pod, "1"),
            OperationResult::Unchanged,
            ("1", ""),
        ),
        (
            |pod| set_label(pod, "2"),
            OperationResult::Updated,
            ("2", ""),
        ),
        (
            |pod| set_phase(pod, "Running"),
            OperationResult::UpdatedStatusOnly,
            ("2", "Running"),
        ),
        (
            |pod| set_phase(pod, "Running"),
            OperationResult::Unchanged,
            ("2", "Running"),
        ),
        (
            |pod| {
                set_label(pod, "3");
                set_phase(pod, "Failed");
            },
            OperationResult::UpdatedStatus,
            ("3", "Failed"),
        ),
        (
            |pod| pod.status = None,
            OperationResult::UpdatedStatusOnly,
            ("3", ""),
        ),
    ];
    for (step, (change, expected, (label, phase))) in steps.into_iter().enumerate() {
        let written = client.create_or_patch(pod("one"), change).await.unwrap();
        assert_eq!(written.result, expected, "{step}");
        let stored = api.get("pods", "a", "one").unwrap();
        assert_eq!(stored["metadata"]["labels"]["label"], *label, "{step}");
        let found = stored["status"]["phase"].as_str().unwrap_or_default();
        assert_eq!(found, phase, "{step}");
    }
    let status = |pod: &mut Pod| set_phase(pod, "Running");
    let written = client.create_or_patch(pod("two"), status).await.unwrap();
    assert_eq!(written.result, OperationResult::Created);
    let stored = api.get("pods", "a", "two").unwrap();
    assert_eq!(stored["status"]["phase"], "Running", "it is not lost");

    // The name must not change, neither of an existing object nor of a new one.
    for name in ["one", "new"] {
        let rename = |pod: &mut Pod| pod.metadata.name = Some("three".to_owned());
        let error = client.create_or_patch(pod(name), rename).await;
        assert!(matches!(error, Err(WriteError::Renamed { .. })), "{name}");
    }
    assert!(api.get("pods", "a", "three").is_none());
    running.stop().await.unwrap();
}

/// Floating-point numbers would not tell these integers apart.
#[tokio::test(start_paused = true)]
async fn large_integers_are_patched_exactly() {
    let api = Api::new();
    let (client, running) = start_with_pods(&api).await;
    for seconds in [i64::MAX - 1, i64::MAX] {
        let wait = |pod: &mut Pod| {
            let spec = pod.spec.get_or_insert_default();
            spec.active_deadline_seconds = Some(seconds);
        };
        let written = client.create_or_patch(pod("one"), wait).await.unwrap();
        assert_ne!(written.result, OperationResult::Unchanged);
        let stored = api.get("pods", "a", "one").unwrap();
        assert_eq!(stored["spec"]["activeDeadlineSeconds"], seconds);
    }
    running.stop().await.unwrap();
}

/// A refusal with 409, such as that of an admission webhook, is an error while the object stays.
#[tokio::test(start_paused = true)]
async fn delete_fails_only_if_the_object_stays() {
    let api = Api::new();
    let (client, running) = start_with_pods(&api).await;
    let stored = api.put("pods", serde_json::to_value(pod("one")).unwrap());
    let one: Pod = serde_json::from_value(stored).unwrap();

    api.refuse(http::Method::DELETE, "pods", 409, 1);
    let error = client.delete(&one).await.unwrap_err();
    assert!(error.to_string().contains("Conflict"), "{error}");

    // Without a uid, no object of the name is known to be newer.
    api.refuse(http::Method::DELETE, "pods", 409, 1);
    let error = client.delete(&pod("one")).await.unwrap_err();
    assert!(error.to_string().contains("Conflict"), "{error}");

    let mut older = one.clone();
    older.metadata.uid = Some("older".to_owned());
    client.delete(&older).await.unwrap();
    assert!(api.get("pods", "a", "one").is_some(), "it is newer");

    let mut deleting = serde_json::to_value(&one).unwrap();
    deleting["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    api.put("pods", deleting);
    api.refuse(http::Method::DELETE, "pods", 409, 1);
    client.delete(&one).await.unwrap();

    client.delete(&one).await.unwrap();
    assert!(api.get("pods", "a", "one").is_none());
    client.delete(&one).await.unwrap();
    running.stop().await.unwrap();
}

/// The options are sent with the uid of the object as a precondition.
#[tokio::test(start_paused = true)]
async fn delete_with_sends_its_options() {
    let api = Api::new();
    let (client, running) = start_with_pods(&api).await;
    let uid = |uid: &str| Preconditions {
        uid: Some(uid.to_owned()),
        ..Preconditions::default()
    };
    for (params, sent) in [
        (DeleteParams::default(), json!({})),
        (
            DeleteParams::background(),
            json!({ "propagationPolicy": "Background" }),
        ),
        (
            DeleteParams::foreground().grace_period(30),
            json!({ "propagationPolicy": "Foreground", "gracePeriodSeconds": 30 }),
        ),
        (
            DeleteParams::orphan().dry_run(),
            json!({ "propagationPolicy": "Orphan", "dryRun": ["All"] }),
        ),
        (
            DeleteParams::default().preconditions(uid("other")),
            json!({ "preconditions": { "uid": "other" } }),
        ),
    ] {
        let stored = api.put("pods", serde_json::to_value(pod("one")).unwrap());
        let one: Pod = serde_json::from_value(stored).unwrap();
        client.delete_with(&one, &params).await.unwrap();
        let mut expected = sent;
        if expected["preconditions"].is_null() {
            expected["preconditions"] = json!({ "uid": one.metadata.uid });
        }
        let stays = params.dry_run || params.preconditions.is_some();
        assert_eq!(api.delete_options(), [expected]);
        assert_eq!(api.get("pods", "a", "one").is_some(), stays, "{params:?}");
        // No read waits for a deletion that was a dry run.
        let read = client.get::<Pod>(&ObjectName::from_object(&one)).await;
        assert_eq!(read.unwrap().is_some(), stays, "{params:?}");
    }
    running.stop().await.unwrap();
}

/// A conflict because of the resource version is no reason to look whether the object is gone.
#[tokio::test(start_paused = true)]
async fn delete_with_a_resource_version_fails_after_a_change() {
    let api = Api::new();
    let (client, running) = start_with_pods(&api).await;
    let stored = api.put("pods", serde_json::to_value(pod("one")).unwrap());
    let one: Pod = serde_json::from_value(stored).unwrap();
    let delete = async |pod: &Pod| {
        let params = DeleteParams::default().preconditions(Preconditions {
            resource_version: pod.metadata.resource_version.clone(),
            ..Preconditions::default()
        });
        client.delete_with(pod, &params).await
    };
    let mut changed = one.clone();
    set_label(&mut changed, "1");
    changed.metadata.deletion_timestamp = Some(Time(Timestamp::UNIX_EPOCH));
    let stored = api.put("pods", serde_json::to_value(changed).unwrap());
    let changed: Pod = serde_json::from_value(stored).unwrap();

    let error = delete(&one).await.unwrap_err();
    assert!(error.to_string().contains("Conflict"), "{error}");
    let metadata = &one.metadata;
    let expected = json!({
        "preconditions": { "uid": metadata.uid, "resourceVersion": metadata.resource_version },
    });
    assert_eq!(api.delete_options(), [expected]);
    assert!(api.get("pods", "a", "one").is_some());

    delete(&changed).await.unwrap();
    assert!(api.get("pods", "a", "one").is_none());
    delete(&changed).await.unwrap();
    running.stop().await.unwrap();
}

/// No cache has the object, so it is read from the API server.
#[tokio::test(start_paused = true)]
async fn apply_owned_finds_objects_outside_of_the_cached_namespaces() {
    let api = Api::new();
    let owner: ConfigMap =
        serde_json::from_value(api.put("configmaps", config_map_json("owner", "1"))).unwrap();
    api.put("pods", serde_json::to_value(pod("one")).unwrap());
    let elsewhere = Watch::new().namespaces(["b"]);
    let (client, running) = start_caching(&api, elsewhere).await;
    for (name, expected) in [
        ("one", OperationResult::Updated),
        ("two", OperationResult::Created),
    ] {
        let written = client.apply_owned(&owner, &pod(name)).await.unwrap();
        assert_eq!(written.result, expected, "{name}");
    }
    running.stop().await.unwrap();
}

/// A cache may lack an object because of a label that the applied object does not state.
#[tokio::test(start_paused = true)]
async fn apply_owned_finds_objects_that_a_selector_leaves_out() {
    for (selector, label) in [
        ("!archived", ("archived", "")),
        ("tier!=old", ("tier", "old")),
    ] {
        let api = Api::new();
        let stranger: ConfigMap =
            serde_json::from_value(api.put("configmaps", config_map_json("stranger", "1")))
                .unwrap();
        let owner: ConfigMap =
            serde_json::from_value(api.put("configmaps", config_map_json("owner", "1"))).unwrap();
        let mut stored = pod("one");
        set_controller_reference(&stranger, &mut stored).unwrap();
        stored.metadata.labels = Some([(label.0.into(), label.1.into())].into());
        api.put("pods", serde_json::to_value(stored).unwrap());
        let (client, running) = start_caching(&api, Watch::new().labels(selector)).await;
        let written = client.apply_owned(&owner, &pod("one")).await;
        let error = written.unwrap_err().to_string();
        assert!(error.contains("`stranger`"), "{selector}: {error}");
        assert_eq!(api.writes(), Vec::<String>::new(), "{selector}");
        running.stop().await.unwrap();
    }
}

/// The permission to read single objects is not needed if the applied labels are selected.
#[tokio::test(start_paused = true)]
async fn apply_owned_trusts_a_cache_of_the_applied_labels() {
    let api = Api::new();
    let owner: ConfigMap =
        serde_json::from_value(api.put("configmaps", config_map_json("owner", "1"))).unwrap();
    let (client, running) = start_caching(&api, Watch::new().labels("label=1")).await;
    api.refuse(Method::GET, "pods", 403, 1);
    let mut one = pod("one");
    set_label(&mut one, "1");
    let written = client.apply_owned(&owner, &one).await.unwrap();
    assert_eq!(written.result, OperationResult::Created);
    running.stop().await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn apply_owned_sets_the_owner_and_returns_the_result() {
    let api = Api::new();
    api.put("configmaps", config_map_json("owner", "1"));
    let owner: ConfigMap =
        serde_json::from_value(api.get("configmaps", "a", "owner").unwrap()).unwrap();
    let (client, running) = start_with_pods(&api).await;
    let mut one = pod("one");
    for (value, expected) in [
        ("1", OperationResult::Created),
        ("1", OperationResult::Unchanged),
        ("2", OperationResult::Updated),
    ] {
        set_label(&mut one, value);
        let written = client.apply_owned(&owner, &one).await.unwrap();
        assert_eq!(written.result, expected);
        let controller = owner::controller_of(&written.object).unwrap();
        assert_eq!(
            (&*controller.kind, &*controller.name),
            ("ConfigMap", "owner")
        );
        assert_eq!(controller.block_owner_deletion, Some(true));
    }
    let mut elsewhere = pod("one");
    elsewhere.metadata.namespace = Some("b".to_owned());
    let error = client.apply_owned(&owner, &elsewhere).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "cross-namespace owner references are not allowed: Pod `one` is in namespace `b`, ConfigMap `owner` in `a`"
    );
    running.stop().await.unwrap();
}

fn owner(name: &str, uid: &str) -> ConfigMap {
    let owner = json!({ "metadata": { "namespace": "a", "name": name, "uid": uid } });
    serde_json::from_value(owner).unwrap()
}

fn owner_references(pod: &Pod) -> Vec<(String, String, bool)> {
    let owners = pod
        .metadata
        .owner_references
        .iter()
        .flatten()
        .map(|it| (it.name.clone(), it.uid.clone(), it.controller == Some(true)));
    owners.collect()
}

/// The cases of `controllerutil` on owner references.
#[test]
fn owner_references_are_compared_by_name_not_uid() {
    let mut pod = pod("one");
    let reference =
        |name: &str, uid: &str, controller| (name.to_owned(), uid.to_owned(), controller);
    set_owner_reference(&owner("x", "1"), &mut pod).unwrap();
    assert_eq!(owner_references(&pod), [reference("x", "1", false)]);
    set_controller_reference(&owner("y", "2"), &mut pod).unwrap();
    assert_eq!(
        owner_references(&pod),
        [reference("x", "1", false), reference("y", "2", true)]
    );
    // The owner was recreated, and has another uid.
    set_owner_reference(&owner("x", "3"), &mut pod).unwrap();
    set_controller_reference(&owner("y", "4"), &mut pod).unwrap();
    assert_eq!(
        owner_references(&pod),
        [reference("x", "3", false), reference("y", "4", true)]
    );
    // Adding the *controller* as an owner again keeps it as the controller.
    set_owner_reference(&owner("y", "5"), &mut pod).unwrap();
    assert_eq!(owner_references(&pod)[1], reference("y", "5", true));
    let controller = owner::controller_of(&pod).unwrap();
    assert_eq!(controller.block_owner_deletion, Some(true));
    let error = set_controller_reference(&owner("x", "3"), &mut pod).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Pod `one` is already owned by another controller, ConfigMap `y`"
    );
    // An owner in another version of its kind is the same owner.
    let references = pod.metadata.owner_references.as_mut().unwrap();
    references[1].api_version = "v1beta1".to_owned();
    set_controller_reference(&owner("y", "5"), &mut pod).unwrap();
    assert_eq!(owner_references(&pod).len(), 2);
    let references = pod.metadata.owner_references.as_ref().unwrap();
    assert_eq!(references[1].api_version, "v1");
    assert!(has_owner_reference(&owner("x", "3"), &pod));
    assert!(!has_owner_reference(&owner("x", "1"), &pod));
    assert!(remove_owner_reference(&owner("x", "1"), &mut pod));
    assert!(!remove_owner_reference(&owner("x", "1"), &mut pod));
    assert!(remove_owner_reference(&owner("y", "5"), &mut pod));
    assert_eq!(owner_references(&pod), []);
}

#[test]
fn cross_namespace_owners_are_rejected() {
    let mut node = Node::default();
    node.metadata.name = Some("node".to_owned());
    let error = set_owner_reference(&owner("x", "1"), &mut node).unwrap_err();
    assert_eq!(
        error.to_string(),
        "cluster-scoped Node `node` must not have a namespaced owner: ConfigMap `x` is in namespace `a`"
    );
    let mut pod = pod("one");
    let error = set_owner_reference(&node, &mut pod).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Node `node` has no uid: an owner must be read from the API server"
    );
    // The kind of a dynamic object is in its data.
    let gadget = json!({ "apiVersion": "v1", "kind": "Gadget", "metadata": { "name": "g" } });
    let mut gadget: DynamicObject = serde_json::from_value(gadget).unwrap();
    let error = set_owner_reference(&owner("x", "1"), &mut gadget).unwrap_err();
    assert!(matches!(error, OwnerError::ClusterScoped { object, .. } if object == "Gadget `g`"));
    node.metadata.uid = Some("7".to_owned());
    set_owner_reference(&node, &mut pod).unwrap();
    assert_eq!(owner_references(&pod)[0].0, "node");
}

/// A failed read or write is the result, and no further request is sent.
#[tokio::test(start_paused = true)]
async fn failed_create_or_patch_returns_the_failed_operation() {
    let api = Api::new();
    let (client, running) = start_with_pods(&api).await;
    let node: Node = serde_json::from_value(json!({ "metadata": { "name": "node" } })).unwrap();
    let error = client.create_or_patch(node, |_| {}).await.unwrap_err();
    assert!(matches!(error, WriteError::Read(_)), "{error}");

    api.refuse(http::Method::POST, "pods", 422, 1);
    let error = client.create_or_patch(pod("one"), |_| {}).await;
    assert!(matches!(error, Err(WriteError::Write(_))));
    assert!(api.get("pods", "a", "one").is_none());
    let change = |pod: &mut Pod| set_label(pod, "1");
    client.create_or_patch(pod("one"), change).await.unwrap();
    api.refuse(http::Method::PATCH, "pods", 409, 1);
    let change = |pod: &mut Pod| {
        set_label(pod, "2");
        set_phase(pod, "Running");
    };
    let error = client.create_or_patch(pod("one"), change).await;
    assert!(matches!(error, Err(WriteError::Write(_))));
    let stored = api.get("pods", "a", "one").unwrap();
    assert_eq!(
        (&stored["metadata"]["labels"]["label"], &stored["status"]),
        (&json!("1"), &Value::Null)
    );

    // The namespace must not change, neither of an existing object nor of a new one.
    for name in ["one", "two"] {
        let move_away = |pod: &mut Pod| pod.metadata.namespace = Some("b".to_owned());
        let error = client.create_or_patch(pod(name), move_away).await;
        assert!(matches!(error, Err(WriteError::Renamed { .. })), "{name}");
    }
    assert!(api.get("pods", "b", "two").is_none());
    running.stop().await.unwrap();
}

/// The cases of `controllerutil.RemoveControllerReference`: an owner that is not the *controller*
/// keeps its reference.
#[test]
fn controller_reference_is_removed_by_its_owner_only() {
    let remove = |owner: &ConfigMap, pod: &mut Pod| {
        let controller = owner::controller_of(pod);
        let is_own = controller.is_some_and(|it| Some(&it.uid) == owner.metadata.uid.as_ref());
        is_own && remove_owner_reference(owner, pod)
    };
    let mut pod = pod("one");
    set_owner_reference(&owner("x", "1"), &mut pod).unwrap();
    assert!(!remove(&owner("x", "1"), &mut pod));
    set_controller_reference(&owner("y", "2"), &mut pod).unwrap();
    assert!(!remove(&owner("x", "1"), &mut pod));
    assert_eq!(owner_references(&pod).len(), 2);
    assert!(remove(&owner("y", "2"), &mut pod));
    assert_eq!(
        owner_references(&pod),
        [("x".to_owned(), "1".to_owned(), false)]
    );
}

/// The cases of `controllerutil` on `HasControllerReference` and missing references.
#[test]
fn controller_reference_is_also_an_owner_reference() {
    let mut pod = pod("one");
    assert!(!remove_owner_reference(&owner("x", "1"), &mut pod));
    assert!(!has_owner_reference(&owner("x", "1"), &pod));
    set_owner_reference(&owner("x", "1"), &mut pod).unwrap();
    assert!(owner::controller_of(&pod).is_none());
    set_controller_reference(&owner("y", "2"), &mut pod).unwrap();
    let controller = owner::controller_of(&pod).unwrap();
    assert_eq!(
        (&*controller.name, controller.block_owner_deletion),
        ("y", Some(true))
    );
    assert!(has_owner_reference(&owner("y", "2"), &pod));
    assert!(!remove_owner_reference(&owner("z", "3"), &mut pod));
    assert!(remove_owner_reference(&owner("y", "2"), &mut pod));
    assert!(owner::controller_of(&pod).is_none());
    assert_eq!(
        owner_references(&pod),
        [("x".to_owned(), "1".to_owned(), false)]
    );
}

#[test]
fn finalizers_are_added_once_and_removed_completely() {
    let with = |finalizers: &[&str]| {
        let mut pod = pod("one");
        let finalizers = finalizers.iter().map(|it| (*it).to_owned());
        pod.metadata.finalizers = Some(finalizers.collect());
        pod
    };
    let of = |pod: &Pod| pod.metadata.finalizers.clone().unwrap_or_default();
    for (before, is_there, added, removed) in [
        (&[][..], false, &["x"][..], &[][..]),
        (&["y"], false, &["y", "x"], &["y"]),
        (&["x"], true, &["x"], &[]),
        (&["x", "y", "x"], true, &["x", "y", "x"], &["y"]),
    ] {
        let mut pod = with(before);
        assert_eq!(finalizer::contains(&pod, "x"), is_there, "{before:?}");
        assert_eq!(finalizer::add(&mut pod, "x"), !is_there, "{before:?}");
        assert_eq!(of(&pod), added);
        let mut pod = with(before);
        assert_eq!(finalizer::remove(&mut pod, "x"), is_there, "{before:?}");
        assert_eq!(of(&pod), removed);
        assert!(!finalizer::contains(&pod, "x"));
    }
}

/// A transform drops fields: the closure would not see them, and every call would send them again.
#[tokio::test(start_paused = true)]
async fn create_or_patch_is_rejected_for_transformed_kinds() {
    let api = Api::new();
    let mut client = None;
    let running = Running::start(&api, |manager| {
        let slim = Watch::<Pod>::new().transform(|pod: &mut Pod| pod.spec = None);
        let controller = Scripted::idle().controller().caches(slim);
        manager.add(controller).unwrap();
        client = Some(manager.client());
    });
    let (running, client) = (running.await, client.unwrap());
    settle().await;
    let change = |pod: &mut Pod| set_label(pod, "1");
    let error = client
        .create_or_patch(pod("one"), change)
        .await
        .unwrap_err()
        .to_string();
    assert!(error.contains("a transform drops fields"), "{error}");
    assert!(api.list("pods").is_empty());
    running.stop().await.unwrap();
}
