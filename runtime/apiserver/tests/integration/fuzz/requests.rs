//! Random requests: methods, paths, queries, headers and bodies, most of them meaningful.

use bytes::Bytes;
use http::{Method, Request};
use http_body_util::Full;
use serde_json::Value;

use super::random::Random;
use super::values;

const RESOURCES: &[(&str, &str)] = &[
    ("/api/v1", "configmaps"),
    ("/api/v1", "secrets"),
    ("/api/v1", "pods"),
    ("/api/v1", "events"),
    ("/api/v1", "services"),
    ("/api/v1", "namespaces"),
    ("/apis/apps/v1", "deployments"),
    ("/apis/coordination.k8s.io/v1", "leases"),
    ("/apis/probe.dev/v1", "widgets"),
    ("/apis/probe.dev/v1", "widgets"),
    ("/apis/apiextensions.k8s.io/v1", "customresourcedefinitions"),
];

const OTHERS: &[&str] = &[
    "/",
    "/api",
    "/apis",
    "/apis/apps",
    "/apis/apps/v1",
    "/apis/nope",
    "/api/v2",
    "/version",
    "//",
    "/healthz",
    "/livez/ping",
    "/readyz?verbose",
    "/openapi/v3",
    "/openapi/v3/apis/probe.dev/v1",
    "/openapi/v2",
    "/openapi",
    "/api/v1/namespaces/default/nope",
    "/apis/probe.dev/v1/namespaces/default/widgets/a/b/c",
    "/metrics",
    "/%zz",
    "/api/v1/watch/namespaces/default/configmaps",
    "/apis/probe.dev/v2/widgets",
    "/openapi/v3/api/v1?hash=x",
];

const PARAMETERS: &[(&str, &[&str])] = &[
    ("watch", &["1", "true", "false", "x", ""]),
    ("limit", &["0", "1", "2", "-1", "x", "9223372036854775807"]),
    (
        "resourceVersion",
        &[
            "0",
            "1",
            "5",
            "999999",
            "x",
            "-1",
            "18446744073709551615",
            "",
        ],
    ),
    ("resourceVersionMatch", &["Exact", "NotOlderThan", "x"]),
    (
        "labelSelector",
        &[
            "app=a",
            "app in (a,b)",
            "!app",
            "app>1",
            "((",
            "app=",
            "a,,b",
            "app notin (a",
            "%00",
        ],
    ),
    (
        "fieldSelector",
        &[
            "metadata.name=a",
            "spec.mode!=fast",
            "nope=1",
            "==",
            "a\\,b=c",
            "status.phase=x",
        ],
    ),
    (
        "continue",
        &[
            "x",
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6NSwic3RhcnQiOiJhXHUwMDAwIn0",
            "e30",
            "===",
            "%ff",
        ],
    ),
    ("fieldManager", &["me", "", "\u{0}", "other", "%E2%82%AC"]),
    ("fieldValidation", &["Strict", "Warn", "Ignore", "x"]),
    ("force", &["true", "false", "x"]),
    ("dryRun", &["All", "Some", ""]),
    (
        "propagationPolicy",
        &["Foreground", "Background", "Orphan", "x"],
    ),
    (
        "gracePeriodSeconds",
        &["0", "30", "-5", "9223372036854775807", "x"],
    ),
    (
        "timeoutSeconds",
        &["1", "0", "-1", "9223372036854775807", "x"],
    ),
    ("allowWatchBookmarks", &["true", "1"]),
    ("sendInitialEvents", &["true", "false", "x"]),
    (
        "shardSelector",
        &[
            "",
            "x",
            "shardRange(object.metadata.uid,'0x0000000000000000','0x8000000000000000')",
            "shardRange(object.metadata.namespace,'0x1','\u{0}')||((",
        ],
    ),
    ("orphanDependents", &["true", "x"]),
    ("pretty", &["true"]),
    ("%zz", &["%"]),
];

const ACCEPTS: &[&str] = &[
    "application/json",
    "*/*",
    "application/yaml",
    "application/vnd.kubernetes.protobuf,application/json",
    "application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    "text/html",
    ";;,,",
];

const TYPES: &[&str] = &[
    "application/json",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    "application/merge-patch+json",
    "application/json-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
    "application/apply-patch+cbor",
    "text/plain",
    "",
];

/// Returns a random request.
pub fn random_request(random: &mut Random) -> Request<Full<Bytes>> {
    let (root, plural) = *random.pick(RESOURCES);
    let name = values::random_name(random);
    let method = random_method(random);
    let mut path = if random.once_in(15) {
        (*random.pick(OTHERS)).to_owned()
    } else {
        random_path(random, root, plural, name, &method)
    };
    while random.once_in(3) {
        let (parameter, texts) = random.pick(PARAMETERS);
        let mark = if path.contains('?') { '&' } else { '?' };
        let text: String = random.pick(texts).replace(' ', "+").replace('\u{0}', "%00");
        path = format!(
            "{path}{mark}{parameter}={}",
            text.replace(['(', ')', '>', '\\'], "%28")
        );
    }
    let (media_type, body) = random_body(random, &method, plural, name);
    if media_type == "application/apply-patch+yaml" && !random.once_in(8) {
        let mark = if path.contains('?') { '&' } else { '?' };
        path = format!("{path}{mark}fieldManager={}", random.pick(&["one", "two"]));
    }
    let mut request = Request::builder().method(method).uri(path);
    if !media_type.is_empty() {
        request = request.header("content-type", media_type);
    }
    if random.once_in(4) {
        request = request.header("accept", *random.pick(ACCEPTS));
    }
    if random.once_in(10) {
        request = request.header("user-agent", "\u{7f}weird/".trim_start_matches('\u{7f}'));
    }
    request.body(Full::new(body.into())).unwrap()
}

fn random_method(random: &mut Random) -> Method {
    let methods = [
        Method::POST,
        Method::POST,
        Method::POST,
        Method::PATCH,
        Method::PATCH,
        Method::PATCH,
        Method::PUT,
        Method::GET,
        Method::GET,
        Method::DELETE,
    ];
    if random.once_in(30) {
        random
            .pick(&[Method::HEAD, Method::OPTIONS, Method::TRACE])
            .clone()
    } else {
        random.pick(&methods).clone()
    }
}

fn random_path(
    random: &mut Random,
    root: &str,
    plural: &str,
    name: &str,
    method: &Method,
) -> String {
    let is_cluster = ["namespaces", "customresourcedefinitions"].contains(&plural);
    let namespace = *random.pick(&["default", "default", "default", "nope", "a"]);
    let mut path = if is_cluster != random.once_in(20) {
        format!("{root}/{plural}")
    } else {
        format!("{root}/namespaces/{namespace}/{plural}")
    };
    let is_new = *method == Method::POST || random.once_in(8);
    if !is_new {
        let name = match plural {
            "customresourcedefinitions" => {
                *random.pick(&["widgets.probe.dev", "gadgets.probe.dev"])
            }
            _ => name,
        };
        let name: String = name.chars().filter(|c| !c.is_control()).collect();
        path = format!("{path}/{}", name.replace('é', "%c3%a9"));
    }
    if !is_new && random.once_in(5) {
        let names = [
            "status", "scale", "finalize", "log", "exec", "nope", "eviction", "token", "proxy/a",
        ];
        path = format!("{path}/{}", random.pick(&names));
    }
    path
}

fn random_body(
    random: &mut Random,
    method: &Method,
    plural: &str,
    name: &str,
) -> (&'static str, Vec<u8>) {
    let is_patch = *method == Method::PATCH;
    let mut value = values::random_object(random, plural, name);
    if is_patch && !random.once_in(3) {
        // Keep only a part of the object.
        let members = value.as_object_mut().unwrap();
        let kept = *random.pick(&["spec", "metadata", "data", "status"]);
        members.retain(|key, _| key == kept || key == "apiVersion" || key == "kind");
    }
    while random.once_in(2) {
        values::damage(random, &mut value);
    }
    let media_type = match (is_patch, random.once_in(12)) {
        (_, true) => random.pick(TYPES),
        (true, false) => random.pick(&TYPES[3..7]),
        (false, false) => random.pick(&TYPES[..2]),
    };
    if *media_type == "application/json-patch+json" {
        value = values::random_patch(random);
    }
    if *method == Method::GET || *method == Method::DELETE && !random.once_in(4) {
        return ("", Vec::new());
    }
    let mut text = value.to_string().into_bytes();
    if *media_type == "application/vnd.kubernetes.protobuf" {
        text =
            b"k8s\0\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x09\x0a\x07\x0a\x01a\x1a\x02de".to_vec();
    }
    if random.once_in(10) {
        append_random_bytes(random, &mut text);
    }
    (media_type, text)
}

/// Cuts, repeats or changes bytes.
fn append_random_bytes(random: &mut Random, text: &mut Vec<u8>) {
    if text.is_empty() {
        return;
    }
    let at = random.below(text.len());
    match random.below(4) {
        0 => text.truncate(at),
        1 => text[at] = *random.pick(b"\0\"{}[],:\x80\xff'&*!|>%@`-"),
        2 => {
            let part = text[at..].to_vec();
            text.extend(part);
        }
        _ => {
            text.remove(at);
        }
    }
}

/// Formats a request in one line for failures.
pub fn describe_request(request: &Request<Full<Bytes>>) -> String {
    use http_body_util::BodyExt;
    let mut body = request.body().clone();
    let body = futures::FutureExt::now_or_never(body.frame())
        .flatten()
        .and_then(|frame| frame.unwrap().into_data().ok());
    let body: String = String::from_utf8_lossy(&body.unwrap_or_default())
        .into_owned()
        .chars()
        .take(3000)
        .collect();
    let (method, uri, headers) = (request.method(), request.uri(), request.headers());
    format!("{method} {uri} {headers:?} {body}")
}

/// Returns whether the API server also responds with 500.
pub fn may_fail(head: &str, status: &Value) -> bool {
    let message = status["message"].as_str().unwrap_or_default();
    let is_of_patch = ["strategic-merge-patch", "apply-patch"];
    is_of_patch.iter().any(|it| head.contains(it))
        || head.contains("/scale")
        || message.contains("strconv.ParseUint")
        || message.contains("resourceVersion should not be set")
        || message.starts_with("invalid shard selector: ")
        || message == "content is not a list"
}
