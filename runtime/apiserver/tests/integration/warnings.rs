//! Tests of warnings about writes of built-in kinds, compared with those of the API server
//! (`hack/kinds/write_warnings.py`). `WARNING_CASES` names a folder with more cases and their
//! responses.

use std::path::Path;

use bytes::Bytes;
use genclient_apiserver::ApiServer;
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::Service;

#[tokio::test]
async fn warnings_match_kube_apiserver() {
    let cases = include_str!("../warnings/cases.jsonl");
    compare_warnings(cases, include_str!("../warnings/answers.jsonl")).await;
}

#[tokio::test]
async fn warnings_for_cases_of_a_directory_match_kube_apiserver() {
    if let Some(folder) = std::env::var_os("WARNING_CASES") {
        let read = |name| std::fs::read_to_string(Path::new(&folder).join(name)).unwrap();
        compare_warnings(&read("cases.jsonl"), &read("answers.jsonl")).await;
    }
}

async fn compare_warnings(cases: &str, answers: &str) {
    let (cases, answers) = (cases.lines(), answers.lines());
    assert_eq!(cases.clone().count(), answers.clone().count());
    let mut wrong = Vec::new();
    for (case, expected) in cases.zip(answers) {
        let case: Value = serde_json::from_str(case).unwrap();
        let expected: Value = serde_json::from_str(expected).unwrap();
        let found = answer_of_new_server(case.clone()).await;
        if found != expected {
            wrong.push(format!("{case}\n  ours   {found}\n  server {expected}"));
        }
    }
    let (count, wrong) = (wrong.len(), wrong.join("\n"));
    assert!(wrong.is_empty(), "{count} differ:\n{wrong}");
}

/// Returns the response of a new server.
async fn answer_of_new_server(mut case: Value) -> Value {
    let mut server = ApiServer::builder().controllers(false).build().unwrap();
    let path = case["path"].as_str().unwrap().to_owned();
    let name = case["body"]["metadata"]["name"]
        .as_str()
        .unwrap()
        .to_owned();
    let (create, mut object) = send(&mut server, "POST", &path, &case["body"]).await;
    let mut answers = json!({ "create": create });
    let is_created = create["code"] == 201;
    for (verb, subresource) in [("update", ""), ("status", "/status")] {
        if is_created && case.get(verb).is_some() {
            let version = object["metadata"]["resourceVersion"].clone();
            case[verb]["metadata"]["resourceVersion"] = version;
            let path = format!("{path}/{name}{subresource}");
            let (answer, updated) = send(&mut server, "PUT", &path, &case[verb]).await;
            if answer["code"] == 200 {
                object = updated;
            }
            answers[verb] = answer;
        }
    }
    answers
}

async fn send(server: &mut ApiServer, method: &str, path: &str, body: &Value) -> (Value, Value) {
    let request = Request::builder()
        .method(method)
        .uri(format!("{path}?fieldValidation=Ignore"))
        .header(header::CONTENT_TYPE, "application/json");
    let body: Bytes = body.to_string().into();
    let request = request.body(Full::new(body)).unwrap();
    let response = server.call(request).await.unwrap();
    let code = response.status().as_u16();
    let warnings = response
        .headers()
        .get_all(header::WARNING)
        .iter()
        .map(|value| warning_text(value.as_bytes()));
    // Only this server says that it does not enforce a kind.
    let warnings: Vec<String> = warnings
        .filter(|warning| !warning.starts_with("the API server in the process stores"))
        .collect();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let object = serde_json::from_slice(&body).unwrap_or_default();
    (json!({ "code": code, "warnings": warnings }), object)
}

/// Returns the text of a header such as `299 - "text"`.
fn warning_text(header: &[u8]) -> String {
    let header = String::from_utf8_lossy(header);
    let quoted = header
        .strip_prefix("299 - \"")
        .unwrap()
        .strip_suffix('"')
        .unwrap();
    let mut text = String::new();
    let mut rest = quoted.chars();
    while let Some(c) = rest.next() {
        text.extend(if c == '\\' { rest.next() } else { Some(c) });
    }
    text
}
