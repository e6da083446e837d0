//! Random programs of requests.

use std::fmt;

use serde_json::{Map, Value, json};

/// A request. Texts hold `{namespace}`, and `{version NAME}`, `{stale NAME}` and `{uid NAME}` of
/// objects, which each server has its own of.
#[derive(Clone, Debug)]
pub(crate) struct Step {
    pub(crate) method: &'static str,
    pub(crate) path: String,
    pub(crate) media_type: &'static str,
    pub(crate) body: String,
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.method, self.path)?;
        match &*self.body {
            "" => Ok(()),
            body => write!(f, " {} {body}", self.media_type),
        }
    }
}

const JSON: &str = "application/json";
const MERGE: &str = "application/merge-patch+json";

/// Kinds that programs write: path, `apiVersion`, kind.
const KINDS: &[(&str, &str, &str)] = &[
    (
        "/apis/diff.example.com/v1/namespaces/{namespace}/widgets",
        "diff.example.com/v1",
        "Widget",
    ),
    (
        "/apis/diff.example.com/v1/namespaces/{namespace}/widgets",
        "diff.example.com/v1",
        "Widget",
    ),
    (
        "/apis/diff.example.com/v2/namespaces/{namespace}/plains",
        "diff.example.com/v2",
        "Plain",
    ),
    (
        "/apis/diff.example.com/v1/namespaces/{namespace}/plains",
        "diff.example.com/v1",
        "Plain",
    ),
    (
        "/api/v1/namespaces/{namespace}/configmaps",
        "v1",
        "ConfigMap",
    ),
];

const NAMES: &[&str] = &["a", "b", "c", "d"];

/// The program of a seed: some forty requests to one namespace.
pub(crate) fn program(seed: u64) -> Vec<Step> {
    let mut random = fastrand::Rng::with_seed(seed);
    let steps = random.usize(20..60);
    (0..steps).map(|_| step(&mut random)).collect()
}

fn step(random: &mut fastrand::Rng) -> Step {
    let (path, api_version, kind) = KINDS[random.usize(..KINDS.len())];
    let name = NAMES[random.usize(..NAMES.len())];
    let named = format!("{path}/{name}");
    let plain = |method, path: String| Step {
        method,
        path,
        media_type: JSON,
        body: String::new(),
    };
    let with = |method, path: String, media_type, body: Value| Step {
        method,
        path,
        media_type,
        body: body.to_string(),
    };
    match random.u8(..100) {
        0..25 => {
            let mut object = object(random, api_version, kind, name);
            if random.u8(..10) == 0 {
                object["metadata"]["name"] = Value::Null;
            }
            with("POST", path.to_owned() + &validation(random), JSON, object)
        }
        25..50 => {
            let mut object = object(random, api_version, kind, name);
            let version = match random.u8(..10) {
                0 => json!("{stale NAME}"),
                1 => Value::Null,
                _ => json!("{version NAME}"),
            };
            let version = version
                .as_str()
                .map(|text| text.replace("NAME", &key(path, name)));
            object["metadata"]["resourceVersion"] = json!(version);
            if random.u8(..12) == 0 {
                object["metadata"]["uid"] = json!(format!("{{uid {}}}", key(path, name)));
            }
            let subresource = if kind == "Widget" && random.u8(..3) == 0 {
                "/status"
            } else {
                ""
            };
            with(
                "PUT",
                named + subresource + &validation(random),
                JSON,
                object,
            )
        }
        50..65 => {
            let mut patch = object(random, api_version, kind, name);
            if let Value::Object(members) = &mut patch {
                members.remove("apiVersion");
                members.remove("kind");
                members.remove("metadata");
            }
            thin(random, &mut patch);
            if random.u8(..6) == 0 {
                patch["metadata"] = metadata(random, name);
            }
            let subresource = if kind == "Widget" && random.u8(..4) == 0 {
                "/status"
            } else {
                ""
            };
            with(
                "PATCH",
                named + subresource + &validation(random),
                MERGE,
                patch,
            )
        }
        65..72 => plain("GET", named),
        72..82 => plain("GET", path.to_owned() + list_query(random)),
        82..94 => {
            let key = key(path, name);
            match random.u8(..8) {
                0 => with(
                    "DELETE",
                    named,
                    JSON,
                    json!({ "propagationPolicy": "Foreground" }),
                ),
                1 => with(
                    "DELETE",
                    named,
                    JSON,
                    json!({ "propagationPolicy": "Orphan" }),
                ),
                2 => {
                    let uid = format!("{{uid {key}}}");
                    with(
                        "DELETE",
                        named,
                        JSON,
                        json!({ "preconditions": { "uid": uid } }),
                    )
                }
                3 => {
                    let version = format!("{{stale {key}}}");
                    let preconditions = json!({ "resourceVersion": version });
                    with(
                        "DELETE",
                        named,
                        JSON,
                        json!({ "preconditions": preconditions }),
                    )
                }
                4 => plain("DELETE", named + "?dryRun=All"),
                _ => plain("DELETE", named),
            }
        }
        94..96 => plain("DELETE", path.to_owned() + list_query(random)),
        _ => plain("GET", odd_path(random, path, &named)),
    }
}

/// Key of an object in what a run remembers.
fn key(path: &str, name: &str) -> String {
    let plural = path.rsplit('/').next().unwrap_or_default();
    format!("{plural}/{name}")
}

fn odd_path(random: &mut fastrand::Rng, path: &str, named: &str) -> String {
    match random.u8(..6) {
        0 => format!("{named}/nothing"),
        1 => format!("{path}/zz"),
        2 => path.replace("{namespace}", "nowhere"),
        3 => format!("{path}?limit=x"),
        4 => format!("{path}?fieldSelector=spec.zz%3Dx"),
        _ => "/apis/diff.example.com/v9/things".to_owned(),
    }
}

fn validation(random: &mut fastrand::Rng) -> String {
    let query = [
        "",
        "",
        "?fieldValidation=Strict",
        "?fieldValidation=Ignore",
        "?dryRun=All",
    ];
    query[random.usize(..query.len())].to_owned()
}

fn list_query(random: &mut fastrand::Rng) -> &'static str {
    let queries = [
        "",
        "?limit=2",
        "?labelSelector=app%3Dweb",
        "?labelSelector=app%20in%20(web,db),!old",
        "?fieldSelector=metadata.name%3Da",
        "?resourceVersion=0",
        "?labelSelector=app%20in",
        "?fieldSelector=metadata.name!%3Da,metadata.namespace%3D{namespace}",
    ];
    queries[random.usize(..queries.len())]
}

fn object(random: &mut fastrand::Rng, api_version: &str, kind: &str, name: &str) -> Value {
    let mut object = match kind {
        "Widget" => json!({ "spec": spec(random) }),
        "Plain" => json!({ "data": texts(random), "size": random.i32(..5) }),
        _ => json!({ "data": texts(random) }),
    };
    object["apiVersion"] = api_version.into();
    object["kind"] = kind.into();
    object["metadata"] = metadata(random, name);
    if kind == "Widget" && random.u8(..3) == 0 {
        object["status"] = status(random);
    }
    if kind != "ConfigMap" && random.u8(..8) == 0 {
        object["extra"] = json!({ "a": 1 });
    }
    object
}

fn metadata(random: &mut fastrand::Rng, name: &str) -> Value {
    let mut metadata = json!({ "name": name });
    if random.bool() {
        let app = ["web", "db"][random.usize(..2)];
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
            texts.insert(key.to_owned(), json!(["x", "y", ""][random.usize(..3)]));
        }
    }
    Value::Object(texts)
}

/// A specification that is right, or off in some fields.
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

fn status(random: &mut fastrand::Rng) -> Value {
    match random.u8(..5) {
        0 => json!({ "phase": "much too long" }),
        1 => json!({ "phase": "Ready", "replicas": 2, "selector": "app=web" }),
        2 => json!({ "phase": "Ready", "other": 1 }),
        _ => json!({ "phase": "Pending" }),
    }
}

/// Leaves out some members of a patch, and sets some to null.
fn thin(random: &mut fastrand::Rng, value: &mut Value) {
    if let Value::Object(members) = value {
        members.retain(|_, _| random.u8(..4) > 0);
        for member in members.values_mut() {
            match random.u8(..8) {
                0 => *member = Value::Null,
                _ => thin(random, member),
            }
        }
    }
}
