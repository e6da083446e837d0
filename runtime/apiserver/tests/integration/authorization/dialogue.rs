//! Tests of authorization with recorded requests of five users (`hack/authorization/main.py`),
//! compared with the responses of kube-apiserver.
//!
//! `DIALOGUE` names another file of requests to compare.

use std::collections::BTreeMap;

use bytes::Bytes;
use genclient_apiserver::{ApiServer, User};
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use serde_json::Value;
use tower::Service;

/// Special cases, and random requests.
const DIALOGUES: [&str; 2] = [
    include_str!("../../authorization/cases.jsonl"),
    include_str!("../../authorization/random.jsonl"),
];

fn start_server() -> ApiServer {
    let user = |token: &str, name: &str, groups: &[&str]| {
        let user = User::new(name).with_uid(token);
        groups.iter().fold(user, |user, group| user.group(*group))
    };
    let users = [
        ("root", user("root", "root", &["system:masters"])),
        ("alice", user("alice", "alice", &["devs"])),
        ("bob", user("bob", "bob", &["devs", "ops"])),
        ("carol", user("carol", "carol", &[])),
        (
            "manager",
            User::service_account("a", "manager").with_uid("manager"),
        ),
    ];
    let builder = ApiServer::builder()
        .enforce_owner_permissions(true)
        .aggregate_cluster_roles(false);
    let builder = users
        .into_iter()
        .fold(builder, |it, (token, user)| it.token(token, user));
    builder.build().unwrap()
}

async fn send(server: &mut ApiServer, line: &Value) -> (u64, Value) {
    let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
    let media_type = match line["method"].as_str() {
        Some("PATCH") => "application/merge-patch+json",
        _ => "application/json",
    };
    let authorization = format!("Bearer {}", text("token"));
    let mut request = Request::builder()
        .method(&*text("method"))
        .uri(text("path"))
        .header(header::AUTHORIZATION, authorization);
    let headers = line["headers"].as_object();
    for (name, value) in headers.into_iter().flatten() {
        request = request.header(name, value.as_str().unwrap());
    }
    if headers.is_none_or(|headers| !headers.contains_key("Content-Type")) {
        request = request.header(header::CONTENT_TYPE, media_type);
    }
    let body = match &line["body"] {
        Value::Null => Bytes::new(),
        body => body.to_string().into(),
    };
    let response = server
        .call(request.body(Full::new(body)).unwrap())
        .await
        .unwrap();
    let code = response.status().as_u16().into();
    let body = response.into_body().collect().await.unwrap().to_bytes();
    let plain = || String::from_utf8_lossy(&body).into_owned().into();
    (
        code,
        serde_json::from_slice(&body).unwrap_or_else(|_| plain()),
    )
}

/// Normalizes a response: removes what differs between runs, and sorts random orders.
fn normalize(mut answer: Value) -> Value {
    if answer["kind"]
        .as_str()
        .is_some_and(|kind| kind.starts_with("API"))
        || answer["major"] != Value::Null
    {
        return Value::Null;
    }
    remove_random_fields(&mut answer);
    if let Some(message) = answer.get("message").and_then(Value::as_str) {
        answer["message"] = sort_errors(message).into();
    }
    if let Some(status) = answer.get_mut("status").filter(|status| status.is_object()) {
        for rules in ["resourceRules", "nonResourceRules"] {
            if let Some(rules) = status.get_mut(rules).and_then(Value::as_array_mut) {
                rules.sort_by_key(Value::to_string);
            }
        }
        for text in ["reason", "evaluationError"] {
            if let Some(found) = status.get(text).and_then(Value::as_str) {
                status[text] = sort_errors(found).into();
            }
        }
    }
    answer
}

fn remove_random_fields(value: &mut Value) {
    match value {
        Value::Object(members) => {
            let is_user = members.contains_key("username");
            let is_owner = members.contains_key("apiVersion") && members.contains_key("name");
            if !is_user && !is_owner {
                members.remove("uid");
            }
            members.remove("resourceVersion");
            members.values_mut().for_each(remove_random_fields);
        }
        Value::Array(items) => items.iter_mut().for_each(remove_random_fields),
        Value::String(text) => *text = replace_times(text),
        _ => {}
    }
}

/// Replaces times such as `2026-01-01T00:00:00Z` by `NOW`.
fn replace_times(text: &str) -> String {
    let is_time = |part: &str| {
        let shape = part
            .chars()
            .map(|c| if c.is_ascii_digit() { '0' } else { c });
        shape.eq("0000-00-00T00:00:00Z".chars())
    };
    let parts = text
        .split_inclusive('"')
        .map(|part| match part.strip_suffix('"') {
            Some(inner) if is_time(inner) => "NOW\"".to_owned(),
            None if is_time(part) => "NOW".to_owned(),
            _ => part.to_owned(),
        });
    parts.collect()
}

/// Sorts the errors of a message about missing roles by name.
fn sort_errors(message: &str) -> String {
    let is_list = |list: &str| list.contains(" not found, ");
    let start = message.rfind('[').filter(|at| is_list(&message[*at..]));
    let Some((start, end)) = start.zip(message.rfind(']')) else {
        return message.to_owned();
    };
    let mut errors: Vec<_> = message[start + 1..end].split(", ").collect();
    errors.sort_unstable();
    format!(
        "{}[{}{}",
        &message[..start],
        errors.join(", "),
        &message[end..]
    )
}

#[tokio::test]
async fn responses_match_kube_apiserver() {
    match std::env::var("DIALOGUE") {
        Ok(path) => compare_dialogue(&std::fs::read_to_string(path).unwrap()).await,
        Err(_) => {
            for dialogue in DIALOGUES {
                compare_dialogue(dialogue).await;
            }
        }
    }
}

async fn compare_dialogue(dialogue: &str) {
    let mut server = start_server();
    let (mut differences, mut by_code) = (Vec::new(), BTreeMap::new());
    for (number, line) in dialogue.lines().enumerate() {
        let line: Value = serde_json::from_str(line).unwrap();
        let (code, answer) = send(&mut server, &line).await;
        if code == 501 {
            // Logs are not served here; those of a missing Pod are 404 on the real server.
            continue;
        }
        let (mut ours, mut theirs) = (normalize(answer), normalize(line["answer"].clone()));
        forget_random_reason(&line, &mut ours, &mut theirs);
        *by_code.entry(code).or_insert(0) += 1;
        if code != line["code"].as_u64().unwrap() || ours != theirs {
            let sent = ["token", "method", "path", "headers", "body"];
            let sent = sent.map(|it| line[it].to_string()).join(" ");
            let theirs = format!("{} {theirs}", line["code"]);
            differences.push(format!("{number}: {sent}\n  {code} {ours}\n  {theirs}"));
        }
    }
    let compared: usize = by_code.values().sum();
    eprintln!("{compared} answers compared: {by_code:?}");
    let count = differences.len();
    differences.truncate(20);
    assert_eq!(count, 0, "of {compared}\n{}", differences.join("\n"));
}

/// Removes the reason if several bindings allow a request: the server names one at random.
fn forget_random_reason(line: &Value, ours: &mut Value, theirs: &mut Value) {
    let reasons = line["reasons"].as_array().map_or(&[][..], Vec::as_slice);
    let is_allowed = |answer: &Value| answer["status"]["allowed"] == true;
    if reasons.len() > 1 && is_allowed(ours) && is_allowed(theirs) {
        let reason = ours["status"]["reason"].take();
        assert!(reasons.contains(&reason) || reasons.len() > 4, "{reason}");
        theirs["status"]["reason"].take();
    }
}
