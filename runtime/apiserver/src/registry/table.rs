//! Tables of objects, which `kubectl get` requests and prints.
//!
//! A custom resource has the columns of its definition. A built-in kind has the same columns as in
//! Kubernetes (pkg/printers/internalversion), including the columns of wide output.

use genclient_builtins::kind;
use genclient_builtins::row::Row;
use serde_json::{Value, json};

use crate::clock::Clock;
use crate::kinds::{Kind, Origin};
use crate::request::ObjectRequest;
use crate::status_error::StatusError;
use crate::stored::Stored;

/// Settings of a `Table` response: content of its rows, version, and the clock for ages.
#[derive(Clone, Copy, Debug)]
pub(super) struct TableOptions {
    include: IncludeObject,
    clock: Clock,
    /// Version of the table: `meta.k8s.io/v1` or an older one.
    version: &'static str,
}

/// Content of the `object` field in a row, from the query parameter `includeObject`.
#[derive(Clone, Copy, Debug)]
enum IncludeObject {
    Metadata,
    Object,
    Nothing,
}

impl TableOptions {
    pub fn from_request(
        request: &ObjectRequest,
        version: &'static str,
    ) -> Result<Self, StatusError> {
        let include = match request.query.text("includeObject") {
            "" | "Metadata" => IncludeObject::Metadata,
            "Object" => IncludeObject::Object,
            "None" => IncludeObject::Nothing,
            other => {
                return Err(StatusError::bad_request(format!(
                    "Unable to convert to Table as requested: includeObject: Invalid value: \
                     \"{other}\": must be 'Metadata', 'Object', 'None', or empty"
                )));
            }
        };
        let clock = request.clock;
        Ok(Self {
            include,
            clock,
            version,
        })
    }

    /// Returns a table of objects. `has_columns` adds column definitions: in a watch, only the
    /// first table has them.
    pub fn table<'a>(
        self,
        kind: &Kind,
        metadata: Value,
        objects: impl Iterator<Item = &'a Stored>,
        has_columns: bool,
    ) -> Value {
        let rows: Vec<_> = objects
            .map(|stored| {
                let mut object = stored.value();
                if kind.custom().is_none() {
                    kind.set_defaults(&mut object);
                }
                self.row(kind, object, stored.version())
            })
            .collect();
        self.of_rows(kind, metadata, rows.into(), has_columns)
    }

    /// Returns the table for a bookmark in a watch.
    pub fn bookmark(self, kind: &Kind, object: &Value) -> Value {
        let text = object["metadata"]["resourceVersion"].clone();
        let version = text.as_str().and_then(|text| text.parse().ok());
        let row = self.row(kind, object.clone(), version.unwrap_or_default());
        let metadata = json!({ "resourceVersion": text });
        self.of_rows(kind, metadata, json!([row]), false)
    }

    fn of_rows(self, kind: &Kind, metadata: Value, rows: Value, has_columns: bool) -> Value {
        let columns = has_columns.then(|| columns(kind));
        self.of_columns(columns.unwrap_or_default(), metadata, rows)
    }

    fn of_columns(self, columns: Value, metadata: Value, rows: Value) -> Value {
        json!({
            "kind": "Table",
            "apiVersion": self.version,
            "metadata": metadata,
            "columnDefinitions": columns,
            "rows": rows,
        })
    }

    /// Returns a table of a Scale.
    pub fn scale(self, kind: &Kind, scale: Value) -> Value {
        let version = &scale["metadata"]["resourceVersion"];
        let metadata = json!({ "resourceVersion": version });
        let cells = scale_cells(&scale, self.clock.now().as_second());
        let row = json!({ "cells": cells, "object": self.included(scale) });
        self.of_columns(scale_columns(kind), metadata, json!([row]))
    }

    /// Returns the `object` of a row.
    fn included(self, object: Value) -> Value {
        match self.include {
            IncludeObject::Metadata => json!({
                "kind": "PartialObjectMetadata",
                "apiVersion": self.version,
                "metadata": object["metadata"],
            }),
            IncludeObject::Object => object,
            IncludeObject::Nothing => Value::Null,
        }
    }

    fn row(self, kind: &Kind, mut object: Value, version: u64) -> Value {
        let cells = cells(kind, &object, self.clock.now().as_second());
        let conditions = conditions(kind, &object);
        object["metadata"]["resourceVersion"] = version.to_string().into();
        object["kind"] = kind.kind.as_str().into();
        object["apiVersion"] = kind.api_version().into();
        let mut row = json!({ "cells": cells, "object": self.included(object) });
        if let Some(conditions) = conditions {
            row["conditions"] = conditions;
        }
        row
    }
}

/// Description of the column `Name` (`metav1.ObjectMeta.SwaggerDoc`).
const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, \
                    although some resources may allow a client to request the generation of an \
                    appropriate name automatically. Name is primarily intended for creation \
                    idempotence and configuration definition. Cannot be updated. More info: \
                    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";

/// Returns whether the server can return objects of a kind as a table.
pub(super) fn has_table(kind: &Kind) -> bool {
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
fn columns(kind: &Kind) -> Value {
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
fn cells(kind: &Kind, object: &Value, now: i64) -> Vec<Value> {
    match &kind.origin {
        Origin::Custom(custom) => {
            let name = json!(object["metadata"]["name"].as_str().unwrap_or_default());
            let own = custom.columns.iter().map(|column| column.cell(object, now));
            std::iter::once(name).chain(own).collect()
        }
        Origin::Builtin(builtin) => builtin.cells(Row { object, now }).unwrap_or_default(),
    }
}

/// Returns the conditions of an object's row. Only the row of an ended Pod has conditions.
fn conditions(kind: &Kind, object: &Value) -> Option<Value> {
    match &kind.origin {
        Origin::Custom(_) => None,
        Origin::Builtin(builtin) => builtin.strategy.row_conditions(object),
    }
}

/// Returns the column definitions of a Scale's table. They are the same for all kinds, with
/// two variants of the texts. Source: `AddHandlers` in
/// pkg/printers/internalversion for built-in kinds, and `crdHandler` in apiextensions-apiserver,
/// pkg/apiserver, customresource_handler.go, for custom resources.
fn scale_columns(kind: &Kind) -> Value {
    let (name, desired, available, age) = match kind.origin {
        Origin::Builtin(_) => (
            "",
            "replicas is the desired number of instances for the scaled object.",
            "replicas is the actual number of observed instances of the scaled object.",
            "string",
        ),
        Origin::Custom(_) => (
            "name",
            "Number of desired replicas",
            "Number of actual replicas",
            "date",
        ),
    };
    let created = kind::find("", "v1", "configmaps")
        .into_iter()
        .flat_map(|it| &it.columns)
        .find(|column| column.name == "Age")
        .map_or("", |column| &column.description);
    json!([
        column("Name", "string", name, NAME, 0),
        column("Desired", "integer", "", desired, 0),
        column("Available", "integer", "", available, 0),
        column("Age", age, "", created, 0),
    ])
}

/// Returns the cells of a Scale. `now` is the current time in seconds since 1970.
fn scale_cells(scale: &Value, now: i64) -> Vec<Value> {
    let row = Row { object: scale, now };
    let count = |part: &str| scale[part]["replicas"].as_i64().unwrap_or_default();
    vec![
        row.name(),
        count("spec").into(),
        count("status").into(),
        row.age(),
    ]
}
