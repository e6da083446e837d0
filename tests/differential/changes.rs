//! Definitions that change while they have objects: another storage version, a conversion webhook,
//! a removed version.

use std::time::Duration;

use genclient_envtest::LocalWebhooks;
use genclient_envtest::Manifests;
use serde_json::{Value, json};

use crate::programs::Step;
use crate::run::{Pair, Result, Session};

const DEFINITIONS: &str = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const NAME: &str = "movers.diff.example.com";
const V1: &str = "/apis/diff.example.com/v1/namespaces/{namespace}/movers";
const V2: &str = "/apis/diff.example.com/v2/namespaces/{namespace}/movers";

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";
const OPERATIONS: &str = "application/json-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

/// Sends all requests to both servers. Returns the first difference.
pub(crate) async fn compare(pair: &Pair, webhooks: &LocalWebhooks) -> Result<Option<String>> {
    let namespace = format!("changes-{:08x}", fastrand::u32(..));
    let mut real = Session::begin(&pair.real, &namespace).await?;
    let mut memory = Session::begin(&pair.memory, &namespace).await?;
    for step in steps(webhooks)? {
        let is_definition = step.path.starts_with(DEFINITIONS);
        let theirs = real.send(&step).await?;
        let ours = memory.send(&step).await?;
        if is_definition {
            if theirs.code != ours.code {
                return Ok(Some(format!("{step}\n{theirs}\n{ours}")));
            }
            // The real server needs time to notice the change and to sync its caches.
            tokio::time::sleep(Duration::from_secs(3)).await;
        } else if theirs != ours {
            return Ok(Some(format!(
                "{step}\nkube-apiserver: {theirs}\nin the process: {ours}"
            )));
        }
    }
    Ok(None)
}

#[expect(clippy::too_many_lines, reason = "a line for each request")]
fn steps(webhooks: &LocalWebhooks) -> Result<Vec<Step>> {
    let step = |method, path: &str, media_type, body: Value| Step {
        method,
        path: path.to_owned(),
        media_type,
        body: match body {
            Value::Null => String::new(),
            body => body.to_string(),
        },
    };
    let read = |path: String| step("GET", &path, JSON, Value::Null);
    let mover = |version: &str, name: &str, spec: Value| {
        json!({
            "apiVersion": format!("diff.example.com/{version}"),
            "kind": "Mover",
            "metadata": { "name": name },
            "spec": spec,
        })
    };
    let reads = |name: &str| [read(format!("{V1}/{name}")), read(format!("{V2}/{name}"))];
    let lists = || [read(V1.to_owned()), read(V2.to_owned())];
    let change = |operations: Value| {
        step(
            "PATCH",
            &format!("{DEFINITIONS}/{NAME}"),
            OPERATIONS,
            operations,
        )
    };
    let put = |version: &str, path: &str, name: &str, spec: Value| {
        let mut object = mover(version, name, spec);
        object["metadata"]["resourceVersion"] = format!("{{version movers/{name}}}").into();
        step("PUT", &format!("{path}/{name}"), JSON, object)
    };
    let apply = |version: &str, path: &str, name: &str, manager: &str, spec: Value| {
        let path = format!("{path}/{name}?fieldManager={manager}");
        step("PATCH", &path, APPLY, mover(version, name, spec))
    };
    let mut steps = vec![step("POST", DEFINITIONS, JSON, definition())];
    for name in ["a", "b", "c", "d", "e"] {
        steps.push(step(
            "POST",
            V1,
            JSON,
            mover("v1", name, json!({ "one": "x", "both": 1 })),
        ));
    }
    steps.push(step(
        "POST",
        V2,
        JSON,
        mover("v2", "f", json!({ "two": "y", "both": 2 })),
    ));
    steps.push(apply("v2", V2, "a", "m2", json!({ "two": "z" })));
    steps.extend(reads("a"));
    // The second version becomes the storage version.
    steps.push(change(json!([
        { "op": "replace", "path": "/spec/versions/0/storage", "value": false },
        { "op": "replace", "path": "/spec/versions/1/storage", "value": true },
    ])));
    for name in ["a", "b", "f"] {
        steps.extend(reads(name));
    }
    steps.extend(lists());
    // An empty patch, which is a write because the storage version has changed.
    steps.push(step("PATCH", &format!("{V2}/b"), MERGE, json!({})));
    steps.extend(reads("b"));
    steps.push(put("v1", V1, "c", json!({ "one": "x", "both": 1 })));
    steps.extend(reads("c"));
    steps.push(apply("v1", V1, "a", "m1", json!({ "one": "w" })));
    steps.push(apply("v2", V2, "a", "m2", json!({ "both": 7 })));
    steps.extend(reads("a"));
    // Another default, which applies to objects that are stored without the field.
    steps.push(change(json!([{
        "op": "add",
        "path": "/spec/versions/1/schema/openAPIV3Schema/properties/spec/properties/two/default",
        "value": "new",
    }])));
    for name in ["b", "d", "f"] {
        steps.extend(reads(name));
    }
    steps.push(step(
        "PATCH",
        &format!("{V1}/d"),
        MERGE,
        json!({ "metadata": { "labels": { "a": "b" } } }),
    ));
    steps.extend(reads("d"));
    // A conversion webhook, to which these objects are hosts without fields.
    steps.push(change(json!([{
        "op": "replace", "path": "/spec/conversion", "value": conversion(webhooks)?,
    }])));
    for name in ["a", "d", "e"] {
        steps.extend(reads(name));
    }
    steps.extend(lists());
    steps.push(step(
        "PATCH",
        &format!("{V1}/e"),
        MERGE,
        json!({ "spec": { "both": 3 } }),
    ));
    steps.push(step(
        "PATCH",
        &format!("{V2}/e"),
        MERGE,
        json!({ "spec": { "both": 4 } }),
    ));
    steps.extend(reads("e"));
    steps.push(step("DELETE", &format!("{V1}/b"), JSON, Value::Null));
    steps.extend(lists());
    // The first version is removed, though an object may still be stored in it.
    steps.push(change(json!([
        { "op": "replace", "path": "/spec/conversion", "value": { "strategy": "None" } },
        { "op": "replace", "path": "/spec/versions/0/served", "value": false },
    ])));
    steps.extend(reads("a"));
    let status = json!([{ "op": "replace", "path": "/status/storedVersions", "value": ["v2"] }]);
    steps.push(step(
        "PATCH",
        &format!("{DEFINITIONS}/{NAME}/status"),
        OPERATIONS,
        status,
    ));
    steps.push(change(
        json!([{ "op": "remove", "path": "/spec/versions/0" }]),
    ));
    for name in ["a", "c", "d", "e", "f"] {
        steps.push(read(format!("{V2}/{name}")));
    }
    steps.push(step(
        "DELETE",
        &format!("{DEFINITIONS}/{NAME}"),
        JSON,
        Value::Null,
    ));
    Ok(steps)
}

fn conversion(webhooks: &LocalWebhooks) -> Result<Value> {
    let mut definition = definition();
    definition["spec"]["conversion"] = json!({ "strategy": "Webhook", "webhook": {
        "conversionReviewVersions": ["v1beta1", "v1"],
        "clientConfig": { "service": { "namespace": "default", "name": "hosts", "path": "/" } },
    } });
    let manifests = Manifests::new([definition])?.redirect_to(webhooks);
    Ok(manifests.objects()[0]["spec"]["conversion"].clone())
}

fn definition() -> Value {
    let version = |name: &str, own: &str, default: &str| {
        let text = json!({ "type": "string" });
        let mut spec = json!({ "both": { "type": "integer" } });
        spec[own] = text.clone();
        spec[default] = json!({ "type": "string", "default": name });
        json!({
            "name": name,
            "served": true,
            "storage": name == "v1",
            "schema": { "openAPIV3Schema": { "type": "object", "properties": {
                "spec": { "type": "object", "properties": spec },
            } } },
        })
    };
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": NAME },
        "spec": {
            "group": "diff.example.com",
            "scope": "Namespaced",
            "names": { "plural": "movers", "kind": "Mover" },
            "versions": [version("v1", "one", "mode"), version("v2", "two", "kind")],
        },
    })
}
