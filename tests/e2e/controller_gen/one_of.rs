//! Tests of `oneOf` between fields: valid and invalid specs.

use e2e::ControlPlane;
use serde_json::{Value, json};

use super::{ONE_OFS, Stage, refused};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("controller_gen::choices", choices);
    suite.both(
        "controller_gen::null_does_not_count_as_a_choice",
        null_does_not_count_as_a_choice,
    );
}

/// A spec, and the API server's error; empty if it is valid.
const SPECS: &[(&str, &str)] = &[
    (
        r#"{ "firstTypeWithOneof": { "foo": "foo" }, "secondTypeWithOneof": { "a": "a" },
             "firstTypeWithExactOneof": { "foo": "foo" }, "secondTypeWithExactOneof": { "a": "a", "c": "c" } }"#,
        "",
    ),
    ("{}", ""),
    (
        r#"{ "firstTypeWithOneof": { "foo": "foo", "bar": "bar" }, "firstTypeWithExactOneof": { "foo": "foo" },
             "secondTypeWithExactOneof": { "a": "a", "c": "c" } }"#,
        "spec.firstTypeWithOneof: Invalid value: at most one of the fields in [foo bar] may be set",
    ),
    (
        r#"{ "firstTypeWithOneof": { "foo": "foo" }, "firstTypeWithExactOneof": { "foo": "foo" },
             "secondTypeWithExactOneof": { "a": "a", "c": "c", "d": "d" } }"#,
        "spec.secondTypeWithExactOneof: Invalid value: exactly one of the fields in [c d] must be set",
    ),
    (
        r#"{ "firstTypeWithExactOneof": { "foo": "foo" }, "secondTypeWithExactOneof": { "a": "a" } }"#,
        "spec.secondTypeWithExactOneof: Invalid value: exactly one of the fields in [c d] must be set",
    ),
    (
        r#"{ "typeWithAllOneOf": { "c": "c" } }"#,
        "spec.typeWithAllOneOf: Invalid value: at least one of the fields in [e f] must be set",
    ),
    (r#"{ "typeWithOmitZero": { "foo": "foo" } }"#, ""),
    (
        r#"{ "typeWithOmitZero": { "foo": "foo", "bar": "bar" } }"#,
        "spec.typeWithOmitZero: Invalid value: at most one of the fields in [foo bar] may be set",
    ),
    (r#"{ "typeWithOmitZeroExact": { "a": "a" } }"#, ""),
    (
        r#"{ "typeWithOmitZeroExact": { "a": "a", "b": "b" } }"#,
        "spec.typeWithOmitZeroExact: Invalid value: exactly one of the fields in [a b] must be set",
    ),
    (
        r#"{ "typeWithOmitZeroExact": {} }"#,
        "spec.typeWithOmitZeroExact: Invalid value: exactly one of the fields in [a b] must be set",
    ),
    (r#"{ "typeWithOmitZeroAtLeastOneOf": { "c": "c" } }"#, ""),
    (
        r#"{ "typeWithOmitZeroAtLeastOneOf": {} }"#,
        "spec.typeWithOmitZeroAtLeastOneOf: Invalid value: at least one of the fields in [c d] must be set",
    ),
    (
        r#"{ "firstCustomTypeAlias": 99 }"#,
        "spec.firstCustomTypeAlias: Invalid value: 99: invalid CustomTypeAlias value",
    ),
    (r#"{ "secondCustomTypeAlias": 100 }"#, ""),
];

async fn choices(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane, ONE_OFS, "testdata.kubebuilder.io/v1beta1", "Oneof").await?;
    for (spec, words) in SPECS {
        let spec: Value = serde_json::from_str(spec)?;
        let created = stage.create(spec.clone()).await;
        if words.is_empty() {
            assert_eq!(created?.data["spec"], spec);
        } else {
            refused(created, words)?;
        }
    }
    Ok(())
}

/// A field that serde writes as null is not set.
async fn null_does_not_count_as_a_choice(plane: &ControlPlane) -> Outcome {
    let crd = ONE_OFS.replace("testdata.kubebuilder.io", "nulls.example.com");
    let mut crd: Value = serde_saphyr::from_str(&crd)?;
    let spec = "/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties";
    for (choice, field) in NULLABLE {
        let field = crd.pointer_mut(&format!("{spec}/{choice}/properties/{field}"));
        field.ok_or("no such field")?["nullable"] = true.into();
    }
    let stage = Stage::new(
        plane,
        &crd.to_string(),
        "nulls.example.com/v1beta1",
        "Oneof",
    )
    .await?;
    let one = json!({ "foo": null, "bar": "bar" });
    let none = json!({ "foo": null, "bar": null });
    for choice in ["firstTypeWithOneof", "firstTypeWithExactOneof"] {
        let created = stage.create(json!({ choice: one })).await?;
        assert_eq!(created.data["spec"][choice], one);
    }
    stage.create(json!({ "firstTypeWithOneof": none })).await?;
    let words = "exactly one of the fields in [foo bar] must be set";
    refused(
        stage
            .create(json!({ "firstTypeWithExactOneof": none }))
            .await,
        words,
    )
}

const NULLABLE: [(&str, &str); 4] = [
    ("firstTypeWithOneof", "foo"),
    ("firstTypeWithOneof", "bar"),
    ("firstTypeWithExactOneof", "foo"),
    ("firstTypeWithExactOneof", "bar"),
];
