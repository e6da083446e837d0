//! Tests of merged constraints of a field and its type: narrower in our CRD than in
//! controller-gen's, with the same valid values.

use e2e::ControlPlane;
use serde_json::{Value, json};

use super::{MERGINGS, Stage};
use crate::suite::{Outcome, Suite};

pub(super) fn tests(suite: &mut Suite) {
    suite.both("controller_gen::merged_constraints", merged_constraints);
}

const THEIRS: &str = include_str!("../../controller-gen/merging.json");

/// A field, values that are valid in both CRDs, and values that are invalid in both.
const PROBES: &[(&str, &str, &str)] = &[
    (
        "widerLength",
        r#"["ab", "abcdefgh"]"#,
        r#"["a", "abcdefghi", "AB"]"#,
    ),
    (
        "narrowerLength",
        r#"["abc", "abcde"]"#,
        r#"["ab", "abcdef", "ABC"]"#,
    ),
    (
        "narrowerMinLength",
        r#"["abc", "abcdefgh"]"#,
        r#"["ab", "abcdefghi"]"#,
    ),
    (
        "same",
        r#"["ab", "abcdefgh"]"#,
        r#"["a", "abcdefghi", "AB"]"#,
    ),
    ("twoPatterns", r#"["ab"]"#, r#"["bc", "aB", "a"]"#),
    (
        "patternAndLength",
        r#"["ab", "abcde"]"#,
        r#"["bc", "abcdef", "a1"]"#,
    ),
    ("twoEnums", r#"["b", "c"]"#, r#"["d", "e"]"#),
    ("enumAndLength", r#"["a"]"#, r#"["d", ""]"#),
    ("enumAndDefault", r#"["b"]"#, r#"["d"]"#),
    (
        "formatAndLength",
        r#"["10.0.0.1"]"#,
        r#"["10.0.0.10", "10.0"]"#,
    ),
    ("narrowerBounds", "[10, 20]", "[8, 22, 11]"),
    ("widerBounds", "[2, 100]", "[0, 102, 3]"),
    ("exclusiveBound", "[2, 98]", "[102, 3, 0]"),
    ("widerExclusiveBound", "[2, 100]", "[102, 3]"),
    ("twoFactors", "[6, 96]", "[2, 3, 4]"),
    ("factorOfFactor", "[4, 100]", "[2, 6]"),
    (
        "twoItemCounts",
        r#"[["aa", "bb"], ["aa", "bb", "cc"]]"#,
        r#"[["aa"], ["aa", "bb", "cc", "dd"], ["aa", "b"]]"#,
    ),
    ("sameListType", r#"[["aa"]]"#, r#"[["aa", "aa"], []]"#),
    (
        "twoMemberCounts",
        r#"[{ "a": "", "b": "" }, { "a": "", "b": "", "c": "" }]"#,
        r#"[{ "a": "" }, { "a": "", "b": "", "c": "", "d": "" }]"#,
    ),
    ("mapTypeOfField", r#"[{ "a": "" }]"#, "[{}]"),
    (
        "twoRules",
        r#"[{ "a": "a", "b": "b" }]"#,
        r#"[{ "a": "", "b": "b" }, { "a": "a", "b": "a" }]"#,
    ),
    (
        "marksOfField",
        r#"[null, { "a": "a", "b": "b", "c": 1 }]"#,
        r#"[{ "a": "a", "b": "a" }, { "a": "a" }]"#,
    ),
];

/// Values that are valid only in controller-gen's CRD, where it loses a constraint of the field.
const LOST: &[(&str, &str)] = &[("exclusiveBound", "100"), ("twoEnums", r#""a""#)];

async fn merged_constraints(plane: &ControlPlane) -> Outcome {
    let ours = Stage::new(plane, MERGINGS, "merging.example.com/v1", "Merging").await?;
    let theirs = THEIRS.replace("merging.example.com", "theirs.example.com");
    let theirs = with_type(serde_json::from_str(&theirs)?).to_string();
    let theirs = Stage::new(plane, &theirs, "theirs.example.com/v1", "Merging").await?;
    for (field, admitted, refused) in PROBES {
        for (values, admitted) in [(admitted, true), (refused, false)] {
            for value in serde_json::from_str::<Vec<Value>>(values)? {
                let spec = json!({ *field: value });
                for (who, stage) in [("ours", &ours), ("theirs", &theirs)] {
                    let answer = stage.create(spec.clone()).await;
                    assert_eq!(answer.is_ok(), admitted, "{who}: {spec}: {answer:?}");
                }
            }
        }
    }
    for (field, value) in LOST {
        let spec = json!({ *field: serde_json::from_str::<Value>(value)? });
        theirs.create(spec.clone()).await?;
        assert!(ours.create(spec.clone()).await.is_err(), "{spec}");
    }
    Ok(())
}

/// Returns a complete CRD: the file has the generated part, without the fields that all CRDs share.
fn with_type(mut crd: Value) -> Value {
    crd["apiVersion"] = "apiextensions.k8s.io/v1".into();
    crd["kind"] = "CustomResourceDefinition".into();
    crd
}
