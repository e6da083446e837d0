//! IngressClasses. Unlike kube-apiserver, this server validates them by their published schema
//! alone.

use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::cells::NONE;
use crate::row::Row;
use crate::strategy::Strategy;

/// Strategy of IngressClasses.
#[derive(Debug)]
pub(crate) struct IngressClassStrategy;

impl Strategy for IngressClassStrategy {
    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let mut name = str_or_empty(&row.metadata()["name"]).to_owned();
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
                    str_or_empty(&parameters["kind"]),
                    str_or_empty(&parameters["name"])
                )
            }
        };
        Some(vec![
            json!(name),
            json!(str_or_empty(&row.spec()["controller"])),
            json!(shown),
            row.age(),
        ])
    }
}
