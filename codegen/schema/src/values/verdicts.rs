//! Recorded verdicts of the API server on values. An e2e test compares them with a running server.

use crate::Schema;

pub(crate) const ROWS: &str = include_str!("../../../../tests/e2e/values.txt");

#[test]
fn the_check_says_what_the_api_server_says() {
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
