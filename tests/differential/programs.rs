//! Random programs: sequences of requests.

use std::fmt;

use fastrand::Rng;
use serde_json::{Value, json};

use crate::kinds::{HOSTS, KINDS, Written};
use crate::objects;

/// A request. Its texts may have `{namespace}`, and `{version NAME}`, `{stale NAME}` and
/// `{uid NAME}` of objects, which differ between the servers.
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
const OPERATIONS: &str = "application/json-patch+json";
const STRATEGIC: &str = "application/strategic-merge-patch+json";
const APPLY: &str = "application/apply-patch+yaml";

const NAMES: &[&str] = &["a", "b", "c", "d"];

/// Returns the program of a seed: about forty requests to one namespace, for a few kinds. It ends
/// with watches from its beginning to an object that is created for this purpose.
pub(crate) fn program(seed: u64) -> Vec<Step> {
    let mut random = Rng::with_seed(seed);
    let steps = random.usize(20..60);
    let kinds: Vec<_> = match random.u8(..3) {
        0 => (HOSTS..KINDS.len()).collect(),
        _ => (0..3).map(|_| random.usize(..HOSTS)).collect(),
    };
    let mut program = Vec::new();
    for _ in 0..steps {
        let written = &KINDS[kinds[random.usize(..kinds.len())]];
        program.push(step(&mut random, written));
    }
    program
}

/// Returns a request to one of the endpoints of an object.
fn step(random: &mut Rng, written: &Written) -> Step {
    let name = NAMES[random.usize(..NAMES.len())];
    let named = format!("{}/{name}", written.path);
    let key = format!("{}/{name}", written.plural());
    match random.u8(..100) {
        0..22 => {
            let mut object = objects::object(random, written, name);
            if random.u8(..10) == 0 {
                object["metadata"]["name"] = Value::Null;
            }
            if random.u8(..20) == 0 {
                object["metadata"]["resourceVersion"] = "1".into();
            }
            sent(
                "POST",
                written.path.to_owned() + &options(random),
                JSON,
                object,
            )
        }
        22..40 => update(random, written, name, &key),
        40..52 => merge_patch(random, written, name),
        52..58 => operations(random, written, &named),
        58..72 => apply(random, written, name),
        72..77 => plain("GET", named + subresource(random, written)),
        77..84 => plain(
            "GET",
            written.path.to_owned() + fresh(list_query(random), written),
        ),
        84..94 => delete(random, &named, &key),
        94..96 => plain("DELETE", written.path.to_owned() + list_query(random)),
        96..98 if written.scale => scale(random, &named, &key),
        _ => plain("GET", odd_path(random, written.path, &named)),
    }
}

/// Drops a query that a cache may answer with an older state. The caches of kinds with a conversion
/// webhook lag.
fn fresh(query: &'static str, written: &Written) -> &'static str {
    if written.kind == "Host" && query == "?resourceVersion=0" {
        ""
    } else {
        query
    }
}

fn plain(method: &'static str, path: String) -> Step {
    Step {
        method,
        path,
        media_type: JSON,
        body: String::new(),
    }
}

fn sent(method: &'static str, path: String, media_type: &'static str, body: Value) -> Step {
    Step {
        method,
        path,
        media_type,
        body: body.to_string(),
    }
}

fn subresource(random: &mut Rng, written: &Written) -> &'static str {
    match random.u8(..6) {
        0 | 1 if written.status => "/status",
        2 if written.scale => "/scale",
        _ => "",
    }
}

fn update(random: &mut Rng, written: &Written, name: &str, key: &str) -> Step {
    let mut object = objects::object(random, written, name);
    let version = match random.u8(..10) {
        0 => Value::from(format!("{{stale {key}}}")),
        1 => Value::Null,
        _ => format!("{{version {key}}}").into(),
    };
    object["metadata"]["resourceVersion"] = version;
    if random.u8(..12) == 0 {
        object["metadata"]["uid"] = json!(format!("{{uid {key}}}"));
    }
    match random.u8(..24) {
        0 => object["metadata"]["managedFields"] = json!([{}]),
        1 => object["metadata"]["managedFields"] = json!([]),
        _ => {}
    }
    let status = written.status && random.u8(..3) == 0;
    let status = if status { "/status" } else { "" };
    let path = format!("{}/{name}{status}{}", written.path, options(random));
    sent("PUT", path, JSON, object)
}

fn merge_patch(random: &mut Rng, written: &Written, name: &str) -> Step {
    let mut patch = objects::object(random, written, name);
    if let Value::Object(members) = &mut patch {
        members.remove("apiVersion");
        members.remove("kind");
        members.remove("metadata");
    }
    thin(random, &mut patch);
    if written.kind == "Secret" {
        fill_secret(&mut patch);
    }
    if random.u8(..6) == 0 {
        patch["metadata"] = objects::metadata(random, name);
    }
    let status = written.status && random.u8(..4) == 0;
    let status = if status { "/status" } else { "" };
    let path = format!("{}/{name}{status}{}", written.path, options(random));
    let media_type = [MERGE, STRATEGIC][random.usize(..2)];
    sent("PATCH", path, media_type, patch)
}

fn operations(random: &mut Rng, written: &Written, named: &str) -> Step {
    let paths = [
        "/metadata/labels",
        "/metadata/labels/app",
        "/data/one",
        "/data",
        "/spec/mode",
        "/spec/ports/0",
        "/spec/ports/-",
        "/spec/replicas",
        "/spec/nothing/there",
    ];
    let values = [
        json!("web"),
        json!({ "a": "b" }),
        json!(2),
        json!({ "name": "c" }),
    ];
    let count = random.usize(1..4);
    let operations = (0..count).map(|_| {
        let path = paths[random.usize(..paths.len())];
        let value = &values[random.usize(..values.len())];
        match random.u8(..8) {
            0..4 => json!({ "op": "add", "path": path, "value": value }),
            4 => json!({ "op": "replace", "path": path, "value": value }),
            5 => json!({ "op": "remove", "path": path }),
            6 => json!({ "op": "test", "path": path, "value": value }),
            _ => json!({ "op": "copy", "from": "/metadata/name", "path": path }),
        }
    });
    let operations = operations.collect();
    let subresource = if written.scale && random.u8(..6) == 0 {
        "/scale"
    } else {
        ""
    };
    let path = format!("{named}{subresource}{}", options(random));
    sent("PATCH", path, OPERATIONS, operations)
}

fn apply(random: &mut Rng, written: &Written, name: &str) -> Step {
    let mut object = objects::object(random, written, name);
    if random.bool() {
        thin(random, &mut object["spec"]);
        thin(random, &mut object["data"]);
    }
    if written.kind == "Secret" {
        fill_secret(&mut object);
    }
    for field in ["spec", "data"] {
        if object[field].is_null()
            && let Some(members) = object.as_object_mut()
        {
            members.remove(field);
        }
    }
    let manager = random.u8(1..4);
    let force = if random.bool() { "&force=true" } else { "" };
    let status = written.status && random.u8(..5) == 0;
    let status = if status { "/status" } else { "" };
    let path = written.path;
    let path = format!("{path}/{name}{status}?fieldManager=m{manager}{force}");
    sent("PATCH", path, APPLY, object)
}

/// Removes an empty `data`, and replaces nulls in `data` by empty strings. Go distinguishes empty
/// maps and bytes from missing ones until it has written them, which a Secret that is immutable or
/// has nulls reveals.
fn fill_secret(secret: &mut Value) {
    if let Some(members) = secret.as_object_mut() {
        members.retain(|name, value| name != "data" || *value != json!({}));
    }
    if let Some(data) = secret.get_mut("data").and_then(Value::as_object_mut) {
        for value in data.values_mut().filter(|value| value.is_null()) {
            *value = "".into();
        }
    }
}

fn scale(random: &mut Rng, named: &str, key: &str) -> Step {
    let name = named.rsplit('/').next().unwrap_or_default();
    let replicas = random.i32(-1..12);
    let path = format!("{named}/scale{}", options(random));
    let spec = json!({ "replicas": replicas });
    match random.u8(..4) {
        0 => plain("GET", format!("{named}/scale")),
        1 => sent("PATCH", path, MERGE, json!({ "spec": spec })),
        which => {
            let version = match which {
                2 => Value::Null,
                _ => format!("{{version {key}}}").into(),
            };
            let metadata = json!({ "name": name, "resourceVersion": version });
            let body = json!({
                "apiVersion": "autoscaling/v1",
                "kind": "Scale",
                "metadata": metadata,
                "spec": spec,
            });
            sent("PUT", path, JSON, body)
        }
    }
}

fn delete(random: &mut Rng, named: &str, key: &str) -> Step {
    let options = match random.u8(..9) {
        0 => json!({ "propagationPolicy": "Foreground" }),
        1 => json!({ "propagationPolicy": "Orphan" }),
        2 => json!({ "preconditions": { "uid": format!("{{uid {key}}}") } }),
        3 => json!({ "preconditions": { "resourceVersion": format!("{{stale {key}}}") } }),
        4 => return plain("DELETE", format!("{named}?dryRun=All")),
        5 => json!({ "gracePeriodSeconds": 0 }),
        _ => return plain("DELETE", named.to_owned()),
    };
    sent("DELETE", named.to_owned(), JSON, options)
}

fn odd_path(random: &mut Rng, path: &str, named: &str) -> String {
    match random.u8(..6) {
        0 => format!("{named}/nothing"),
        1 => format!("{path}/zz"),
        2 => path.replace("{namespace}", "nowhere"),
        3 => format!("{path}?limit=x"),
        4 => format!("{path}?fieldSelector=spec.zz%3Dx"),
        _ => "/apis/diff.example.com/v9/things".to_owned(),
    }
}

/// Returns the options of a write.
fn options(random: &mut Rng) -> String {
    let validation = [
        "",
        "",
        "fieldValidation=Strict",
        "fieldValidation=Ignore",
        "dryRun=All",
    ];
    let managers = ["", "", "fieldManager=m1", "fieldManager=m2"];
    let options = [
        validation[random.usize(..validation.len())],
        managers[random.usize(..managers.len())],
    ];
    let options: Vec<_> = options.into_iter().filter(|it| !it.is_empty()).collect();
    if options.is_empty() {
        String::new()
    } else {
        format!("?{}", options.join("&"))
    }
}

fn list_query(random: &mut Rng) -> &'static str {
    let queries = [
        "",
        "?limit=2",
        "?labelSelector=app%3Dweb",
        "?labelSelector=app%20in%20(web,db),!old",
        "?fieldSelector=metadata.name%3Da",
        "?resourceVersion=0",
        "?labelSelector=app%20in",
        "?fieldSelector=metadata.name!%3Da,metadata.namespace%3D{namespace}",
        "?limit=2&labelSelector=app%3Dweb",
        "?limit=1&fieldSelector=metadata.name%3Da",
        // The lower half of the hashes; the namespace is in it or not.
        "?limit=2&shardSelector=shardRange(object.metadata.namespace,\
         '0x0000000000000000','0x8000000000000000')",
        "?shardSelector=shardRange(object.metadata.uid,\
         '0x0000000000000000','0x10000000000000000')",
        "?shardSelector=shardRange(object.metadata.name,'0x0','0x1')",
    ];
    queries[random.usize(..queries.len())]
}

/// Drops some members of a patch, and sets some to null.
fn thin(random: &mut Rng, value: &mut Value) {
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
