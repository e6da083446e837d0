//! CEL rules: what the API server says to each rule of `cel.txt`. The generator's own check is held against the same table,
//! by a unit test that needs no server.

use futures::stream::{self, StreamExt as _};
use kube::api::{Api, DynamicObject, PostParams};
use kube::core::{ApiResource, GroupVersionKind};
use kube::{Client, Error};
use serde_json::{Value, json};
use tests::ControlPlane;

use crate::suite::{Outcome, Suite};

const TABLE: &str = include_str!("cel.txt");
/// Requests under way at once.
const REQUESTS: usize = 8;

pub(crate) fn tests(suite: &mut Suite) {
    suite.shared("cel::verdicts_are_recorded", verdicts_are_recorded);
}

/// A rule in the schema that it belongs to.
struct Row {
    line: usize,
    accepted: bool,
    schema: Value,
}

async fn verdicts_are_recorded(plane: &ControlPlane) -> Outcome {
    let rows = rows()?;
    assert!(rows.len() > 150, "{} rows", rows.len());
    let client = plane.client();
    let answers = stream::iter(rows.iter().map(|row| ask(client.clone(), row)));
    let answers: Vec<_> = answers.buffered(REQUESTS).collect().await;
    let mut wrong = Vec::new();
    for (row, answer) in rows.iter().zip(answers) {
        let refusal = answer?;
        if refusal.is_none() != row.accepted {
            let said = refusal.unwrap_or_else(|| "accepted".to_owned());
            wrong.push(format!("cel.txt:{}: {said}", row.line));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// What the API server says against a CRD with the rule, if anything; nothing is stored.
async fn ask(client: Client, row: &Row) -> kube::Result<Option<String>> {
    let kind = GroupVersionKind::gvk("apiextensions.k8s.io", "v1", "CustomResourceDefinition");
    let crds: Api<DynamicObject> = Api::all_with(client, &ApiResource::from_gvk(&kind));
    let plural = format!("rule{}s", row.line);
    let version = json!({
        "name": "v1", "served": true, "storage": true, "schema": { "openAPIV3Schema": row.schema },
    });
    let crd = json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": format!("{plural}.cel.example.com") },
        "spec": {
            "group": "cel.example.com",
            "names": { "kind": format!("Rule{}", row.line), "plural": plural },
            "scope": "Namespaced",
            "versions": [version],
        },
    });
    let crd: DynamicObject = serde_json::from_value(crd).map_err(Error::SerdeError)?;
    let dry_run = PostParams {
        dry_run: true,
        ..PostParams::default()
    };
    match crds.create(&dry_run, &crd).await {
        Ok(_) => Ok(None),
        Err(Error::Api(status)) if status.code == 422 => Ok(Some(status.message.clone())),
        Err(error) => Err(error),
    }
}

/// The rows of the table, as its head describes them.
fn rows() -> Result<Vec<Row>, String> {
    let mut rows = Vec::new();
    let mut schema = Value::Null;
    let mut lines = TABLE.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let wrong = |what: &str| format!("cel.txt:{}: {what}", number + 1);
        if line.starts_with("schema ") {
            let text = lines.by_ref().map(|(_, line)| line);
            let text: String = text.take_while(|line| *line != "rules").collect();
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
        line,
        accepted: verdict == "ok",
        schema: root,
    })
}
