//! Tables of Scales. They have the same columns for all kinds, with two variants of the texts.

use genclient_builtins::kind;
use genclient_builtins::row::Row;
use serde_json::{Value, json};

use crate::kinds::table::{NAME, column};
use crate::kinds::{Kind, Origin};

/// Returns the column definitions of a Scale's table. Source: `AddHandlers` in
/// pkg/printers/internalversion for built-in kinds, and `crdHandler` in apiextensions-apiserver,
/// pkg/apiserver, customresource_handler.go, for custom resources.
pub(crate) fn columns(kind: &Kind) -> Value {
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
    let described = kind::find("", "v1", "configmaps");
    let mut columns = described.into_iter().flat_map(|it| &it.columns);
    let created = columns.find(|column| column.name == "Age");
    let created = created.map_or("", |column| &column.description);
    json!([
        column("Name", "string", name, NAME, 0),
        column("Desired", "integer", "", desired, 0),
        column("Available", "integer", "", available, 0),
        column("Age", age, "", created, 0),
    ])
}

/// Returns the cells of a Scale. `now` is the current time in seconds since 1970.
pub(crate) fn cells(scale: &Value, now: i64) -> Vec<Value> {
    let row = Row { object: scale, now };
    let count = |part: &str| scale[part]["replicas"].as_i64().unwrap_or_default();
    vec![
        row.name(),
        count("spec").into(),
        count("status").into(),
        row.age(),
    ]
}
