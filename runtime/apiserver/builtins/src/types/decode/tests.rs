use serde_json::json;

use super::*;

fn decoded(kind: [&str; 3], value: &Value) -> Result<DecodedObject, DecodeError> {
    decode(value, GoType::of_kind(kind[0], kind[1], kind[2]).unwrap())
}

#[test]
fn omitempty_fields_are_dropped_and_others_added() {
    let body = json!({"spec": {"paused": false, "replicas": 0}, "metadata": {"labels": {}}});
    let expected = json!({
        "metadata": {},
        "spec": {
            "replicas": 0, "selector": null, "strategy": {},
            "template": {"metadata": {}, "spec": {"containers": null}},
        },
        "status": {},
    });
    let value = decoded(["apps", "v1", "Deployment"], &body).unwrap().value;
    assert_eq!(value, expected);
}

#[test]
fn unknown_fields_are_reported_with_their_path() {
    let body = json!({"spec": {"template": {"spec": {"containers": [{"x": 1}]}}}, "y": {}});
    let unknown = decoded(["apps", "v1", "Deployment"], &body)
        .unwrap()
        .unknown;
    let expected = [
        r#"unknown field "y""#,
        r#"unknown field "spec.template.spec.containers[0].x""#,
    ];
    assert_eq!(unknown, expected);
}
