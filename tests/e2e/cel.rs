//! Tests of CEL rules: the API server's verdict on each rule of `cel.txt`. A unit test compares the
//! generator's own check with the same table, without a server.

use e2e::ControlPlane;
use kube::api::{Api, DynamicObject};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Error};
use serde_json::{Value, json};

use crate::suite::{Outcome, Suite};
use crate::verdicts::{self, Verdict};

const TABLE: &str = include_str!("cel.txt");

pub(crate) fn tests(suite: &mut Suite) {
    suite.both(
        "cel::verdicts_match_the_recorded_table",
        verdicts_match_the_recorded_table,
    );
}

/// A rule with the schema that it belongs to.
struct Row {
    verdict: Verdict,
    schema: Value,
}

async fn verdicts_match_the_recorded_table(plane: &ControlPlane) -> Outcome {
    let rows = rows()?;
    let client = plane.client();
    let ask = |row| ask(client.clone(), row);
    verdicts::are_recorded("cel.txt", &rows, |row| &row.verdict, ask).await
}

/// Returns the API server's error about a CRD with the rule, if any. Nothing is stored.
async fn ask(client: Client, row: &Row) -> kube::Result<Option<String>> {
    let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let crds: Api<DynamicObject> = Api::all_with(client, &ApiResource::from_gvk(&kind));
    let plural = format!("rule{}s", row.verdict.line);
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": row.schema },
    });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.cel.example.com") },
        "spec": {
            "group": "cel.example.com",
            "names": { "kind": format!("Rule{}", row.verdict.line), "plural": plural },
            "scope": "Namespaced",
            "versions": [version],
        },
    });
    let crd: DynamicObject = serde_json::from_value(crd).map_err(Error::SerdeError)?;
    verdicts::refusal(&crds, &crd).await
}

/// Parses the rows of the table, in the format that its head describes.
fn rows() -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let mut schema = Value::Null;
    let mut lines = TABLE.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let wrong = |what: &str| format!("cel.txt:{}: {what}", number + 1);
        if line.starts_with("schema ") {
            let text: String = lines
                .by_ref()
                .map(|(_, line)| line)
                .take_while(|line| *line != "rules")
                .collect();
            schema = serde_json::from_str(&text).map_err(|error| wrong(&error.to_string()))?;
        } else if !line.is_empty() && !line.starts_with('#') {
            let row = row(number + 1, line, &schema);
            rows.push(row.ok_or_else(|| wrong("not a row"))?);
        }
    }
    Ok(rows)
}

fn row(line: usize, text: &str, schema: &Value) -> Option<Row> {
    let (verdict, mut rest) = text.split_once(' ')?;
    if verdict == "??" {
        (_, rest) = rest.split_once(" | ")?;
    }
    let mut at = "/properties/spec".to_owned();
    if let Some(placed) = rest.strip_prefix('@') {
        let (place, rule) = placed.split_once(' ')?;
        at = if place == "root" {
            String::new()
        } else {
            at + place
        };
        rest = rule;
    }
    let mut rule = json!({});
    if rest.starts_with("{\"") {
        let mut values = serde_json::Deserializer::from_str(rest).into_iter();
        rule = values.next()?.ok()?;
        rest = rest[values.byte_offset()..].trim_start();
    }
    if rule.get("rule").is_none() {
        rule["rule"] = rest.into();
    }
    let mut root = json!({ "type": "object", "properties": { "spec": schema } });
    root.pointer_mut(&at)?["x-kubernetes-validations"] = json!([rule]);
    Some(Row {
        verdict: Verdict {
            line,
            is_accepted: verdict == "ok",
        },
        schema: root,
    })
}
