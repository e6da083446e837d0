//! Tests with recorded requests about kinds, bodies and queries, compared with the responses of the
//! API server (`hack/kinds/dialogues.py`).

use std::time::Duration;

use bytes::Bytes;
use genclient_apiserver::ApiServer;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::Service;

/// Fields that differ between runs.
const VOLATILE: [&str; 11] = [
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "time",
    "token",
    "expirationTimestamp",
    "lastTransitionTime",
    "lastPhaseTransitionTime",
    "lastUpdateTime",
    "deletionTimestamp",
    "disruptedPods",
];

// Applies within one second are sorted by manager: paused time keeps them in one second.
#[tokio::test(start_paused = true)]
async fn responses_match_kube_apiserver() {
    let (cases, answers) = (
        include_str!("../dialogues/cases.jsonl").lines(),
        include_str!("../dialogues/answers.jsonl").lines(),
    );
    assert_eq!(cases.clone().count(), answers.clone().count());
    let mut wrong = Vec::new();
    for (case, expected) in cases.zip(answers) {
        let mut server = ApiServer::builder().controllers(false).build().unwrap();
        let case: Vec<Value> = serde_json::from_str(case).unwrap();
        let expected: Vec<Value> = serde_json::from_str(expected).unwrap();
        for (request, expected) in case.iter().zip(expected) {
            let found = send_recorded(&mut server, request).await;
            if found != expected {
                wrong.push(format!("{request}\n  ours   {found}\n  server {expected}"));
            }
        }
    }
    let (count, wrong) = (wrong.len(), wrong.join("\n"));
    assert!(wrong.is_empty(), "{count} differ:\n{wrong}");
}

#[tokio::test]
async fn tokens_authenticate_as_their_service_account() {
    let mut server = ApiServer::builder().build().unwrap();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    let json = "application/json";
    let account = json!({ "metadata": { "name": "one" } });
    send(&mut server, ["POST", accounts, json, ""], &account).await;
    let path = format!("{accounts}/one/token");
    let (_, request, _) = send(&mut server, ["POST", &path, json, ""], &json!({})).await;
    let token = request["status"]["token"].as_str().unwrap().to_owned();

    let whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let (code, review, _) = send(&mut server, ["POST", whoami, json, &token], &json!({})).await;
    let user = &review["status"]["userInfo"];
    assert_eq!(code, 201);
    assert_eq!(user["username"], "system:serviceaccount:default:one");
    assert_eq!(user["uid"], request["metadata"]["uid"]);
    let groups = [
        "system:serviceaccounts",
        "system:serviceaccounts:default",
        "system:authenticated",
    ];
    assert_eq!(user["groups"], json!(groups));
    let nothing = Value::Null;
    let secrets = "/api/v1/namespaces/default/secrets";
    let (code, _, _) = send(&mut server, ["GET", secrets, json, &token], &nothing).await;
    assert_eq!(code, 403);

    let other = json!({ "spec": { "audiences": ["elsewhere"] } });
    let (_, elsewhere, _) = send(&mut server, ["POST", &path, json, ""], &other).await;
    let elsewhere = elsewhere["status"]["token"].as_str().unwrap().to_owned();
    let (code, _, _) = send(&mut server, ["GET", secrets, json, &elsewhere], &nothing).await;
    assert_eq!(code, 401);
    let reviews = "/apis/authentication.k8s.io/v1/tokenreviews";
    let asked = json!({ "spec": { "token": elsewhere, "audiences": ["elsewhere", "x"] } });
    let (_, review, _) = send(&mut server, ["POST", reviews, json, ""], &asked).await;
    assert_eq!(review["status"]["audiences"], json!(["elsewhere"]));

    let path = format!("{accounts}/one");
    send(&mut server, ["DELETE", &path, json, ""], &nothing).await;
    let (code, _, _) = send(&mut server, ["GET", secrets, json, &token], &nothing).await;
    assert_eq!(code, 401, "the account is gone");
}

#[tokio::test(start_paused = true)]
async fn tokens_are_accepted_a_minute_after_expiry_or_deletion() {
    let mut server = ApiServer::builder().build().unwrap();
    let accounts = "/api/v1/namespaces/default/serviceaccounts";
    let json = "application/json";
    let metadata = json!({ "name": "one", "finalizers": ["example.com/a"] });
    let account = json!({ "metadata": metadata });
    send(&mut server, ["POST", accounts, json, ""], &account).await;
    let whoami = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    let mut codes = Vec::new();
    for (seconds, is_deleted) in [(600, false), (3600, true)] {
        let path = format!("{accounts}/one/token");
        let asked = json!({ "spec": { "expirationSeconds": seconds } });
        let (_, request, _) = send(&mut server, ["POST", &path, json, ""], &asked).await;
        let token = request["status"]["token"].as_str().unwrap().to_owned();
        if is_deleted {
            let path = format!("{accounts}/one");
            send(&mut server, ["DELETE", &path, json, ""], &Value::Null).await;
        } else {
            tokio::time::advance(Duration::from_secs(600)).await
        }
        for _ in 0..2 {
            tokio::time::advance(Duration::from_secs(58)).await;
            let request = ["POST", whoami, json, &token];
            codes.push(send(&mut server, request, &json!({})).await.0);
        }
    }
    assert_eq!(codes, [201, 401, 201, 401]);
}

#[tokio::test]
async fn writes_of_kinds_that_are_not_enforced_are_warned_of() {
    let mut server = ApiServer::builder().build().unwrap();
    let json = "application/json";
    let admission = "/apis/admissionregistration.k8s.io/v1";
    let limits = json!([{ "type": "Container", "default": { "cpu": "1" } }]);
    for (path, kind, spec) in [
        (
            "/api/v1/namespaces/default/limitranges",
            "LimitRange",
            json!({ "limits": limits }),
        ),
        (
            "/api/v1/namespaces/default/resourcequotas",
            "ResourceQuota",
            json!({ "hard": { "pods": "1" } }),
        ),
        (
            &format!("{admission}/validatingadmissionpolicybindings"),
            "ValidatingAdmissionPolicyBinding",
            json!({ "policyName": "a", "validationActions": ["Deny"] }),
        ),
    ] {
        let object = json!({ "metadata": { "name": "a" }, "spec": spec });
        let warning = format!(
            "the API server in the process stores objects of the kind {kind} but does not enforce \
             them"
        );
        let (code, created, warnings) = send(&mut server, ["POST", path, json, ""], &object).await;
        assert_eq!(
            (code, &warnings[..]),
            (201, &[warning.clone()][..]),
            "{created}"
        );
        let path = format!("{path}/a");
        let (code, updated, warnings) = send(&mut server, ["PUT", &path, json, ""], &created).await;
        assert_eq!((code, &warnings[..]), (200, &[warning][..]), "{updated}");
    }
}

async fn send_recorded(server: &mut ApiServer, request: &Value) -> Value {
    let text = |index: usize| request[index].as_str().unwrap();
    let accept = request[4].as_str().unwrap_or("application/json");
    let head = Request::builder()
        .method(text(0))
        .uri(text(1))
        .header(header::ACCEPT, accept)
        .header(header::CONTENT_TYPE, text(2));
    let (code, body, warnings) = send_request(server, head, &request[3]).await;
    json!({ "code": code, "warnings": warnings, "body": normalize(body) })
}

/// Sends a request with a method, a path, a content type and a token.
async fn send(
    server: &mut ApiServer,
    [method, path, media_type, token]: [&str; 4],
    body: &Value,
) -> (u16, Value, Vec<String>) {
    let mut request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::CONTENT_TYPE, media_type);
    if !token.is_empty() {
        request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
    }
    send_request(server, request, body).await
}

async fn send_request(
    server: &mut ApiServer,
    request: http::request::Builder,
    body: &Value,
) -> (u16, Value, Vec<String>) {
    let request = request.header(header::USER_AGENT, "tests/1");
    let body: Bytes = match body {
        Value::Null => Bytes::new(),
        Value::String(text) => text.clone().into(),
        body => body.to_string().into(),
    };
    let response = server
        .call(request.body(Full::new(body)).unwrap())
        .await
        .unwrap();
    let code = response.status().as_u16();
    let warnings = response
        .headers()
        .get_all(header::WARNING)
        .iter()
        .map(|value| warning_text(value.as_bytes()))
        .collect();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    (code, serde_json::from_slice(&body).unwrap(), warnings)
}

/// Returns the text of a warning header: `299 - "text"`.
fn warning_text(header: &[u8]) -> String {
    let header = String::from_utf8_lossy(header);
    let quoted = header
        .strip_prefix("299 - \"")
        .unwrap()
        .strip_suffix('"')
        .unwrap();
    quoted.replace("\\\"", "\"").replace("\\\\", "\\")
}

/// Normalizes a response to what is equal in every run.
fn normalize(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.into_iter();
            let kept = members.filter(|(name, _)| !VOLATILE.contains(&name.as_str()));
            Value::Object(kept.map(|(name, inner)| (name, normalize(inner))).collect())
        }
        Value::Array(items) => items.into_iter().map(normalize).collect(),
        other => other,
    }
}
