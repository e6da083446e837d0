//! Comparison of custom resource processing with Kubernetes' own packages: pruning, defaults,
//! metadata, validation.
//!
//! `hack/oracle/objects` prints the cases. `OBJECTS=FILE` replaces the checked-in ones.

use std::collections::BTreeMap;

use genclient_apimachinery::field;
use genclient_schema::Schema;
use genclient_schema::meta::{Metadata, finalizer_warnings};
use genclient_schema::object::{
    Column, CustomResource, Scale, decode, fill_in_defaults, human_duration, selectable_fields,
};
use serde_json::{Value, json};

struct Definition {
    schema: Schema,
    namespaced: bool,
    scale: Option<Scale>,
    selectable: Vec<String>,
    columns: Option<Vec<Column>>,
}

#[test]
fn objects_are_processed_as_by_the_api_server() {
    let cases = match std::env::var("OBJECTS") {
        Ok(path) => std::fs::read_to_string(path).unwrap(),
        Err(_) => include_str!("../objects.jsonl").to_owned(),
    };
    let mut definition = None;
    let mut differences = Vec::new();
    for (number, line) in cases.lines().enumerate() {
        let case: Value = serde_json::from_str(line).unwrap();
        if let Some(durations) = case.get("durations") {
            for (seconds, text) in durations.as_object().unwrap() {
                assert_eq!(human_duration(seconds.parse().unwrap()), *text, "{seconds}");
            }
        } else if case.get("schema").is_some() {
            definition = Some(Definition::new(&case));
        } else if let Some(definition) = &definition {
            let ours = definition.ours(&case);
            for (name, ours) in ours {
                let theirs = case.get(name).cloned().unwrap_or_default();
                if !is_same(&theirs, &ours) {
                    let number = number + 1;
                    differences.push(format!("{number} {name}:\n  {theirs}\n  {ours}"));
                }
            }
        }
    }
    let shown = differences.len().min(20);
    assert!(
        differences.is_empty(),
        "{} differences\n{}",
        differences.len(),
        differences[..shown].join("\n")
    );
}

impl Definition {
    fn new(case: &Value) -> Self {
        let version = json!({ "subresources": { "scale": case.get("scale") } });
        let columns = case["columns"].as_array().unwrap().iter();
        let selectable = case["selectable"].as_array().into_iter().flatten();
        Self {
            schema: Schema::of_definition(&case["schema"]),
            namespaced: case["namespaced"] == true,
            scale: Scale::of_version(&version),
            selectable: selectable
                .map(|path| path.as_str().unwrap().to_owned())
                .collect(),
            columns: columns
                .map(|column| Column::of_definition(column).ok())
                .collect(),
        }
    }

    fn ours(&self, case: &Value) -> BTreeMap<&'static str, Value> {
        let mut ours = BTreeMap::new();
        let (object, unknown) = match self.decoded(&case["object"]) {
            Ok(decoded) => decoded,
            Err(error) => {
                let theirs = case.get("errors").and_then(Value::as_array);
                let known = theirs.filter(|errors| errors.contains(&Value::from(&*error)));
                let errors = known.map_or(json!([error]), |errors| errors.clone().into());
                ours.insert("errors", errors);
                return ours;
            }
        };
        ours.insert("errors", Value::Null);
        ours.insert("unknown", texts(unknown));
        let resource = CustomResource {
            kind: "Widget",
            api_version: "example.com/v1",
            namespaced: self.namespaced,
            schema: &self.schema,
            scale: self.scale.as_ref(),
            has_rules: self.schema.has_rules(),
        };
        ours.insert("create", lines(&resource.validate_create(&object, &())));
        let warnings = finalizer_warnings(Metadata::from_object(&object), None);
        ours.insert("warnings", texts(warnings));
        let paths = self.selectable.iter().map(String::as_str);
        if let Ok(mut fields) = selectable_fields(paths, &object) {
            let metadata = Metadata::from_object(&object);
            fields.insert("metadata.name", metadata.text("name").to_owned());
            if self.namespaced {
                fields.insert("metadata.namespace", metadata.text("namespace").to_owned());
            }
            ours.insert("fields", json!(fields));
        }
        if let Some(columns) = &self.columns {
            let cells = columns.iter().map(|column| column.cell(&object, 0));
            ours.insert("cells", cells.collect());
        }
        if let Ok((old, _)) = self.decoded(&case["old"]) {
            ours.insert(
                "update",
                lines(&resource.validate_update(&object, &old, &())),
            );
            ours.insert(
                "status",
                lines(&resource.validate_status(&object, &old, &())),
            );
        }
        ours.insert("decoded", object);
        ours
    }

    fn decoded(&self, object: &Value) -> Result<(Value, Vec<String>), String> {
        let mut object = object.clone();
        let unknown = decode(&self.schema, &mut object)?;
        fill_in_defaults(&self.schema, &mut object);
        Ok((object, unknown))
    }
}

fn lines(causes: &[field::Error]) -> Value {
    let mut lines: Vec<_> = causes
        .iter()
        .map(|cause| {
            let field::Error {
                field,
                reason,
                message,
            } = cause;
            format!("{reason} | {field} | {message}")
        })
        .collect();
    lines.sort();
    texts(lines)
}

fn texts(texts: Vec<String>) -> Value {
    if texts.is_empty() {
        Value::Null
    } else {
        texts.into()
    }
}

/// Compares JSON values. Numbers beyond 64 bits are floats, and the order of members is ignored.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a.as_i64() == b.as_i64() && a.as_f64() == b.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let same = |(name, a)| b.get(name).is_some_and(|b| is_same(a, b));
            a.len() == b.len() && a.iter().all(same)
        }
        (a, b) => a == b,
    }
}
