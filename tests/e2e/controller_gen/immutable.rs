//! Tests of fields that are immutable once they are set.

use e2e::ControlPlane;
use serde_json::{Value, json};

use super::{IMMUTABLE_TYPES, Stage, refused, with};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("controller_gen::immutable_required", required);
    suite.both("controller_gen::immutable_optional", optional);
}

/// A field, and its changed value.
const REQUIRED: &[(&str, &str)] = &[
    ("requiredString", r#""changed""#),
    ("requiredStruct", r#"{ "key": "k", "value": "changed" }"#),
    ("requiredSlice", r#"["a", "c"]"#),
    ("requiredMap", r#"{ "k1": "changed" }"#),
];

/// A field, its first value, and its changed value.
const OPTIONAL: &[(&str, &str, &str)] = &[
    ("optionalString", r#""first""#, r#""second""#),
    ("optionalLiteralString", r#""first""#, r#""second""#),
    (
        "optionalStruct",
        r#"{ "key": "k", "value": "v" }"#,
        r#"{ "key": "k", "value": "changed" }"#,
    ),
    (
        "optionalOmitZeroStruct",
        r#"{ "key": "k", "value": "v" }"#,
        r#"{ "key": "k", "value": "changed" }"#,
    ),
    ("optionalSlice", r#"["x", "y"]"#, r#"["x", "z"]"#),
    ("optionalMap", r#"{ "a": "1" }"#, r#"{ "a": "2" }"#),
];

fn spec() -> Value {
    json!({
        "requiredString": "original",
        "requiredStruct": { "key": "k", "value": "v" },
        "requiredSlice": ["a", "b"],
        "requiredMap": { "k1": "v1" },
        "mutableString": "can-change",
    })
}

/// A required field is immutable; the field beside them can change.
async fn required(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(
        plane,
        IMMUTABLE_TYPES,
        "testdata.kubebuilder.io/v1",
        "ImmutableType",
    )
    .await?;
    let object = stage.create(spec()).await?;
    for (field, changed) in REQUIRED {
        let changed = with(&spec(), field, &serde_json::from_str(changed)?);
        refused(stage.update(&object, changed).await, "field is immutable")?;
        let removed = with(&spec(), field, &Value::Null);
        refused(stage.update(&object, removed).await, "Required value")?;
    }
    let updated = with(&spec(), "mutableString", &json!("updated"));
    stage.update(&object, updated).await?;
    Ok(())
}

/// An optional field is set once, and can then be neither changed nor removed.
async fn optional(plane: &ControlPlane) -> Outcome {
    let stage = Stage::new(
        plane,
        IMMUTABLE_TYPES,
        "testdata.kubebuilder.io/v1",
        "ImmutableType",
    )
    .await?;
    for (field, first, second) in OPTIONAL {
        let object = stage.create(spec()).await?;
        let set = with(&spec(), field, &serde_json::from_str(first)?);
        let object = stage.update(&object, set).await?;
        let changed = with(&spec(), field, &serde_json::from_str(second)?);
        refused(stage.update(&object, changed).await, "field is immutable")?;
        let words = format!("field {field} is immutable once set");
        refused(stage.update(&object, spec()).await, &words)?;
    }
    Ok(())
}
