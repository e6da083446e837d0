//! IngressClasses, which follow their published schema alone.

use serde_json::{Value, json};

use crate::accessors::as_text;
use crate::cells::NONE;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of IngressClasses.
#[derive(Debug)]
pub(crate) struct IngressClassStrategy;

impl Strategy for IngressClassStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let mut name = as_text(&row.metadata()["name"]).to_owned();
        if row.annotation("ingressclass.kubernetes.io/is-default-class") == Some("true") {
            name.push_str(" (default)");
        }
        let parameters = &row.spec()["parameters"];
        let shown = match parameters {
            Value::Null => NONE.to_owned(),
            parameters => {
                let group = parameters["apiGroup"].as_str();
                let group = group.map(|group| format!(".{group}")).unwrap_or_default();
                format!(
                    "{}{group}/{}",
                    as_text(&parameters["kind"]),
                    as_text(&parameters["name"])
                )
            }
        };
        Some(vec![
            json!(name),
            json!(as_text(&row.spec()["controller"])),
            json!(shown),
            row.age(),
        ])
    }
}
