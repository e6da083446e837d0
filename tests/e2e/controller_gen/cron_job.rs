//! Tests of the `CronJob` fixture, which has a field for nearly every feature.

use e2e::ControlPlane;
use serde_json::{Value, json};

use super::{CRON_JOBS, Stage, refused, with};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("controller_gen::cron_job_defaults", defaults);
    suite.both("controller_gen::cron_job_constraints", constraints);
}

/// Returns the smallest valid spec.
fn spec() -> Value {
    let associative = json!([{ "name": "a", "secondary": 1, "foo": "b" }]);
    let nested = json!({ "foo": "a", "bar": true });
    let embedded = json!({ "apiVersion": "v1", "kind": "ConfigMap", "data": { "a": "b" } });
    let container = json!({ "name": "a", "image": "b" });
    let template = json!({ "spec": { "containers": [container], "restartPolicy": "Never" } });
    json!({
        "schedule": "* * * * *",
        "binaryName": "YQ==",
        "canBeNull": null,
        "jobTemplate": { "spec": { "template": template } },
        "twoOfAKindPart0": "long enough",
        "twoOfAKindPart1": "long enough",
        "patternObject": "",
        "embeddedResource": embedded,
        "unprunedJSON": { "foo": "a", "bar": true, "more": 1 },
        "unprunedEmbeddedResource": embedded,
        "unprunedFomType": { "concreteField": "a", "more": 1 },
        "unprunedFomTypeAndField": { "concreteField": "a", "more": 1 },
        "associativeList": associative,
        "k8sAssociativeList": associative,
        "nestedassociativeList": associative,
        "k8sNestedAssociativeList": associative,
        "mapOfInfo": { "a": "YQ==" },
        "nestedMapOfInfo": { "a": "YQ==" },
        "structWithSeveralFields": nested,
        "nestedStructWithSeveralFields": nested,
        "nestedStructWithSeveralFieldsDoubleMarked": nested,
        "explicitlyRequiredKubebuilder": "a",
        "explicitlyRequiredKubernetes": "a",
        "explicitlyRequiredK8s": "a",
        "floatWithValidations": 1.5,
        "float64WithValidations": -0.5,
        "intWithValidations": -2,
        "int32WithValidations": 2,
        "foo": "a",
        "baz": "a",
        "stringPair": ["a", "b"],
    })
}

/// A field, and its default.
const DEFAULTS: &[(&str, &str)] = &[
    ("defaultedString", r#""forty-two""#),
    ("defaultedSlice", r#"["a", "b"]"#),
    (
        "defaultedObject",
        r#"[{ "nested": { "foo": "baz", "bar": true } }, { "nested": { "foo": "qux", "bar": false } }]"#,
    ),
    ("defaultedEmptySlice", "[]"),
    ("defaultedEmptyMap", "{}"),
    ("defaultedEmptyObject", r#"{ "foo": "forty-two" }"#),
    ("doubleDefaultedString", r#""kubebuilder-default""#),
    ("kubernetesDefaultedRef", r#""defaultRefValue""#),
    ("protocol", r#""TCP""#),
];

async fn defaults(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane, CRON_JOBS, "testdata.kubebuilder.io/v1", "CronJob").await?;
    let stored = stage.create(spec()).await?.data["spec"].take();
    for (member, value) in DEFAULTS {
        let value: Value = serde_json::from_str(value)?;
        assert_eq!(stored[member], value, "{member}");
    }
    for (member, value) in spec().as_object().into_iter().flatten() {
        if member != "jobTemplate" {
            assert_eq!(&stored[member], value, "{member}");
        }
    }
    Ok(())
}

/// A field, a valid value, an invalid one, and a part of the error.
const CONSTRAINTS: &[(&str, &str, &str, &str)] = &[
    (
        "concurrencyPolicy",
        r#""Allow""#,
        r#""Both""#,
        "Unsupported value",
    ),
    (
        "noReallySuspend",
        r#""true""#,
        "true",
        "must be of type string",
    ),
    ("binaryName", r#""""#, r#""a""#, "must be of type byte"),
    (
        "ptrData",
        r#"{ "a": null }"#,
        r#"{ "a": 1 }"#,
        "must be of type string",
    ),
    (
        "twoOfAKindPart1",
        r#""long""#,
        r#""no""#,
        "should be at least 4 chars long",
    ),
    ("hostsAlias", r#"["a.b"]"#, r#"["a_b"]"#, "should match"),
    (
        "k8sSetList",
        r#"["a", "b"]"#,
        r#"["a", "a"]"#,
        "Duplicate value",
    ),
    (
        "minMaxProperties",
        r#"{ "foo": "a" }"#,
        "{}",
        "should have at least 1 properties",
    ),
    (
        "intOrStringWithAPattern",
        r#""12%""#,
        r#""123456789012""#,
        "may not be more than 11 bytes",
    ),
    (
        "intOrStringWithAPattern",
        "12",
        r#""12 pears""#,
        "should match",
    ),
    ("intOrStringWithEnum", "2", "3", "Unsupported value"),
    (
        "intOrStringWithEnum",
        r#""foo""#,
        r#""baz""#,
        "Unsupported value",
    ),
    ("enumSlice", "[0, 3]", "[2]", "Unsupported value"),
    (
        "array",
        "[1, 2, 3]",
        "[1, 2]",
        "should have at least 3 items",
    ),
    (
        "fieldLevelAliasOverride",
        r#""0123456789""#,
        r#""01234567890""#,
        "may not be more than 10 bytes",
    ),
    (
        "fieldLevelLocalDeclarationOverride",
        r#""0123456789""#,
        r#""012345678""#,
        "should be at least 10 chars long",
    ),
    (
        "locallyBoundedInteger",
        "10",
        "11",
        "should be less than or equal to 10",
    ),
    (
        "onlyAllowSettingOnUpdate",
        "0",
        "1",
        "must be set to 0 on creation",
    ),
    (
        "stringWithEvenLengthAndGoodPrefix",
        r#""good-1""#,
        r#""good-""#,
        "must have even length",
    ),
    (
        "stringWithEvenLengthAndGoodPrefix",
        r#""good-1""#,
        r#""bad-12""#,
        "must have good prefix",
    ),
    (
        "stringWithEvenLengthAndMessageExpression",
        r#""ab""#,
        r#""abc""#,
        "abc has odd length, must be even",
    ),
];

async fn constraints(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(plane, CRON_JOBS, "testdata.kubebuilder.io/v1", "CronJob").await?;
    for (member, right, wrong, words) in CONSTRAINTS {
        let right = with(&spec(), member, &serde_json::from_str(right)?);
        let object = stage.create(right).await;
        object.map_err(|error| format!("{member}: {error}"))?;
        let wrong = with(&spec(), member, &serde_json::from_str(wrong)?);
        refused(stage.create(wrong).await, words)?;
    }
    let object = stage.create(spec()).await?;
    let forbidden = with(&spec(), "forbiddenInt", &json!(1));
    let words = "spec.forbiddenInt: Forbidden: forbiddenInt is not allowed";
    refused(stage.update(&object, forbidden).await, words)
}
