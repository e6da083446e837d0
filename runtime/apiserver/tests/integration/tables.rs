//! Tests of table rows of built-in kinds, compared with those of the API server
//! (`hack/kinds/tables.py`).

use std::time::Duration;

use bytes::Bytes;
use genclient_apiserver::{ApiServer, Clock};
use http::{Request, header};
use http_body_util::{BodyExt, Full};
use serde_json::{Value, json};
use tower::Service;

const TABLE: &str = "application/json;as=Table;v=v1;g=meta.k8s.io";

#[tokio::test(start_paused = true)]
async fn table_rows_match_kube_apiserver() {
    let (cases, answers) = (
        include_str!("../tables/cases.jsonl").lines(),
        include_str!("../tables/answers.jsonl").lines(),
    );
    assert_eq!(cases.clone().count(), answers.clone().count());
    let mut wrong = Vec::new();
    for (case, expected) in cases.zip(answers) {
        let case: Value = serde_json::from_str(case).unwrap();
        let expected: Value = serde_json::from_str(expected).unwrap();
        let found = row_of_new_object(&case, &expected["created"]).await;
        if found != expected {
            wrong.push(format!("{case}\n  ours   {found}\n  server {expected}"));
        }
    }
    let (count, wrong) = (wrong.len(), wrong.join("\n"));
    assert!(wrong.is_empty(), "{count} differ:\n{wrong}");
}

/// Returns the row of an object that a new server creates at a time.
async fn row_of_new_object(case: &Value, created: &Value) -> Value {
    let clock = Clock::at(created.as_str().unwrap().parse().unwrap());
    let builder = ApiServer::builder().controllers(false).clock(clock);
    let mut server = builder.lag(Duration::ZERO).build().unwrap();
    let path = case["path"].as_str().unwrap();
    let name = case["body"]["metadata"]["name"].as_str().unwrap();
    let named = format!("{path}/{name}");
    let accept = "application/json";
    send(&mut server, "POST", path, accept, &case["body"]).await;
    if let Some(status) = case.get("status") {
        let body = json!({ "status": status });
        let path = format!("{named}/status");
        send(&mut server, "PATCH", &path, accept, &body).await;
    }
    if case.get("delete").is_some() {
        send(&mut server, "DELETE", &named, accept, &Value::Null).await;
    }
    let table = send(&mut server, "GET", &named, TABLE, &Value::Null).await;
    let row = &table["rows"][0];
    let columns = table["columnDefinitions"].as_array().map_or(0, Vec::len);
    let uid = row["object"]["metadata"]["uid"].as_str().unwrap();
    let mut cells = row["cells"].clone();
    for cell in cells.as_array_mut().unwrap() {
        if let Value::String(text) = cell {
            *text = text.replace(uid, "UID");
        }
    }
    let mut found = json!({ "created": created, "columns": columns, "cells": cells });
    if let Some(conditions) = row.get("conditions") {
        found["conditions"] = conditions.clone();
    }
    found
}

async fn send(
    server: &mut ApiServer,
    method: &str,
    path: &str,
    accept: &str,
    body: &Value,
) -> Value {
    let media_type = match method {
        "PATCH" => "application/merge-patch+json",
        _ => "application/json",
    };
    let request = Request::builder()
        .method(method)
        .uri(path)
        .header(header::ACCEPT, accept)
        .header(header::CONTENT_TYPE, media_type);
    let body: Bytes = match body {
        Value::Null => Bytes::new(),
        body => body.to_string().into(),
    };
    let body = server
        .call(request.body(Full::new(body)).unwrap())
        .await
        .unwrap()
        .into_body();
    serde_json::from_slice(&body.collect().await.unwrap().to_bytes()).unwrap()
}
