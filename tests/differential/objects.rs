//! Random objects: valid, or invalid in one or two fields.

use serde_json::{Map, Value, json};

use crate::kinds::Written;

/// The name of the object that ends the history of a kind.
pub(crate) const LAST: &str = "zz";

/// Returns the object that ends the history of a kind.
pub(crate) fn last(written: &Written) -> Value {
    let container = json!({ "name": "main", "image": "img:1" });
    let mut object = match written.kind {
        "Widget" => json!({ "spec": { "mode": "Auto" } }),
        "Deployment" => json!({ "spec": {
            "selector": { "matchLabels": { "app": "web" } },
            "template": {
                "metadata": { "labels": { "app": "web" } },
                "spec": { "containers": [container] },
            },
        }}),
        "Pod" => json!({ "spec": {
            "containers": [container],
            "automountServiceAccountToken": false,
        }}),
        _ => json!({}),
    };
    object["apiVersion"] = written.api_version.into();
    object["kind"] = written.kind.into();
    object["metadata"] = json!({ "name": LAST });
    object
}

/// Returns an object of a kind.
pub(crate) fn object(random: &mut fastrand::Rng, written: &Written, name: &str) -> Value {
    let mut object = match written.kind {
        "Widget" => json!({ "spec": spec(random) }),
        "Ruled" => json!({ "spec": ruled(random) }),
        "Host" => json!({ "spec": host(random, written) }),
        "Plain" => json!({ "data": texts(random), "size": random.i32(0..5) }),
        "Secret" => secret(random),
        "Lease" => lease(random),
        "Deployment" => deployment(random),
        "Pod" => json!({ "spec": pod(random, "Always") }),
        _ => json!({ "data": texts(random) }),
    };
    object["apiVersion"] = written.api_version.into();
    object["kind"] = written.kind.into();
    object["metadata"] = metadata(random, name);
    if written.status && random.u8(..3) == 0 {
        object["status"] = status(random, written.kind);
    }
    if random.u8(..12) == 0 {
        object["extra"] = json!({ "a": 1 });
    }
    object
}

/// Returns the metadata of an object.
pub(crate) fn metadata(random: &mut fastrand::Rng, name: &str) -> Value {
    let mut metadata = json!({ "name": name });
    if random.bool() {
        let app = one_of(random, &["web", "db"]);
        metadata["labels"] = json!({ "app": app });
    }
    if random.u8(..6) == 0 {
        metadata["finalizers"] = json!(["example.com/hold"]);
    }
    if random.u8(..12) == 0 {
        metadata["generation"] = json!(17);
    }
    metadata
}

fn texts(random: &mut fastrand::Rng) -> Value {
    let mut texts = Map::new();
    for key in ["one", "two", "three"] {
        if random.bool() {
            texts.insert(key.to_owned(), json!(one_of(random, &["x", "y", ""])));
        }
    }
    Value::Object(texts)
}

/// Returns a specification that is valid, or invalid in some fields.
fn spec(random: &mut fastrand::Rng) -> Value {
    let mut spec = Map::new();
    let mut put = |random: &mut fastrand::Rng, name: &str, right: &[Value], wrong: &[Value]| {
        let values = match random.u8(..12) {
            0 => wrong,
            _ => right,
        };
        spec.insert(
            name.to_owned(),
            values[random.usize(..values.len())].clone(),
        );
    };
    put(
        random,
        "mode",
        &[json!("Auto"), json!("Manual")],
        &[json!("X"), json!(1), Value::Null],
    );
    for _ in 0..random.u8(..5) {
        match random.u8(..8) {
            0 => put(
                random,
                "replicas",
                &[json!(1), json!(10)],
                &[json!(-1), json!(11), json!("1"), json!(1.5)],
            ),
            1 => put(
                random,
                "short",
                &[json!("abc"), Value::Null],
                &[json!("abcdef"), json!(7)],
            ),
            2 => put(random, "level", &[json!(1), Value::Null], &[json!("a")]),
            3 => put(
                random,
                "labels",
                &[json!({"a": "b"}), json!({})],
                &[json!({"a": "B"}), json!([])],
            ),
            4 => put(
                random,
                "ports",
                &[
                    json!([{"name": "a"}]),
                    json!([{"name": "a", "port": 1}, {"name": "b"}]),
                    json!([]),
                ],
                &[
                    json!([{"name": "a"}, {"name": "a"}]),
                    json!([{"port": 2}]),
                    json!([{"name": "a", "q": 1}]),
                ],
            ),
            5 => put(
                random,
                "tags",
                &[json!(["a", "b"]), json!([])],
                &[json!(["a", "a"]), json!([1])],
            ),
            6 => put(random, "free", &[json!({"x": {"y": [1]}})], &[json!("x")]),
            _ => put(random, "unknown", &[json!(1)], &[json!({"a": []})]),
        }
    }
    Value::Object(spec)
}

fn one_of<'a>(random: &mut fastrand::Rng, texts: &[&'a str]) -> &'a str {
    texts[random.usize(..texts.len())]
}

/// Returns the status of a kind.
pub(crate) fn status(random: &mut fastrand::Rng, kind: &str) -> Value {
    match kind {
        "Deployment" => return json!({ "replicas": random.i32(-1..3), "observedGeneration": 1 }),
        "Pod" => return json!({ "phase": one_of(random, &["Running", "Pending"]) }),
        _ => {}
    }
    match random.u8(..5) {
        0 => json!({ "phase": "much too long" }),
        1 => json!({ "phase": "Ready", "replicas": 2, "selector": "app=web" }),
        2 => json!({ "phase": "Ready", "other": 1 }),
        _ => json!({ "phase": "Pending" }),
    }
}

/// Returns a host in one of its versions. Some cannot be converted to the storage version.
fn host(random: &mut fastrand::Rng, written: &Written) -> Value {
    let faults = [
        "fail", "drop", "rename", "kind", "bad", "number", "label", "finalize", "unknown",
    ];
    let is_stored = written.api_version.ends_with("/v1");
    let host = match random.u8(..4) {
        0 if !is_stored => faults[random.usize(..faults.len())],
        _ => one_of(random, &["h", "g", "long"]),
    };
    let port = one_of(random, &["1", "2", "12345678"]);
    let mut spec = match written.api_version {
        "diff.example.com/v1" => json!({ "hostPort": format!("{host}:{port}") }),
        "diff.example.com/v2" => json!({ "host": host, "port": port }),
        _ => json!({ "parts": [host, port] }),
    };
    for (field, value) in [
        ("replicas", json!(random.i32(-1..12))),
        ("note", json!("n")),
        ("own", json!("x")),
    ] {
        if random.u8(..3) == 0 {
            spec[field] = value;
        }
    }
    spec
}

/// Returns a specification for validation rules.
fn ruled(random: &mut fastrand::Rng) -> Value {
    let number = |random: &mut fastrand::Rng| random.i32(-1..8);
    let (least, most) = (number(random), number(random));
    let mut spec = json!({ "least": least, "most": most });
    let names = ["a", "b", "c"];
    if random.bool() {
        let count = random.usize(..3);
        let items = names[..count]
            .iter()
            .map(|name| json!({ "name": name, "weight": random.i32(..120) }));
        spec["items"] = items.collect();
    }
    if random.bool() {
        spec["name"] = names[random.usize(..3)].into();
    }
    if random.u8(..4) == 0 {
        let texts = ["10.0.0.1", "1.2.3", "x", "100Mi"];
        spec["text"] = texts[random.usize(..4)].into();
    }
    spec
}

fn secret(random: &mut fastrand::Rng) -> Value {
    let mut secret = Map::new();
    if random.bool() {
        let data = one_of(random, &["eA==", "eHl6", "", "?"]);
        secret.insert("data".to_owned(), json!({ "one": data }));
    }
    if random.bool() {
        secret.insert("stringData".to_owned(), json!({ "two": "text" }));
    }
    match random.u8(..6) {
        0 => secret.insert("type".to_owned(), "example.com/own".into()),
        1 => secret.insert("immutable".to_owned(), true.into()),
        _ => None,
    };
    Value::Object(secret)
}

fn lease(random: &mut fastrand::Rng) -> Value {
    let mut spec = json!({ "holderIdentity": one_of(random, &["x", "y", ""]) });
    if random.bool() {
        spec["leaseDurationSeconds"] = random.i32(-1..20).into();
    }
    if random.bool() {
        spec["renewTime"] = "2026-01-01T00:00:00.123456Z".into();
    }
    json!({ "spec": spec })
}

fn deployment(random: &mut fastrand::Rng) -> Value {
    let app = one_of(random, &["web", "web", "web", "db"]);
    let mut deployment = json!({ "spec": {
        "selector": { "matchLabels": { "app": "web" } },
        "template": {
            "metadata": { "labels": { "app": app } },
            "spec": pod(random, "Always"),
        },
    }});
    if random.bool() {
        deployment["spec"]["replicas"] = random.i32(-1..4).into();
    }
    if random.u8(..4) == 0 {
        let types = ["Recreate", "RollingUpdate", "Odd"];
        deployment["spec"]["strategy"] = json!({ "type": types[random.usize(..3)] });
    }
    deployment
}

fn pod(random: &mut fastrand::Rng, restart: &str) -> Value {
    let mut container = json!({ "name": one_of(random, &["main", "side"]), "image": "img:1" });
    match random.u8(..10) {
        0 => container["image"] = Value::Null,
        1 => container["ports"] = ports(random),
        2 => container["env"] = json!([{ "name": "A", "value": "b" }, { "name": "C" }]),
        5 => container["env"] = hidden_environment(random),
        6 => container["resources"] = json!({ "limits": { "memory": "1500m" } }),
        3 => container["resources"] = json!({ "requests": { "cpu": "0.5", "memory": "1e3" } }),
        4 => container["imagePullPolicy"] = one_of(random, &["Always", "Odd"]).into(),
        _ => {}
    }
    let mut pod = json!({ "containers": [container], "automountServiceAccountToken": false });
    if random.u8(..4) == 0 {
        pod["restartPolicy"] = [restart, "Never", "Odd"][random.usize(..3)].into();
    }
    if random.u8(..6) == 0 {
        pod["terminationGracePeriodSeconds"] = random.i32(-5..20).into();
    }
    if random.u8(..8) == 0 {
        let label = one_of(random, &["beta.kubernetes.io/os", "kubernetes.io/os"]);
        pod["nodeSelector"] = json!({ label: "linux" });
    }
    if random.u8(..8) == 0 {
        pod["imagePullSecrets"] = json!([{ "name": "a" }, { "name": "b" }]);
    }
    pod
}

/// Returns ports, some of them equal.
fn ports(random: &mut fastrand::Rng) -> Value {
    let count = random.usize(1..4);
    let ports = (0..count).map(|index| {
        let number = random.i32(0..3).max(random.i32(0..3));
        let mut port = json!({ "containerPort": number });
        match random.u8(..4) {
            0 => port["protocol"] = "UDP".into(),
            1 => port["name"] = format!("port-{index}").into(),
            _ => {}
        }
        port
    });
    ports.collect()
}

/// Returns environment variables, where later ones hide or extend earlier ones.
fn hidden_environment(random: &mut fastrand::Rng) -> Value {
    let values = ["x", "$(A)", "$(A)x", ""];
    let count = random.usize(2..4);
    let variables = (0..count).map(|_| {
        let name = one_of(random, &["A", "A", "B"]);
        json!({ "name": name, "value": one_of(random, &values) })
    });
    variables.collect()
}
