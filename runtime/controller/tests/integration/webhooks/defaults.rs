//! Tests of the JSON patches from defaulters.

use std::collections::BTreeSet;

use genclient::prelude::*;
use genclient_controller::webhook::{Admission, Defaulter, Denied, Webhooks};
use json_patch::Patch;
use k8s_openapi::ByteString;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::Container;
use serde_json::{Value, json};

use super::{admission_review, send_review};

const PATH: &str = "/mutate-apps-v1-deployment";

/// A defaulter that changes a Deployment by this function.
struct Changes(fn(&mut Deployment));

impl Defaulter for Changes {
    type Object = Deployment;

    async fn set_defaults(&self, object: &mut Deployment, _: &Admission) -> Result<(), Denied> {
        self.0(object);
        Ok(())
    }
}

/// Returns the patch in an answer.
fn response_patch(response: &Value) -> Option<Patch> {
    let patch: ByteString = serde_json::from_value(response.get("patch")?.clone()).unwrap();
    assert_eq!(response["patchType"], "JSONPatch");
    Some(serde_json::from_slice(&patch.0).unwrap())
}

fn containers(deployment: &mut Deployment) -> &mut Vec<Container> {
    let template = &mut deployment.spec.get_or_insert_default().template;
    &mut template.spec.get_or_insert_default().containers
}

fn container(name: &str) -> Container {
    Container {
        name: name.to_owned(),
        ..Container::default()
    }
}

/// Returns the object in the request. It has fields named `future`, which the type does not know.
fn sent_object() -> Value {
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": "web", "future": 1 },
        "future": { "a": [1, 2] },
        "spec": {
            "future": "x",
            "selector": { "matchLabels": {} },
            "template": { "spec": { "containers": [
                { "name": "a", "image": "a:1", "future": 1 },
                { "name": "b", "image": "b:1", "future": 2, "args": ["x", "y"] },
            ] } },
        },
    })
}

#[tokio::test]
async fn patches_contain_only_changed_fields() {
    type Case = (&'static str, fn(&mut Deployment), Value);
    let cases: [Case; 8] = [
        ("nothing", |_| {}, json!(null)),
        (
            "a field that was absent",
            |it| it.spec.get_or_insert_default().replicas = Some(1),
            json!([{ "op": "add", "path": "/spec/replicas", "value": 1 }]),
        ),
        (
            "labels where there were none",
            |it| {
                it.metadata
                    .labels
                    .get_or_insert_default()
                    .insert("a".into(), "b".into());
            },
            json!([{ "op": "add", "path": "/metadata/labels", "value": { "a": "b" } }]),
        ),
        (
            "a field of an item",
            |it| containers(it)[1].image = Some("b:2".into()),
            json!([{ "op": "replace", "path": "/spec/template/spec/containers/1/image", "value": "b:2" }]),
        ),
        (
            "a field that goes",
            |it| containers(it)[1].args = None,
            json!([{ "op": "remove", "path": "/spec/template/spec/containers/1/args" }]),
        ),
        (
            "a list of texts",
            |it| {
                containers(it)[1]
                    .args
                    .get_or_insert_default()
                    .push("z".into())
            },
            json!([{ "op": "add", "path": "/spec/template/spec/containers/1/args/2", "value": "z" }]),
        ),
        (
            "an item at the end",
            |it| containers(it).push(container("c")),
            json!([{ "op": "add", "path": "/spec/template/spec/containers/2", "value": { "name": "c" } }]),
        ),
        (
            "an item that goes",
            |it| containers(it).truncate(1),
            json!([{ "op": "remove", "path": "/spec/template/spec/containers/1" }]),
        ),
    ];
    for (what, change, expected) in cases {
        let review = admission_review("CREATE", sent_object(), Value::Null);
        let response = send_review(Webhooks::new().defaulter(Changes(change)), PATH, &review).await;
        assert_eq!(response["allowed"], true, "{what}: {response}");
        let expected: Option<Patch> = serde_json::from_value(expected).unwrap();
        assert_eq!(response_patch(&response), expected, "{what}");
    }
}

/// An item keeps its unknown fields when its position changes.
#[tokio::test]
async fn list_items_are_matched_by_name() {
    let change: fn(&mut Deployment) = |it| {
        containers(it).reverse();
        containers(it)[0].image = Some("b:2".into());
        containers(it).insert(0, container("first"));
    };
    let review = admission_review("UPDATE", sent_object(), sent_object());
    let response = send_review(Webhooks::new().defaulter(Changes(change)), PATH, &review).await;
    let mut object = sent_object();
    json_patch::patch(&mut object, &response_patch(&response).unwrap()).unwrap();
    assert_eq!(
        object["spec"]["template"]["spec"]["containers"],
        json!([
            { "name": "first" },
            { "name": "b", "image": "b:2", "future": 2, "args": ["x", "y"] },
            { "name": "a", "image": "a:1", "future": 1 },
        ])
    );
    assert_eq!(object["future"], sent_object()["future"]);
}

/// A set has another order than the list in the request.
#[tokio::test]
async fn items_of_sets_are_added_and_removed() {
    #[genclient]
    #[group = "example.com"]
    #[version = "v1"]
    struct Team {
        metadata: ObjectMeta,
        spec: TeamSpec,
    }

    #[derive(Clone, Debug, Serialize, Deserialize, CrdSchema)]
    struct TeamSpec {
        members: BTreeSet<String>,
    }

    struct Hires;

    impl Defaulter for Hires {
        type Object = Team;

        async fn set_defaults(&self, team: &mut Team, _: &Admission) -> Result<(), Denied> {
            team.spec.members.remove("b");
            team.spec.members.insert("d".to_owned());
            Ok(())
        }
    }

    let mut team = json!({
        "apiVersion": "example.com/v1",
        "kind": "Team",
        "metadata": { "name": "x" },
        "spec": { "members": ["c", "b", "a"], "future": 1 },
    });
    let review = admission_review("CREATE", team.clone(), Value::Null);
    let path = "/mutate-example-com-v1-team";
    let response = send_review(Webhooks::new().defaulter(Hires), path, &review).await;
    json_patch::patch(&mut team, &response_patch(&response).unwrap()).unwrap();
    assert_eq!(
        team["spec"],
        json!({ "members": ["a", "c", "d"], "future": 1 })
    );
}

#[tokio::test]
async fn defaulters_see_the_changes_of_earlier_ones() {
    let first: fn(&mut Deployment) = |it| it.spec.get_or_insert_default().replicas = Some(2);
    let second: fn(&mut Deployment) = |it| {
        let spec = it.spec.get_or_insert_default();
        spec.replicas = spec.replicas.map(|replicas| replicas * 10);
    };
    let webhooks = Webhooks::new()
        .defaulter(Changes(first))
        .defaulter(Changes(second));
    let response = send_review(
        webhooks,
        PATH,
        &admission_review("CREATE", sent_object(), Value::Null),
    )
    .await;
    let expected = json!([{ "op": "add", "path": "/spec/replicas", "value": 20 }]);
    assert_eq!(
        response_patch(&response),
        serde_json::from_value(expected).unwrap()
    );
}

/// A defaulter that refuses every object.
struct Refuses;

impl Defaulter for Refuses {
    type Object = Deployment;

    async fn set_defaults(&self, _: &mut Deployment, _: &Admission) -> Result<(), Denied> {
        Err("told to".into())
    }
}

#[tokio::test]
async fn denied_requests_are_not_patched() {
    let changes = || Changes(|it| it.spec.get_or_insert_default().replicas = Some(2));
    for webhooks in [
        Webhooks::new().defaulter(changes()).defaulter(Refuses),
        Webhooks::new().defaulter(Refuses).defaulter(changes()),
    ] {
        let response = send_review(
            webhooks,
            PATH,
            &admission_review("CREATE", sent_object(), Value::Null),
        )
        .await;
        assert_eq!(response["allowed"], false, "{response}");
        assert_eq!(response["status"]["message"], "told to");
        assert_eq!(response_patch(&response), None);
    }
}

#[tokio::test]
async fn defaulters_are_skipped_for_delete_and_connect() {
    for operation in ["DELETE", "CONNECT"] {
        let webhooks = Webhooks::new().defaulter(Changes(|_| panic!("seen")));
        let response = send_review(
            webhooks,
            PATH,
            &admission_review(operation, Value::Null, json!(1)),
        )
        .await;
        assert_eq!(response, json!({ "uid": "f0b2", "allowed": true }));
    }
}
