//! Random bodies: valid objects, and damaged ones.

use serde_json::{Value, json};

use super::random::Random;

const NAMES: &[&str] = &["a", "b", "c", "A", "", "a/b", "..", "a\u{0}b", "é", "x.y-z"];

pub fn random_name(random: &mut Random) -> &'static str {
    let names: &[&'static str] = if random.once_in(4) {
        NAMES
    } else {
        &NAMES[..3]
    };
    let name: &&'static str = random.pick(names);
    name
}

/// Returns an object of a kind, by its plural.
pub fn random_object(random: &mut Random, plural: &str, name: &str) -> Value {
    let labels = json!({ "app": random.pick(&["a", "b", "-"]) });
    let mut metadata = json!({ "name": name, "labels": labels });
    if random.once_in(4) {
        metadata["finalizers"] = json!([*random.pick(&["a.b/c", "orphan", "foregroundDeletion"])]);
    }
    if random.once_in(6) {
        metadata["ownerReferences"] =
            json!([{ "apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "1" }]);
    }
    if random.once_in(8) {
        metadata["generateName"] = json!("a-");
    }
    let template = json!({
        "metadata": { "labels": { "a": "b" } },
        "spec": { "containers": [{ "name": "c", "image": "i", "ports": [{ "containerPort": 80 }] }] },
    });
    let (api_version, kind, rest) = match plural {
        "configmaps" => ("v1", "ConfigMap", json!({ "data": { "k": "v" } })),
        "secrets" => ("v1", "Secret", json!({ "data": { "k": "dmFsdWU=" } })),
        "namespaces" => ("v1", "Namespace", json!({})),
        "pods" => ("v1", "Pod", json!({ "spec": template["spec"] })),
        "events" => (
            "v1",
            "Event",
            json!({ "involvedObject": { "kind": "Pod", "namespace": "default", "name": "a" }, "reason": "R" }),
        ),
        "leases" => (
            "coordination.k8s.io/v1",
            "Lease",
            json!({ "spec": { "holderIdentity": "me", "leaseDurationSeconds": 5 } }),
        ),
        "deployments" => (
            "apps/v1",
            "Deployment",
            json!({ "spec": { "replicas": 1, "selector": { "matchLabels": { "a": "b" } }, "template": template } }),
        ),
        "services" => (
            "v1",
            "Service",
            json!({ "spec": { "ports": [{ "port": 80 }] } }),
        ),
        "customresourcedefinitions" => {
            let text = include_str!("../../fuzz/definition.yaml").replace("widgets", "gadgets");
            let value: Value = serde_saphyr::from_str(&text).unwrap();
            return value;
        }
        _ => (
            "probe.dev/v1",
            "Widget",
            json!({
                "spec": { "mode": "fast", "replicas": 3, "tags": ["x"], "ports": [{ "name": "p" }], "any": { "z": [1, { "y": null }] } },
                "status": { "replicas": 1 },
            }),
        ),
    };
    let mut object = json!({ "apiVersion": api_version, "kind": kind, "metadata": metadata });
    for (key, value) in rest.as_object().unwrap() {
        object[key] = value.clone();
    }
    object
}

/// Returns a random value of any form.
pub fn random_value(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth > 3 { 8 } else { 11 }) {
        0 => Value::Null,
        1 => json!(random.once_in(2)),
        2 => json!(random.below(1000)),
        3 => json!(*random.pick(&[i64::MIN, i64::MAX, -1, 0, 4_294_967_296])),
        4 => json!(*random.pick(&[0.5, 1e300, -0.0, 1e19])),
        5..8 => {
            let texts = [
                "",
                "a",
                "1",
                "2020-01-01T00:00:00Z",
                "5m",
                "IfNotPresent",
                "\u{0}",
                "${x}",
                "a\nb",
                "99999999999999999999",
                "1e400",
                "é\u{1F600}",
                "*",
                "$patch",
            ];
            json!(*random.pick(&texts))
        }
        8 | 9 => (0..random.below(4))
            .map(|_| random_value(random, depth + 1))
            .collect(),
        _ => {
            let members =
                (0..random.below(4)).map(|_| (random_key(random), random_value(random, depth + 1)));
            Value::Object(members.collect())
        }
    }
}

fn random_key(random: &mut Random) -> String {
    let keys = [
        "a",
        "name",
        "spec",
        "metadata",
        "$patch",
        "$retainKeys",
        "$setElementOrder/containers",
        "status",
        "$deleteFromPrimitiveList/finalizers",
        "",
        "k.8/s",
        "managedFields",
        "f:a",
        "finalizers",
        "labels",
        "containers",
        "replicas",
        "resourceVersion",
        "apiVersion",
        "ports",
        "tags",
        "uid",
    ];
    (*random.pick(&keys)).to_owned()
}

/// Changes a random part of a value.
pub fn damage(random: &mut Random, value: &mut Value) {
    let goes_on = !random.once_in(4);
    match value {
        Value::Object(members) if goes_on && !members.is_empty() => {
            let names: Vec<String> = members.keys().cloned().collect();
            let name = random.pick(&names);
            if random.once_in(12) {
                drop(members.remove(name))
            } else {
                damage(random, members.get_mut(name).unwrap())
            }
        }
        Value::Array(items) if goes_on && !items.is_empty() => {
            let index = random.below(items.len());
            if random.once_in(3) {
                items.push(items[index].clone())
            } else {
                damage(random, &mut items[index])
            }
        }
        Value::Object(members) if random.once_in(2) => {
            let value = random_value(random, 0);
            members.insert(random_key(random), value);
        }
        value => *value = random_value(random, 0),
    }
}

/// Returns a random JSON patch.
pub fn random_patch(random: &mut Random) -> Value {
    let paths = [
        "",
        "/",
        "/spec",
        "/spec/replicas",
        "/metadata/labels/app",
        "/metadata/finalizers/-",
        "/spec/tags/0",
        "/spec/ports/-1",
        "/data/k",
        "/metadata/labels/a~1b",
        "/spec/a~2",
        "/metadata",
        "/spec/template/spec/containers/0/image",
        "/spec/ports/99999999999999999999",
        "/metadata/name",
    ];
    let operation = |random: &mut Random| {
        let op = random.pick(&["add", "remove", "replace", "move", "copy", "test", "nope"]);
        let mut operation = json!({ "op": op, "path": random.pick(&paths) });
        if !random.once_in(5) {
            operation["value"] = random_value(random, 0);
        }
        if random.once_in(2) {
            operation["from"] = json!(random.pick(&paths));
        }
        operation
    };
    (0..random.below(4)).map(|_| operation(random)).collect()
}
