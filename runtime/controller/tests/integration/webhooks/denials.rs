//! Tests of refusals by validators.

use genclient::kube;
use genclient::kube::core::Status;
use genclient_controller::WriteError;
use genclient_controller::webhook::{
    Admission, Change, Denied, FieldError, Validator, Warnings, Webhooks,
};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::{admission_review, send_review};

/// A validator that returns the result of this function.
struct Says(fn() -> Result<Warnings, Denied>);

impl Validator for Says {
    type Object = ConfigMap;

    async fn validate(&self, _: Change<ConfigMap>, _: &Admission) -> Result<Warnings, Denied> {
        self.0()
    }
}

fn conflict() -> kube::Error {
    let conflict = Status::failure("it has changed", "Conflict").with_code(409);
    kube::Error::Api(conflict.boxed())
}

async fn deny_and_get_response(webhooks: Webhooks) -> Value {
    let review = admission_review("CREATE", json!({}), Value::Null);
    send_review(webhooks, "/validate--v1-configmap", &review).await
}

#[tokio::test]
async fn denials_have_a_code_a_reason_and_a_message() {
    type Case = (fn() -> Result<Warnings, Denied>, Value);
    let cases: [Case; 8] = [
        (
            || Err("no more of these".into()),
            json!([403, "Forbidden", "no more of these"]),
        ),
        (
            || Err(Denied::forbidden("not today")),
            json!([403, "Forbidden", "not today"]),
        ),
        (
            || Err(Denied::status(429, "TooManyRequests", "later")),
            json!([429, "TooManyRequests", "later"]),
        ),
        (
            || Err(conflict().into()),
            json!([409, "Conflict", "it has changed"]),
        ),
        (
            || Err(WriteError::Write(conflict()).into()),
            json!([409, "Conflict", "it has changed"]),
        ),
        (
            || Err(anyhow::Error::from(conflict()).context("no quota").into()),
            json!([409, "Conflict", "no quota: it has changed"]),
        ),
        (
            || panic!("no such luck"),
            json!([500, "InternalError", "the webhook panicked: no such luck"]),
        ),
        (
            || {
                let errors = [
                    FieldError::required("data.a", "name a value"),
                    FieldError::invalid("data.b", "x", "must be a number"),
                ];
                Err(Denied::invalid(errors))
            },
            json!([
                422,
                "Invalid",
                "ConfigMap \"settings\" is invalid: [data.a: Required value: name a value, data.b: Invalid value: \"x\": must be a number]"
            ]),
        ),
    ];
    for (says, expected) in cases {
        let response = deny_and_get_response(Webhooks::new().validator(Says(says))).await;
        assert_eq!(response["allowed"], false);
        let status = &response["status"];
        let found = json!([status["code"], status["reason"], status["message"]]);
        assert_eq!(found, expected);
        assert_eq!(status["status"], "Failure");
    }
}

#[tokio::test]
async fn field_errors_become_status_causes() {
    let says = || {
        let errors = [
            FieldError::not_supported("spec.tier", "gold", &["basic", "premium"]),
            FieldError::duplicate("spec.ports[1].name", "web"),
            FieldError::not_found("spec.class", "none"),
            FieldError::forbidden("spec.paused", "may not be set"),
            FieldError::too_long("spec.title", 1),
            FieldError::too_many("spec.ports", 3, 2),
            FieldError::immutable("spec.size", 4),
        ];
        Err(Denied::invalid(errors))
    };
    let response = deny_and_get_response(Webhooks::new().validator(Says(says))).await;
    let details = &response["status"]["details"];
    assert_eq!(
        (&details["kind"], &details["name"]),
        (&json!("ConfigMap"), &json!("settings"))
    );
    let causes: Vec<_> = details["causes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| json!([it["field"], it["reason"], it["message"]]))
        .collect();
    assert_eq!(
        Value::Array(causes),
        json!([
            [
                "spec.tier",
                "FieldValueNotSupported",
                "Unsupported value: \"gold\": supported values: \"basic\", \"premium\""
            ],
            [
                "spec.ports[1].name",
                "FieldValueDuplicate",
                "Duplicate value: \"web\""
            ],
            ["spec.class", "FieldValueNotFound", "Not found: \"none\""],
            [
                "spec.paused",
                "FieldValueForbidden",
                "Forbidden: may not be set"
            ],
            [
                "spec.title",
                "FieldValueTooLong",
                "Too long: may not be more than 1 byte"
            ],
            [
                "spec.ports",
                "FieldValueTooMany",
                "Too many: 3: must have at most 2 items"
            ],
            [
                "spec.size",
                "FieldValueInvalid",
                "Invalid value: 4: field is immutable"
            ],
        ])
    );
}

/// Validators are called one after another until one denies the request. Warnings from before the
/// denial are sent, too.
#[tokio::test]
async fn requests_are_denied_if_any_validator_denies() {
    let warns = || Says(|| Ok(["careful"].into()));
    let denies = || Says(|| Err("no".into()));
    let allowed =
        deny_and_get_response(Webhooks::new().validator(warns()).validator(warns())).await;
    assert_eq!(allowed["warnings"], json!(["careful", "careful"]));
    let panics = || Says(|| panic!("told to"));
    for (last, message) in [
        (denies(), "no"),
        (panics(), "the webhook panicked: told to"),
    ] {
        let webhooks = Webhooks::new().validator(warns()).validator(last);
        let denied = deny_and_get_response(webhooks.validator(warns())).await;
        assert_eq!(denied["allowed"], false);
        assert_eq!(denied["status"]["message"], message);
        assert_eq!(denied["warnings"], json!(["careful"]));
    }
}
