//! Tables of objects, which `kubectl get` requests and prints.
//!
//! A custom resource has the columns of its definition. A built-in kind has the same columns as in
//! Kubernetes (pkg/printers/internalversion), including the columns of wide output.

pub(crate) mod scale;

use genclient_builtins::row::{Row, as_text};
use genclient_schema::object::Column;
use serde_json::{Value, json};

use crate::kinds::{Kind, Origin};

/// Description of the column `Name` (`metav1.ObjectMeta.SwaggerDoc`).
const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, \
                    although some resources may allow a client to request the generation of an \
                    appropriate name automatically. Name is primarily intended for creation \
                    idempotence and configuration definition. Cannot be updated. More info: \
                    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// Returns the columns of a custom resource whose definition has none.
pub(crate) fn default_columns() -> Vec<Column> {
    let age = json!({ "name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp" });
    Column::of_definition(&age).into_iter().collect()
}

/// Returns whether the server can return objects of a kind as a table.
pub(crate) fn has_table(kind: &Kind) -> bool {
    match &kind.origin {
        Origin::Custom(_) => true,
        Origin::Builtin(builtin) => builtin
            .cells(Row {
                object: &Value::Null,
                now: 0,
            })
            .is_some(),
    }
}

/// Returns the column definitions of a kind's table.
pub(crate) fn columns(kind: &Kind) -> Value {
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

fn column(name: &str, type_: &str, format: &str, description: &str, priority: i64) -> Value {
    json!({
        "name": name, "type": type_, "format": format, "description": description,
        "priority": priority,
    })
}

/// Returns the cells of an object. `now` is the current time in seconds since 1970.
pub(crate) fn cells(kind: &Kind, object: &Value, now: i64) -> Vec<Value> {
    match &kind.origin {
        Origin::Custom(custom) => {
            let name = json!(as_text(&object["metadata"]["name"]));
            let own = custom.columns.iter().map(|column| column.cell(object, now));
            std::iter::once(name).chain(own).collect()
        }
        Origin::Builtin(builtin) => builtin.cells(Row { object, now }).unwrap_or_default(),
    }
}

/// Returns the conditions of an object's row. Only the row of an ended Pod has conditions.
pub(crate) fn conditions(kind: &Kind, object: &Value) -> Option<Value> {
    match &kind.origin {
        Origin::Custom(_) => None,
        Origin::Builtin(builtin) => builtin.strategy.row_conditions(object),
    }
}
