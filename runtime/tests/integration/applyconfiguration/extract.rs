//! Extraction by the form of the owned fields, and its errors.

use std::collections::BTreeMap;

use genclient::applyconfiguration::{ExtractError, extract};
use genclient::kube::core::DynamicObject;
use k8s_openapi::api::core::v1::Pod;
use serde::Deserialize;
use serde_json::{Value, json};

use super::kinds::GatewayApply;
use super::kinds::v1::Gateway;

/// Entry of the managed fields in `example.com/v1`.
fn entry(manager: &str, operation: &str, subresource: &str, fields: &Value) -> Value {
    json!({
        "manager": manager,
        "operation": operation,
        "apiVersion": "example.com/v1",
        "fieldsType": "FieldsV1",
        "fieldsV1": fields,
        "subresource": subresource,
    })
}

/// Adds type meta, and the metadata `name` and `namespace`.
fn gateway(mut object: Value) -> Value {
    object["apiVersion"] = json!("example.com/v1");
    object["kind"] = json!("Gateway");
    object["metadata"]["name"] = json!("web");
    object["metadata"]["namespace"] = json!("default");
    object
}

fn extract_from_dynamic(object: &Value, subresource: &str) -> Result<Value, ExtractError> {
    let object: DynamicObject = serde_json::from_value(object.clone()).unwrap();
    to_json(extract(&object, "own", subresource))
}

fn extract_from_typed(object: &Value, subresource: &str) -> Result<Value, ExtractError> {
    let object: Gateway = serde_json::from_value(object.clone()).unwrap();
    to_json(extract(&object, "own", subresource))
}

fn to_json(extracted: Result<GatewayApply, ExtractError>) -> Result<Value, ExtractError> {
    extracted.map(|config| serde_json::to_value(config).unwrap())
}

#[derive(Deserialize)]
struct Form {
    name: String,
    object: Value,
    /// Fields of the manager.
    owned: Value,
    extracted: Value,
}

#[test]
fn owned_fields_are_extracted_in_each_form() {
    let taken = json!({ "f:spec": {
        "f:backends": { "f:a": { "f:url": {} } },
        "f:devices": { "k:{\"driver\":\"a\",\"share\":\"taken\"}": { ".": {}, "f:driver": {}, "f:share": {} } },
        "f:extra": { "f:a": { "v:\"taken\"": {} } },
        "f:template": { "f:spec": { "f:containers": { "k:{\"name\":\"taken\"}": { ".": {}, "f:name": {} } } } },
    } });
    let forms: Vec<Form> = serde_json::from_str(include_str!("forms.json")).unwrap();
    for form in forms {
        let mut object = gateway(form.object);
        // The entries of 30 managers, among them the same one with updates and another subresource.
        let mut entries: Vec<_> = (0..27)
            .map(|at| entry(&format!("other-{at}"), "Apply", "", &taken))
            .collect();
        entries.push(entry("own", "Update", "", &taken));
        entries.push(entry("own", "Apply", "status", &taken));
        entries.push(entry("own", "Apply", "", &form.owned));
        object["metadata"]["managedFields"] = json!(entries);
        let expected = Ok(gateway(form.extracted));
        assert_eq!(extract_from_dynamic(&object, ""), expected, "{}", form.name);
        if object["spec"].is_null() {
            object["spec"] = json!({});
        }
        assert_eq!(extract_from_typed(&object, ""), expected, "{}", form.name);
    }
}

/// Fields of the manager in a spec that cannot be extracted.
#[derive(Deserialize)]
struct Failure {
    name: String,
    spec: Value,
    owned: Value,
    /// Fields of other managers by their `apiVersion`.
    #[serde(default)]
    others: BTreeMap<String, Value>,
    /// For a `DynamicObject`.
    dynamic: Outcome,
    /// For the Rust type, which has no field `novel`.
    typed: Outcome,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Outcome {
    /// Variant of the error, path, and for `Partial` the reason.
    Error(Vec<String>),
    /// What is extracted.
    Fields(Value),
}

/// Returns the message of an error. `advice` is that of `Incomplete` for the form of the object.
fn message(words: &[String], advice: &str) -> String {
    match words.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["Incomplete", path] => format!(
            "Gateway `web` does not have `{path}`, which `own` has applied: {advice}; if the field was renamed or removed, apply all fields of `own` once without `extract`"
        ),
        ["Ambiguous", path] => format!(
            "`own` may have applied `{path}` of Gateway `web` as an empty value, to which another manager has added in `example.com/v1beta1`: apply all fields of `own` without `extract`"
        ),
        ["Partial", path, reason] => format!(
            "`own` has applied only a part of `{path}` of Gateway `web`, which an apply configuration cannot state alone ({reason}): apply all fields of `own` once without `extract`, with what this part lacks"
        ),
        ["Inexpressible", path] => format!(
            "an apply configuration of Gateway cannot state `{path}` as `own` has applied it: apply all fields of `own` once without `extract`"
        ),
        _ => panic!("unknown error {words:?}"),
    }
}

#[test]
fn field_that_would_be_lost_is_an_error() {
    let failures: Vec<Failure> = serde_json::from_str(include_str!("failures.json")).unwrap();
    for failure in failures {
        let mut object = gateway(json!({ "spec": failure.spec }));
        let mut entries = vec![entry(
            "own",
            "Apply",
            "",
            &json!({ "f:spec": failure.owned }),
        )];
        for (version, fields) in failure.others {
            let mut other = entry("other", "Apply", "", &json!({ "f:spec": fields }));
            other["apiVersion"] = version.into();
            entries.push(other);
        }
        object["metadata"]["managedFields"] = json!(entries);
        for (extracted, expected, advice) in [
            (
                extract_from_dynamic(&object, ""),
                failure.dynamic,
                "if it was changed after it was read, extract from the object as it was read",
            ),
            (
                extract_from_typed(&object, ""),
                failure.typed,
                "if only its Rust type lacks the field, read it as a `DynamicObject`",
            ),
        ] {
            let expected = match expected {
                Outcome::Fields(fields) => Ok(gateway(fields)),
                Outcome::Error(words) => Err(message(&words, advice)),
            };
            let extracted = extracted.map_err(|error| error.to_string());
            assert_eq!(extracted, expected, "{}", failure.name);
        }
    }
}

#[test]
fn managed_fields_must_be_present_readable_and_of_the_version() {
    let own = |fields: Value| entry("own", "Apply", "", &fields);
    let class = own(json!({ "f:spec": { "f:class": {} } }));
    let with = |member: &str, value: Value| {
        let mut entry = class.clone();
        entry[member] = value;
        json!([entry])
    };
    for (managed_fields, expected) in [
        (
            json!([]),
            "Gateway `web` has no managed fields: objects of informers lack them, so read it with `get`",
        ),
        (
            with("apiVersion", json!("example.com/v1beta1")),
            "`own` has applied Gateway `web` in `example.com/v1beta1`, not in `example.com/v1`: extract its configuration of `example.com/v1beta1`, or apply all its fields in `example.com/v1` once",
        ),
        (
            with("fieldsV1", json!({ "f:spec": 1 })),
            "the managed fields of `own` in Gateway `web` are malformed: expected an object",
        ),
        (
            with("fieldsType", json!("FieldsV2")),
            "the managed fields of `own` in Gateway `web` are malformed: unknown fields type `FieldsV2`",
        ),
        (
            json!([own(json!({ "f:spec": { "f:weight": {} } }))]),
            "cannot read `.spec.weight` of Gateway `web` as `own` has applied it: invalid type: string, expected f64; apply all fields of `own` once without `extract`",
        ),
    ] {
        let mut object = gateway(json!({ "spec": { "class": "a", "weight": "secret" } }));
        object["metadata"]["managedFields"] = managed_fields;
        let error = extract_from_dynamic(&object, "").unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn an_object_of_another_kind_is_an_error() {
    let error = extract::<GatewayApply>(&Pod::default(), "own", "").unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot extract a configuration of `example.com/v1 Gateway` from Gateway ``, which is `v1 Pod`: read it as `example.com/v1 Gateway`"
    );
    let mut other = gateway(json!({}));
    other["apiVersion"] = json!("example.com/v2");
    let error = extract_from_dynamic(&other, "").unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot extract a configuration of `example.com/v1 Gateway` from Gateway `web`, which is `example.com/v2 Gateway`: read it as `example.com/v1 Gateway`"
    );
}

#[test]
fn only_applied_fields_of_the_manager_and_subresource_are_extracted() {
    let mut object = gateway(json!({ "spec": { "class": "a" }, "status": { "ready": true } }));
    let (class, ready) = (
        json!({ "f:spec": { "f:class": {} } }),
        json!({ "f:status": { "f:ready": {} } }),
    );
    object["metadata"]["managedFields"] = json!([
        entry("own", "Update", "", &class),
        entry("other", "Apply", "", &class),
        entry("own", "Apply", "status", &ready),
    ]);
    for (subresource, expected) in [
        ("", json!({})),
        ("scale", json!({})),
        ("status", json!({ "status": { "ready": true } })),
    ] {
        let expected = Ok(gateway(expected));
        assert_eq!(extract_from_dynamic(&object, subresource), expected);
        assert_eq!(extract_from_typed(&object, subresource), expected);
    }
}

/// Deeper objects are not read at all.
#[test]
fn deeply_nested_fields_are_extracted() {
    let (mut extra, mut fields) = (json!(1), json!({}));
    for _ in 0..240 {
        extra = json!({ "a": extra });
        fields = json!({ "f:a": fields });
    }
    let mut object = gateway(json!({ "spec": { "extra": extra } }));
    let expected = Ok(object.clone());
    let fields = json!({ "f:spec": { "f:extra": fields } });
    object["metadata"]["managedFields"] = json!([entry("own", "Apply", "", &fields)]);
    assert_eq!(extract_from_dynamic(&object, ""), expected);
}
