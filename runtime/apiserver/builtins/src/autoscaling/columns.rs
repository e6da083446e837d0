//! Table cells of HorizontalPodAutoscalers (pkg/printers/internalversion, printers.go).

use genclient_apimachinery::unstructured::{list_or_empty, str_or_empty};
use serde_json::{Value, json};

use crate::accessors::{as_integer, text_or};
use crate::cells::{NONE, UNKNOWN, UNSET, join_first};
use crate::row::Row;

/// Maximum number of metrics in the column `Targets`.
const SHOWN_METRICS: usize = 2;

/// Returns the cells of an autoscaler of either version (`printHorizontalPodAutoscaler`).
pub(crate) fn autoscaler_cells(row: Row<'_>) -> Vec<Value> {
    let spec = row.spec();
    let target = &spec["scaleTargetRef"];
    let least = spec["minReplicas"].as_i64();
    vec![
        row.name(),
        json!(format!(
            "{}/{}",
            str_or_empty(&target["kind"]),
            str_or_empty(&target["name"])
        )),
        json!(format_metrics(spec, row.status())),
        json!(least.map_or_else(|| UNSET.to_owned(), |least| least.to_string())),
        json!(as_integer(&spec["maxReplicas"])),
        json!(as_integer(&row.status()["currentReplicas"])),
        row.age(),
    ]
}

/// Formats the current and target values of the metrics (`formatHPAMetrics`).
fn format_metrics(spec: &Value, status: &Value) -> String {
    let percent = |value: &Value| value.as_i64().map(|share| format!("{share}%"));
    if let Some(target) = percent(&spec["targetCPUUtilizationPercentage"]) {
        // Only autoscaling/v1 has `targetCPUUtilizationPercentage`.
        let current = percent(&status["currentCPUUtilizationPercentage"]);
        return format!("cpu: {}/{target}", current.as_deref().unwrap_or(UNKNOWN));
    }
    let metrics = list_or_empty(&spec["metrics"]).iter().enumerate();
    let shown = metrics.map(|(index, metric)| {
        let current = status["currentMetrics"].get(index).unwrap_or(&Value::Null);
        match str_or_empty(&metric["type"]) {
            "External" => format_value_metric(&metric["external"], &current["external"]),
            "Object" => format_value_metric(&metric["object"], &current["object"]),
            "Pods" => {
                let target = text_or(&metric["pods"]["target"]["averageValue"], "0");
                let current = &current["pods"];
                let current = match current {
                    Value::Null => UNKNOWN,
                    found => text_or(&found["current"]["averageValue"], "0"),
                };
                format!("{current}/{target}")
            }
            "Resource" => format_resource_metric(&metric["resource"], &current["resource"]),
            "ContainerResource" => {
                format_resource_metric(&metric["containerResource"], &current["containerResource"])
            }
            _ => "<unknown type>".to_owned(),
        }
    });
    match join_first(&shown.collect::<Vec<_>>(), SHOWN_METRICS, ", ") {
        text if text.is_empty() => NONE.to_owned(),
        text => text,
    }
}

/// Formats a metric of an object or of an external system: `current/target`.
fn format_value_metric(metric: &Value, status: &Value) -> String {
    let current = &status["current"];
    match metric["target"]["averageValue"].as_str() {
        Some(target) => format!(
            "{}/{target} (avg)",
            text_or(&current["averageValue"], UNKNOWN)
        ),
        None => {
            let missing = if status.is_null() { UNKNOWN } else { "0" };
            let target = text_or(&metric["target"]["value"], "0");
            format!("{}/{target}", text_or(&current["value"], missing))
        }
    }
}

/// Formats a metric of a resource, such as `cpu: 50%/80%`.
fn format_resource_metric(metric: &Value, status: &Value) -> String {
    let (name, target) = (str_or_empty(&metric["name"]), &metric["target"]);
    let current = &status["current"];
    let percent = |value: &Value| value.as_i64().map(|share| format!("{share}%"));
    match target["averageValue"].as_str() {
        Some(target) => {
            let missing = if status.is_null() { UNKNOWN } else { "0" };
            format!(
                "{name}: {}/{target}",
                text_or(&current["averageValue"], missing)
            )
        }
        None => {
            let current = percent(&current["averageUtilization"]);
            let target = percent(&target["averageUtilization"]);
            let current = current.as_deref().unwrap_or(UNKNOWN);
            format!(
                "{name}: {current}/{}",
                target.as_deref().unwrap_or("<auto>")
            )
        }
    }
}
