//! Tests of values: the API server's verdict on each row of `values.txt`. A unit test compares the
//! generator's own check with the same table, without a server.

use e2e::ControlPlane;
use kube::Client;
use kube::api::{Api, DynamicObject};
use kube::core::{ApiResource, GroupVersionKind};
use serde_json::{Map, Value, json};

use crate::suite::{Outcome, Suite};
use crate::verdicts::{self, Verdict};

const TABLE: &str = include_str!("values.txt");

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "values::verdicts_match_the_recorded_table",
        verdicts_match_the_recorded_table,
    );
}

/// A value of one of the schemas.
struct Row {
    verdict: Verdict,
    /// The property with its schema.
    property: String,
    value: Value,
}

async fn verdicts_match_the_recorded_table(plane: &ControlPlane) -> Outcome {
    let (schemas, rows) = table()?;
    let applied = plane
        .apply_crd(&definition("values.example.com", &schemas).to_string())
        .await?;
    assert_eq!(applied.warnings, [""; 0]);
    let client = plane.client();
    let ask = |row| ask(client.clone(), row);
    verdicts::are_recorded("values.txt", &rows, |row| &row.verdict, ask).await
}

/// Returns one kind of a group with a property for each schema.
pub(crate) fn definition(group: &str, schemas: &Map<String, Value>) -> Value {
    let spec = json!({ "type": "object", "properties": schemas });
    let schema = json!({ "type": "object", "properties": { "spec": spec } });
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": schema },
    });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("samples.{group}") },
        "spec": {
            "group": group,
            "names": { "kind": "Sample", "listKind": "SampleList", "plural": "samples", "singular": "sample" },
            "scope": "Cluster",
            "versions": [version],
        },
    })
}

/// Returns the API server's error about an object with the value, if any. Nothing is stored.
async fn ask(client: Client, row: &Row) -> kube::Result<Option<String>> {
    let kind = GroupVersionKind::gvk("values.example.com", "v1", "Sample");
    let resource = ApiResource::from_gvk_with_plural(&kind, "samples");
    let api: Api<DynamicObject> = Api::all_with(client, &resource);
    let object = DynamicObject::new("sample", &resource)
        .data(json!({ "spec": { &row.property: row.value } }));
    verdicts::refusal(&api, &object).await
}

/// Parses the table: schemas by the names of their properties, and rows.
fn table() -> Result<(Map<String, Value>, Vec<Row>), String> {
    let mut schemas = Map::new();
    let mut rows = Vec::new();
    let mut property = String::new();
    for (number, line) in TABLE.lines().enumerate() {
        let wrong = |what: &str| format!("values.txt:{}: {what}", number + 1);
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let (verdict, json) = line.split_once(' ').ok_or_else(|| wrong("not a row"))?;
        let json = serde_json::from_str(json).map_err(|error| wrong(&error.to_string()))?;
        match verdict {
            "schema" => {
                property = format!("line{}", number + 1);
                schemas.insert(property.clone(), json);
            }
            "ok" | "no" | "??" => rows.push(Row {
                verdict: Verdict {
                    line: number + 1,
                    is_accepted: verdict == "ok",
                },
                property: property.clone(),
                value: json,
            }),
            _ => return Err(wrong("no such verdict")),
        }
    }
    Ok((schemas, rows))
}
