//! Tests of constraints: a valid and an invalid object for each, defaults, pruning and
//! immutability.

use e2e::ControlPlane;
use kube::api::{Api, DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Value, json};

use crate::suite::{Outcome, Suite};

const CRD: &str = include_str!(
    "../golden/schema/every_constraint/expected/config/crd/constraints.example.com_samples.yaml"
);

/// A field, a valid value, an invalid value, and a part of the reason.
const CASES: &[(&str, &str, &str, &str)] = &[
    ("minimum", "1", "0", "greater than or equal to 1"),
    ("exclusiveMinimum", "2", "1", "greater than 1"),
    ("maximum", "9", "10", "less than or equal to 9"),
    ("exclusiveMaximum", "9.4", "9.5", "less than 9.5"),
    ("multipleOf", "6", "7", "multiple of 3"),
    ("byte", "255", "256", "less than or equal to 255"),
    ("unsigned", "4294967295", "-1", "greater than or equal to 0"),
    (
        "unsigned",
        "0",
        "4294967296",
        "less than or equal to 4294967295",
    ),
    ("minLength", r#""äö""#, r#""a""#, "at least 2 chars"),
    ("maxLength", r#""äöü""#, r#""abcd""#, "than 3"),
    ("char", r#""ü""#, r#""ab""#, "than 1"),
    ("pattern", r#""12.""#, r#""12x""#, "should match"),
    ("twoPatterns", r#""abx""#, r#""1x""#, "should match"),
    ("twoPatterns", r#""x""#, r#""ab""#, "should match"),
    ("format", r#""10.0.0.1""#, r#""10.0.0""#, "ipv4"),
    ("minItems", "[1, 2]", "[1]", "at least 2 items"),
    ("maxItems", "[1, 2]", "[1, 2, 3]", "at most 2 items"),
    ("items", "[1, 2]", "[0]", "greater than or equal to 1"),
    ("items", "[2]", "[3]", "supported values"),
    ("innerItems", r#"[["a"], []]"#, r#"[["ab"]]"#, "than 1"),
    ("set", r#"["a", "b"]"#, r#"["a", "a"]"#, "Duplicate value"),
    (
        "map",
        r#"[{ "name": "a", "port": 1 }, { "name": "a", "port": 2 }]"#,
        r#"[{ "name": "a" }, { "name": "a", "port": 80 }]"#,
        "Duplicate value",
    ),
    (
        "minProperties",
        r#"{ "a": "", "b": "" }"#,
        r#"{ "a": "" }"#,
        "at least 2 properties",
    ),
    (
        "maxProperties",
        r#"{ "a": "" }"#,
        r#"{ "a": "", "b": "" }"#,
        "at most 1",
    ),
    ("values", r#"{ "a": "b" }"#, r#"{ "a": "bc" }"#, "than 1"),
    (
        "shortKeys",
        r#"{ "ab": "c" }"#,
        r#"{ "abc": "" }"#,
        "keys have 2 characters or fewer",
    ),
    (
        "keyPattern",
        r#"{ "a'\\": "c" }"#,
        r#"{ "A": "" }"#,
        "keys match",
    ),
    (
        "knownKeys",
        r#"{ "cpu": 1, "it's": 2 }"#,
        r#"{ "gpu": 1 }"#,
        "keys are one of cpu, it's",
    ),
    (
        "keyFormat",
        r#"{ "a-b": 1 }"#,
        r#"{ "a_b": 1 }"#,
        "k8s-short-name",
    ),
    ("word", r#""a""#, r#""c""#, "supported values"),
    ("units", r#""cpu""#, r#""Cpu""#, "supported values"),
    ("nullableUnits", "null", r#""Cpu""#, "supported values"),
    ("nullableUnits", r#""cpu""#, "1", "string"),
    ("nullableWord", "null", r#""c""#, "supported values"),
    ("intOrString", "1", "1.5", "integer,string"),
    ("intOrString", r#""ab""#, r#""1""#, "should match"),
    ("stated", r#""ab""#, r#""abc""#, "than 2"),
    (
        "rule",
        r#"{ "name": "a", "port": 1001 }"#,
        r#"{ "name": "a" }"#,
        "spec.rule.port: Forbidden: a low port",
    ),
    ("message", r#""a""#, r#""b""#, "not b"),
    (
        "exactlyOne",
        r#"{ "if": "x" }"#,
        "{}",
        "exactly one of the fields in [a if] must be set",
    ),
    (
        "exactlyOne",
        r#"{ "a": "x" }"#,
        r#"{ "a": "x", "if": "y" }"#,
        "exactly one",
    ),
    (
        "atMostOne",
        "{}",
        r#"{ "a": "x", "b-c": "y" }"#,
        "at most one of the fields in [a b-c] may be set",
    ),
    (
        "atLeastOne",
        r#"{ "a": "x", "b": "y" }"#,
        "{}",
        "at least one of the fields in [a b] must be set",
    ),
    (
        "required",
        r#"{ "name": "a", "port": 1 }"#,
        r#"{ "port": 1 }"#,
        "Required value",
    ),
    (
        "embedded",
        r#"{ "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "data": { "b": "c" } }"#,
        r#"{ "kind": "ConfigMap" }"#,
        "apiVersion",
    ),
];

pub(crate) fn tests(suite: &mut Suite) {
    suite.both("constraints::admit_and_refuse", admit_and_refuse);
    suite.both("constraints::fill_in_and_prune", fill_in_and_prune);
}

async fn samples(plane: &ControlPlane) -> Result<Api<DynamicObject>, libtest_mimic::Failed> {
    let applied = plane.apply_crd(CRD).await?;
    assert_eq!(applied.warnings, [""; 0]);
    let kind = GroupVersionKind::gvk("constraints.example.com", "v1", "Sample");
    let resource = ApiResource::from_gvk_with_plural(&kind, "samples");
    Ok(Api::all_with(plane.client(), &resource))
}

fn sample(spec: &Value) -> DynamicObject {
    let kind = GroupVersionKind::gvk("constraints.example.com", "v1", "Sample");
    DynamicObject::new(
        "sample",
        &ApiResource::from_gvk_with_plural(&kind, "samples"),
    )
    .data(json!({ "spec": spec }))
}

async fn admit_and_refuse(plane: &ControlPlane) -> Outcome {
    let api = samples(plane).await?;
    let dry_run = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    for (field, passing, refused, reason) in CASES {
        let spec =
            |value: &str| serde_json::from_str(value).map(|value: Value| json!({ *field: value }));
        let stored = api
            .create(&dry_run, &sample(&spec(passing)?))
            .await
            .map_err(|error| format!("{field}: {passing}: {error}"))?;
        assert_eq!(stored.data["spec"], spec(passing)?, "{field}");
        match api.create(&dry_run, &sample(&spec(refused)?)).await {
            Err(kube::Error::Api(status)) if status.message.contains(reason) => {}
            other => return Err(format!("{field}: {refused}: {other:?}").into()),
        }
    }
    Ok(())
}

async fn fill_in_and_prune(plane: &ControlPlane) -> Outcome {
    let api = samples(plane).await?;
    let given = json!({
        "required": { "name": "a", "unknown": 1 },
        "map": [{ "name": "a" }],
        "template": { "name": "a", "labels": { "b": "c" }, "finalizers": ["d"], "uid": "e" },
        "embedded": { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a", "unknown": 1 }, "kept": 1 },
        "unknown": 1,
    });
    let dry_run = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    let stored = api.create(&dry_run, &sample(&given)).await?;
    let expected = json!({
        "required": { "name": "a", "port": 80 },
        "map": [{ "name": "a", "port": 80 }],
        "template": { "name": "a", "labels": { "b": "c" }, "finalizers": ["d"] },
        "embedded": { "apiVersion": "v1", "kind": "ConfigMap", "metadata": { "name": "a" }, "kept": 1 },
    });
    assert_eq!(stored.data["spec"], expected);
    Ok(())
}
