//! Tests with recorded verdicts of the API server on values. An e2e test keeps them up to date.

use serde_json::Value;

use crate::{JsonType, Schema};

pub(crate) const ROWS: &str = include_str!("../../../../tests/e2e/values.txt");

#[test]
fn hundred_thousand_violations_are_found_in_linear_time() {
    let schema = Schema {
        items: Some(Schema::typed(JsonType::String).into()),
        ..Schema::typed(JsonType::Array)
    };
    let value = Value::from(vec![1; 100_000]);
    assert_eq!(super::mistakes(&schema, &value).len(), 100_000);
}

#[test]
fn value_verdicts_match_the_api_server() {
    let mut schema = Schema::default();
    let mut wrong = Vec::new();
    for (number, line) in ROWS.lines().enumerate() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (verdict, json) = line.split_once(' ').unwrap();
        if verdict == "schema" {
            schema = serde_json::from_str(json).unwrap();
            continue;
        }
        let value = serde_json::from_str(json).unwrap();
        let admitted = super::violations(&schema, &value).is_empty();
        if admitted != matches!(verdict, "ok" | "??") {
            wrong.push(format!("values.txt:{}: {line}", number + 1));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
