//! Rows of tables: what `kubectl get` shows of an object.
//!
//! Custom resources show the columns of their definition, built-in kinds what
//! pkg/printers/internalversion of Kubernetes makes of them. Kinds that are not here have no
//! tables, so that kubectl shows their names and ages.

use genclient_schema::meta::time;
use genclient_schema::object::{Column, human_duration};
use serde_json::{Value, json};

use super::builtin::BuiltinKind;
use super::{Kind, Origin};

/// The description of the column of names (`metav1.ObjectMeta.SwaggerDoc`).
const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, \
                    although some resources may allow a client to request the generation of an \
                    appropriate name automatically. Name is primarily intended for creation \
                    idempotence and configuration definition. Cannot be updated. More info: \
                    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// Columns of a custom resource without some of its own.
pub(crate) fn default_columns() -> Vec<Column> {
    let age = json!({ "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" });
    Column::of_definition(&age).into_iter().collect()
}

/// True if objects of a kind can be shown in a table.
pub(crate) fn has_table(kind: &Kind) -> bool {
    match &kind.origin {
        Origin::Custom(_) => true,
        Origin::Builtin(builtin) => cells_of(builtin, &Value::Null, 0).is_some(),
    }
}

/// The columns of a kind.
pub(crate) fn columns(kind: &Kind) -> Value {
    let column = |name: &str, type_: &str, format: &str, description: &str, priority: i64| {
        json!({
            "name": name, "type": type_, "format": format, "description": description,
            "priority": priority,
        })
    };
    match &kind.origin {
        Origin::Custom(custom) => {
            let own = custom.columns.iter().map(|it| {
                column(
                    &it.name,
                    &it.type_,
                    &it.format,
                    &it.description,
                    it.priority,
                )
            });
            let name = column("Name", "string", "name", NAME, 0);
            std::iter::once(name).chain(own).collect()
        }
        Origin::Builtin(builtin) => {
            let columns = builtin.columns.iter().map(|it| {
                let priority = i64::from(it.priority);
                column(it.name, it.type_, it.format, &it.description, priority)
            });
            columns.collect()
        }
    }
}

/// The cells of an object; `now` is in seconds since 1970.
pub(crate) fn cells(kind: &Kind, object: &Value, now: i64) -> Vec<Value> {
    match &kind.origin {
        Origin::Custom(custom) => {
            let name = json!(text(&object["metadata"]["name"]));
            let own = custom.columns.iter().map(|column| column.cell(object, now));
            std::iter::once(name).chain(own).collect()
        }
        Origin::Builtin(builtin) => cells_of(builtin, object, now).unwrap_or_default(),
    }
}

fn cells_of(kind: &BuiltinKind, object: &Value, now: i64) -> Option<Vec<Value>> {
    let name = json!(text(&object["metadata"]["name"]));
    let age = json!(age(object, now));
    if kind.group == "apps" {
        return workload(kind.kind, object, name, age);
    }
    Some(match (kind.group, kind.kind) {
        ("", "ConfigMap") => {
            let count = members(&object["data"]) + members(&object["binaryData"]);
            vec![name, json!(count), age]
        }
        ("", "Secret") => {
            let type_ = json!(text(&object["type"]));
            vec![name, type_, json!(members(&object["data"])), age]
        }
        ("", "Namespace") => vec![name, json!(text(&object["status"]["phase"])), age],
        ("coordination.k8s.io", "Lease") => {
            vec![name, json!(text(&object["spec"]["holderIdentity"])), age]
        }
        _ => {
            let titles: Vec<_> = kind.columns.iter().map(|column| column.name).collect();
            match *titles {
                ["Name", "Age"] => vec![name, age],
                ["Name", "Created At"] => {
                    vec![name, object["metadata"]["creationTimestamp"].clone()]
                }
                _ => return None,
            }
        }
    })
}

/// The cells of a kind of the group `apps`.
fn workload(kind: &str, object: &Value, name: Value, age: Value) -> Option<Vec<Value>> {
    let (spec, status) = (&object["spec"], &object["status"]);
    let (names, images) = containers(spec);
    let selector = selector(&spec["selector"]);
    let wanted = integer(&spec["replicas"]);
    let of_status = |field: &str| integer(&status[field]);
    let ready = of_status("readyReplicas");
    Some(match kind {
        "Deployment" => {
            let updated = json!(of_status("updatedReplicas"));
            let available = json!(of_status("availableReplicas"));
            let ready = json!(format!("{ready}/{wanted}"));
            let selector = json!(selector);
            vec![
                name, ready, updated, available, age, names, images, selector,
            ]
        }
        "ReplicaSet" => {
            let current = json!(of_status("replicas"));
            let selector = match &*selector {
                "" => json!("<none>"),
                text => json!(text),
            };
            let (wanted, ready) = (json!(wanted), json!(ready));
            vec![name, wanted, current, ready, age, names, images, selector]
        }
        "StatefulSet" => {
            let ready = json!(format!("{ready}/{wanted}"));
            vec![name, ready, age, names, images]
        }
        _ => return None,
    })
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn integer(value: &Value) -> i64 {
    value.as_i64().unwrap_or_default()
}

fn members(value: &Value) -> usize {
    value.as_object().map_or(0, serde_json::Map::len)
}

fn age(object: &Value, now: i64) -> String {
    match time::parse(text(&object["metadata"]["creationTimestamp"])) {
        Ok(seconds) => human_duration(now - seconds),
        Err(_) => "<unknown>".to_owned(),
    }
}

/// The names and the images of the containers of a template.
fn containers(spec: &Value) -> (Value, Value) {
    let containers = &spec["template"]["spec"]["containers"];
    let containers = containers.as_array().map_or(&[][..], Vec::as_slice);
    let joined = |field: &str| {
        let texts: Vec<_> = containers.iter().map(|it| text(&it[field])).collect();
        json!(texts.join(","))
    };
    (joined("name"), joined("image"))
}

/// A label selector in the form of a query.
fn selector(selector: &Value) -> String {
    let mut parts = Vec::new();
    for (key, value) in selector["matchLabels"].as_object().into_iter().flatten() {
        parts.push((key.clone(), format!("{key}={}", text(value))));
    }
    for expression in selector["matchExpressions"]
        .as_array()
        .into_iter()
        .flatten()
    {
        let key = text(&expression["key"]);
        let values = expression["values"].as_array().into_iter().flatten();
        let mut values: Vec<_> = values.map(text).collect();
        values.sort_unstable();
        let values = values.join(",");
        let part = match text(&expression["operator"]) {
            "In" => format!("{key} in ({values})"),
            "NotIn" => format!("{key} notin ({values})"),
            "DoesNotExist" => format!("!{key}"),
            _ => key.to_owned(),
        };
        parts.push((key.to_owned(), part));
    }
    parts.sort();
    let parts: Vec<_> = parts.into_iter().map(|(_, part)| part).collect();
    parts.join(",")
}
