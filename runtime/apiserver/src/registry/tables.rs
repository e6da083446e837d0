//! Tables in responses, for `kubectl get`.

use serde_json::{Value, json};

use super::versions;
use crate::clock::Clock;
use crate::failure::Failure;
use crate::kinds::{Kind, table};
use crate::request::ObjectRequest;
use crate::stored::Stored;

/// Options of a table.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    include: Include,
    clock: Clock,
    /// `meta.k8s.io/v1` or an older version.
    version: &'static str,
}

/// Part of its object that a row includes: `includeObject`.
#[derive(Clone, Copy, Debug)]
enum Include {
    Metadata,
    Object,
    Nothing,
}

impl Rows {
    pub(super) fn read(request: &ObjectRequest, version: &'static str) -> Result<Self, Failure> {
        let include = match request.query.text("includeObject") {
            "" | "Metadata" => Include::Metadata,
            "Object" => Include::Object,
            "None" => Include::Nothing,
            other => {
                return Err(Failure::bad_request(format!(
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

    /// Returns a table of objects. In a watch only the first table has columns.
    pub(super) fn table<'a>(
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
                    versions::fill_in(kind, &mut object);
                }
                self.row(kind, object, stored.version())
            })
            .collect();
        self.of_rows(kind, metadata, rows.into(), has_columns)
    }

    /// Returns the table of a bookmark, whose object has only metadata.
    pub(super) fn bookmark(self, kind: &Kind, object: &Value) -> Value {
        let version = object["metadata"]["resourceVersion"].clone();
        let metadata = json!({ "resourceVersion": version });
        let version = version.as_str().and_then(|text| text.parse().ok());
        let row = self.row(kind, object.clone(), version.unwrap_or_default());
        self.of_rows(kind, metadata, json!([row]), false)
    }

    fn of_rows(self, kind: &Kind, metadata: Value, rows: Value, has_columns: bool) -> Value {
        let columns = has_columns.then(|| table::columns(kind));
        json!({
            "kind": "Table",
            "apiVersion": self.version,
            "metadata": metadata,
            "columnDefinitions": columns,
            "rows": rows,
        })
    }

    fn row(self, kind: &Kind, mut object: Value, version: u64) -> Value {
        let cells = table::cells(kind, &object, self.clock.now().as_second());
        let conditions = table::conditions(kind, &object);
        object["metadata"]["resourceVersion"] = version.to_string().into();
        let object = match self.include {
            Include::Metadata => json!({
                "kind": "PartialObjectMetadata",
                "apiVersion": self.version,
                "metadata": object["metadata"],
            }),
            Include::Object => {
                object["kind"] = kind.kind.as_str().into();
                object["apiVersion"] = kind.api_version().into();
                object
            }
            Include::Nothing => Value::Null,
        };
        let mut row = json!({ "cells": cells, "object": object });
        if let Some(conditions) = conditions {
            row["conditions"] = conditions;
        }
        row
    }
}
