//! Tests of creates and updates of built-in kinds, compared with the API server
//! (`hack/kinds/answers.py`). `KIND_CASES` names a folder with more cases and their responses.

use std::path::Path;

use bytes::Bytes;
use genclient_apiserver::ApiServer;
use http::Request;
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::Service;

/// Time fields, which differ between runs.
const TIMES: [&str; 3] = [
    "lastTransitionTime",
    "creationTimestamp",
    "lastPhaseTransitionTime",
];

/// Sends a body and returns the code with the object or the causes of the Status.
async fn send_and_normalize(
    server: &mut ApiServer,
    method: &str,
    path: &str,
    body: &Value,
) -> Value {
    let request = Request::builder()
        .method(method)
        .uri(format!("{path}?fieldValidation=Ignore"))
        .header("Content-Type", "application/json");
    let body = Full::new(Bytes::from(body.to_string()));
    let response = server.call(request.body(body).unwrap()).await.unwrap();
    let code = response.status().as_u16();
    let text = response.into_body().collect().await.unwrap().to_bytes();
    let found: Value = serde_json::from_slice(&text).unwrap();
    if found["kind"] != "Status" {
        let uid = found["metadata"]["uid"].clone();
        return json!({ "code": code, "object": normalize(found, &uid) });
    }
    let Some(causes) = found["details"]["causes"].as_array() else {
        return json!({ "code": code, "message": found["message"] });
    };
    let mut causes = causes.clone();
    for cause in &mut causes {
        // The lines after the first one are Go's diff of two structs.
        let message = cause["message"].as_str().unwrap().lines().next();
        cause["message"] = message.unwrap_or_default().into();
    }
    let text = |cause: &Value, field: &str| cause[field].as_str().unwrap_or_default().to_owned();
    causes.sort_by_key(|cause| (text(cause, "field"), text(cause, "message")));
    json!({ "code": code, "causes": causes })
}

/// Normalizes an object to what is equal in every run.
fn normalize(value: Value, uid: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter();
            let kept = members
                .filter(|(name, _)| !["managedFields", "resourceVersion"].contains(&name.as_str()));
            let mut object: Value = kept
                .map(|(name, member)| {
                    let member = if TIMES.contains(&name.as_str()) {
                        "NOW".into()
                    } else {
                        normalize(member, uid)
                    };
                    (name, member)
                })
                .collect();
            let address = object["clusterIP"].as_str().unwrap_or_default();
            if address.starts_with("10.96.0.") {
                object["clusterIP"] = "10.0.0.1".into();
                object["clusterIPs"] = json!(["10.0.0.1"]);
            }
            if let Some(port) = object.get_mut("nodePort") {
                *port = 30_000.into();
            }
            object
        }
        Value::Array(items) => items.into_iter().map(|item| normalize(item, uid)).collect(),
        value if value == *uid => "UID".into(),
        value => value,
    }
}

fn collect_differences(ours: &Value, theirs: &Value, path: &str, out: &mut Vec<String>) {
    match (ours, theirs) {
        (Value::Object(a), Value::Object(b)) => {
            let names: std::collections::BTreeSet<_> = a.keys().chain(b.keys()).collect();
            for name in names {
                let [a, b] = [a, b].map(|members| members.get(name).unwrap_or(&Value::Null));
                let path = format!("{path}.{name}");
                if ours.get(name).is_none() != theirs.get(name).is_none() {
                    out.push(format!("{path}: ours {a}, server {b}"));
                } else {
                    collect_differences(a, b, &path, out);
                }
            }
        }
        (a, b) if a != b => out.push(format!("{path}:\n    ours   {a}\n    server {b}")),
        _ => {}
    }
}

#[tokio::test]
async fn responses_match_kube_apiserver() {
    compare_responses(
        include_str!("../kinds/cases.jsonl"),
        include_str!("../kinds/answers.jsonl"),
    )
    .await;
}

#[tokio::test]
async fn responses_to_cases_of_a_directory_match_kube_apiserver() {
    if let Some(folder) = std::env::var_os("KIND_CASES") {
        let read = |name| std::fs::read_to_string(Path::new(&folder).join(name)).unwrap();
        compare_responses(&read("cases.jsonl"), &read("answers.jsonl")).await;
    }
}

async fn compare_responses(cases: &str, answers: &str) {
    let (cases, answers) = (cases.lines(), answers.lines());
    assert_eq!(cases.clone().count(), answers.clone().count());
    let start = ApiServer::builder().controllers(false).build().unwrap();
    let before = start.snapshot();
    let mut server = start;
    let mut wrong = Vec::new();
    for (case, expected) in cases.zip(answers) {
        server.restore(&before);
        let case: Value = serde_json::from_str(case).unwrap();
        let expected: Value = serde_json::from_str(expected).unwrap();
        let path = case["path"].as_str().unwrap();
        let created = send_and_normalize(&mut server, "POST", path, &case["body"]).await;
        let mut found = Vec::new();
        collect_differences(&created, &expected["create"], "", &mut found);
        if let (Some(body), Some(expected)) = (case.get("update"), expected.get("update")) {
            let name = case["body"]["metadata"]["name"].as_str().unwrap();
            let updated =
                send_and_normalize(&mut server, "PUT", &format!("{path}/{name}"), body).await;
            collect_differences(&updated, expected, " update ", &mut found);
        }
        if !found.is_empty() {
            wrong.push(format!("{case}\n  {}", found.join("\n  ")));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
