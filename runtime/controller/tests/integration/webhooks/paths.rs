//! Tests of custom paths of webhooks.

use genclient_controller::webhook::{
    Admission, Change, Defaulter, Denied, Validator, Warnings, Webhooks,
};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use super::{admission_review, post_body};

/// A defaulter and a validator at paths of their own.
struct AtPath;

/// A defaulter and a validator at their default paths.
struct AtDefault;

/// Adds a label, so that the answer has a patch.
fn add_label(map: &mut ConfigMap) -> Result<(), Denied> {
    let labels = map.metadata.labels.get_or_insert_default();
    labels.insert("label".to_owned(), "set".to_owned());
    Ok(())
}

impl Defaulter for AtPath {
    type Object = ConfigMap;
    const PATH: Option<&'static str> = Some("/custom-defaulting");

    async fn set_defaults(&self, map: &mut ConfigMap, _: &Admission) -> Result<(), Denied> {
        add_label(map)
    }
}

impl Validator for AtPath {
    type Object = ConfigMap;
    const PATH: Option<&'static str> = Some("/custom/validating");

    async fn validate(&self, _: Change<ConfigMap>, _: &Admission) -> Result<Warnings, Denied> {
        Ok(Warnings::none())
    }
}

impl Defaulter for AtDefault {
    type Object = ConfigMap;

    async fn set_defaults(&self, map: &mut ConfigMap, _: &Admission) -> Result<(), Denied> {
        add_label(map)
    }
}

impl Validator for AtDefault {
    type Object = ConfigMap;

    async fn validate(&self, _: Change<ConfigMap>, _: &Admission) -> Result<Warnings, Denied> {
        Ok(Warnings::none())
    }
}

/// The answer of each path: not found, allowed, or allowed with a patch.
#[tokio::test]
async fn custom_paths_replace_the_default_paths() {
    let paths = [
        "/mutate--v1-configmap",
        "/validate--v1-configmap",
        "/custom-defaulting",
        "/custom/validating",
    ];
    let none = Webhooks::new;
    let (absent, allows, patches) = ("not found", "allowed", "patched");
    for (name, webhooks, expected) in [
        (
            "a defaulter",
            none().defaulter(AtDefault),
            [patches, absent, absent, absent],
        ),
        (
            "a defaulter with a path",
            none().defaulter(AtPath),
            [absent, absent, patches, absent],
        ),
        (
            "a validator",
            none().validator(AtDefault),
            [absent, allows, absent, absent],
        ),
        (
            "a validator with a path",
            none().validator(AtPath),
            [absent, absent, absent, allows],
        ),
        (
            "both",
            none().defaulter(AtDefault).validator(AtDefault),
            [patches, allows, absent, absent],
        ),
        (
            "both with paths",
            none().defaulter(AtPath).validator(AtPath),
            [absent, absent, patches, allows],
        ),
        (
            "a defaulter with a path and a validator",
            none().defaulter(AtPath).validator(AtDefault),
            [absent, allows, patches, absent],
        ),
        (
            "a defaulter and a validator with a path",
            none().defaulter(AtDefault).validator(AtPath),
            [patches, absent, absent, allows],
        ),
    ] {
        let service = webhooks.into_service().unwrap();
        let review = admission_review("CREATE", json!({}), Value::Null).to_string();
        for (path, expected) in paths.into_iter().zip(expected) {
            let (status, answer) = post_body(&service, path, review.clone()).await;
            let response = &answer["response"];
            let found = match (status.as_u16(), response.get("patch")) {
                (404, _) => absent,
                (_, None) if response["allowed"] == true => allows,
                (_, Some(_)) if response["allowed"] == true => patches,
                _ => panic!("{name}: {path}: {status} {answer}"),
            };
            assert_eq!(found, expected, "{name}: {path}");
        }
    }
}
