//! Tests of admission requests, valid and invalid.

use bytes::Bytes;
use genclient_controller::webhook::{Admission, Change, Denied, Validator, Warnings, Webhooks};
use http::{Request, StatusCode};
use http_body_util::Full;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::{admission_review, post_body, send_request, send_review};

const PATH: &str = "/validate--v1-configmap";

/// A validator that returns its arguments as warnings.
struct Echo;

impl Validator for Echo {
    type Object = ConfigMap;

    async fn validate(
        &self,
        change: Change<ConfigMap>,
        request: &Admission,
    ) -> Result<Warnings, Denied> {
        let data = |map: ConfigMap| {
            map.data
                .unwrap_or_default()
                .into_values()
                .collect::<String>()
        };
        let change = match change {
            Change::Create(new) => format!("create {}", data(new)),
            Change::Update { old, new } => format!("update {} to {}", data(old), data(new)),
            Change::Delete(old) => format!("delete {}", data(old)),
        };
        let user = request.user_info.username.clone().unwrap_or_default();
        let subresource = request.subresource.clone().unwrap_or_default();
        let more = format!("{user} {} {subresource} {}", request.name, request.dry_run);
        Ok([change, more].into())
    }
}

fn echo_webhooks() -> Webhooks {
    Webhooks::new().validator(Echo)
}

#[tokio::test]
async fn each_admission_operation_has_its_old_and_new_object() {
    let (old, new) = (
        json!({ "data": { "a": "1" } }),
        json!({ "data": { "a": "2" } }),
    );
    let cases = [
        ("CREATE", new.clone(), Value::Null, Some("create 2")),
        ("UPDATE", new, old.clone(), Some("update 1 to 2")),
        ("DELETE", Value::Null, old, Some("delete 1")),
        ("CONNECT", Value::Null, Value::Null, None),
    ];
    for (operation, object, old, expected) in cases {
        let mut review = admission_review(operation, object, old);
        review["request"]["dryRun"] = true.into();
        review["request"]["subResource"] = "status".into();
        let response = send_review(echo_webhooks(), PATH, &review).await;
        assert_eq!(response["allowed"], true, "{operation}: {response}");
        assert_eq!(response["uid"], "f0b2");
        let warnings = expected.map(|it| json!([it, "alice settings status true"]));
        assert_eq!(response.get("warnings"), warnings.as_ref(), "{operation}");
    }
}

#[tokio::test]
async fn reviews_are_answered_in_their_version() {
    let cases = [
        (json!("admission.k8s.io/v1"), "admission.k8s.io/v1"),
        (
            json!("admission.k8s.io/v1beta1"),
            "admission.k8s.io/v1beta1",
        ),
        (json!(""), "admission.k8s.io/v1"),
    ];
    for (version, expected) in cases {
        let mut review = admission_review("CREATE", json!({}), Value::Null);
        review["apiVersion"] = version;
        let (_, answer) = post_body(
            &echo_webhooks().into_service().unwrap(),
            PATH,
            review.to_string(),
        )
        .await;
        assert_eq!(answer["apiVersion"], expected);
        assert_eq!(answer["kind"], "AdmissionReview");
        assert_eq!(answer["response"]["allowed"], true);
    }
}

#[tokio::test]
async fn invalid_admission_reviews_are_rejected() {
    let other_kind = json!({ "apiVersion": "v1", "kind": "Pod", "request": {} }).to_string();
    let without_request = json!({ "kind": "AdmissionReview" }).to_string();
    let unknown_operation = admission_review("PATCH", json!({}), Value::Null).to_string();
    let without_object = admission_review("CREATE", Value::Null, Value::Null).to_string();
    let wrong_field =
        admission_review("CREATE", json!({ "data": { "a": 1 } }), Value::Null).to_string();
    let large = format!("\"{}\"", "x".repeat(7 << 20));
    let cases = [
        (String::new(), 400, "request body is empty"),
        (
            "{".to_owned(),
            400,
            "cannot decode the review: EOF while parsing an object at line 1 column 1",
        ),
        (
            other_kind,
            400,
            "cannot decode the review: expected an AdmissionReview, found `Pod` of `v1`",
        ),
        (
            without_request,
            400,
            "cannot decode the review: the review has no request",
        ),
        (
            unknown_operation,
            400,
            "cannot decode the review: unknown variant `PATCH`",
        ),
        (without_object, 400, "the request has no `object`"),
        (
            wrong_field,
            400,
            "cannot decode the object: data.a: invalid type: integer `1`, expected a string",
        ),
        (
            large,
            413,
            "request entity is too large; limit is 7340032 bytes",
        ),
    ];
    for (body, code, message) in cases {
        let (status, answer) =
            post_body(&echo_webhooks().into_service().unwrap(), PATH, body).await;
        assert_eq!(status, StatusCode::OK);
        let response = &answer["response"];
        assert_eq!(response["allowed"], false, "{response}");
        assert_eq!(response["status"]["code"], code, "{response}");
        let found = response["status"]["message"].as_str().unwrap();
        assert!(found.starts_with(message), "{found}");
    }
}

#[tokio::test]
async fn content_type_must_be_json_and_may_have_parameters() {
    let cases = [
        (Some("application/json"), true),
        (Some("application/json; charset=utf-8"), true),
        (Some("Application/JSON"), true),
        (Some("text/plain"), false),
        (Some("application/yaml"), false),
        (None, false),
    ];
    for (content_type, is_read) in cases {
        let mut request = Request::post(PATH);
        if let Some(content_type) = content_type {
            request = request.header("content-type", content_type);
        }
        let body = admission_review("CREATE", json!({}), Value::Null).to_string();
        let request = request.body(Full::new(Bytes::from(body))).unwrap();
        let (_, answer) = send_request(&echo_webhooks().into_service().unwrap(), request).await;
        assert_eq!(
            answer["response"]["allowed"], is_read,
            "{content_type:?}: {answer}"
        );
    }
}

#[tokio::test]
async fn unknown_paths_are_not_found() {
    for path in [
        "/",
        "/validate--v1-pod",
        "/convert",
        "/validate--v1-configmap/",
    ] {
        let (status, _) = post_body(&echo_webhooks().into_service().unwrap(), path, "{}").await;
        assert_eq!(status, StatusCode::NOT_FOUND, "{path}");
    }
}

/// A validator outside of the cluster, which the API server calls by a URL. It allows everything.
struct Outside;

#[genclient::webhook(url = "https://127.0.0.1:9443/outside/configmaps")]
impl Validator for Outside {
    type Object = ConfigMap;

    async fn validate(&self, _: Change<ConfigMap>, _: &Admission) -> Result<Warnings, Denied> {
        Ok(Warnings::none())
    }
}

/// The path of the `url` in the webhook configuration is the path of the webhook.
#[tokio::test]
async fn webhook_with_a_url_is_served_at_its_path() {
    let review = admission_review("CREATE", json!({}), Value::Null);
    let webhooks = Webhooks::new().validator(Outside);
    let response = send_review(webhooks, "/outside/configmaps", &review).await;
    assert_eq!(response["allowed"], true, "{response}");
}

/// A validator that never answers.
struct Endless;

impl Validator for Endless {
    type Object = ConfigMap;
    const PATH: Option<&'static str> = Some("/endless");

    async fn validate(&self, _: Change<ConfigMap>, _: &Admission) -> Result<Warnings, Denied> {
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn webhooks_time_out_with_the_request() {
    let cases = [
        ("?timeout=10s", 10.0),
        ("?timeout=1m", 30.0),
        ("", 30.0),
        ("?timeout=x", 30.0),
    ];
    for (query, seconds) in cases {
        let begun = tokio::time::Instant::now();
        let path = format!("/endless{query}");
        let review = admission_review("CREATE", json!({}), Value::Null);
        let response = send_review(Webhooks::new().validator(Endless), &path, &review).await;
        assert_eq!(response["status"]["code"], 504);
        let elapsed = begun.elapsed().as_secs_f64();
        assert!((elapsed - seconds).abs() < 0.1, "{query}: {elapsed} s");
    }
}
