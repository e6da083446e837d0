//! Cases of `TestExtractInto` (apimachinery, pkg/util/managedfields/extract_test.go). Each object
//! is extracted from a Rust type and from an unstructured object.

use genclient::applyconfiguration::extract;
use genclient::kube::core::DynamicObject;
use k8s_openapi::api::apps::v1::Deployment;
use serde_json::{Value, json};

use super::kinds::DeploymentApply;

struct Case {
    name: &'static str,
    object: Value,
    /// Manager, subresource and owned fields.
    entries: Vec<(&'static str, &'static str, Value)>,
    manager: &'static str,
    subresource: &'static str,
    expected: Value,
}

fn cases() -> [Case; 4] {
    let replicas = json!({ "f:spec": { "f:replicas": {} } });
    let paused = json!({ "f:spec": { "f:paused": {} } });
    [
        Case {
            name: "no matching manager",
            object: json!({ "spec": { "replicas": 1 } }),
            entries: vec![("mgr999", "", replicas.clone())],
            manager: "mgr1",
            subresource: "",
            expected: json!({}),
        },
        Case {
            name: "one manager",
            object: json!({ "spec": { "replicas": 1 } }),
            entries: vec![("mgr1", "", replicas.clone())],
            manager: "mgr1",
            subresource: "",
            expected: json!({ "spec": { "replicas": 1 } }),
        },
        Case {
            name: "multiple managers",
            object: json!({ "spec": { "replicas": 1, "paused": true } }),
            entries: vec![("mgr1", "", replicas), ("mgr2", "", paused)],
            manager: "mgr2",
            subresource: "",
            expected: json!({ "spec": { "paused": true } }),
        },
        Case {
            name: "subresource",
            object: json!({ "status": { "replicas": 1 } }),
            entries: vec![(
                "mgr1",
                "status",
                json!({ "f:status": { "f:replicas": {} } }),
            )],
            manager: "mgr1",
            subresource: "status",
            expected: json!({ "status": { "replicas": 1 } }),
        },
    ]
}

#[test]
fn fields_of_a_manager_are_extracted_as_by_client_go() {
    for case in cases() {
        let entry = |(manager, subresource, fields): &(&str, &str, Value)| {
            json!({
                "manager": manager,
                "operation": "Apply",
                "apiVersion": "apps/v1",
                "fieldsType": "FieldsV1",
                "fieldsV1": fields,
                "subresource": subresource,
            })
        };
        let mut object = case.object;
        object["apiVersion"] = json!("apps/v1");
        object["kind"] = json!("Deployment");
        object["metadata"] = json!({
            "name": "web",
            "namespace": "default",
            "managedFields": case.entries.iter().map(entry).collect::<Vec<_>>(),
        });
        let mut expected = case.expected;
        expected["apiVersion"] = json!("apps/v1");
        expected["kind"] = json!("Deployment");
        expected["metadata"] = json!({ "name": "web", "namespace": "default" });

        let dynamic: DynamicObject = serde_json::from_value(object.clone()).unwrap();
        let typed: Deployment = serde_json::from_value(object).unwrap();
        for extracted in [
            extract::<DeploymentApply>(&dynamic, case.manager, case.subresource),
            extract::<DeploymentApply>(&typed, case.manager, case.subresource),
        ] {
            let extracted = serde_json::to_value(extracted.unwrap()).unwrap();
            assert_eq!(extracted, expected, "{}", case.name);
        }
    }
}
