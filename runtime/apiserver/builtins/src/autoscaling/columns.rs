//! Table cells of HorizontalPodAutoscalers for `kubectl get`.

use serde_json::{Value, json};

use crate::row::{NONE, Row, UNKNOWN, UNSET, as_integer, as_items, as_text, first, text_or};

/// Maximum number of metrics in the column `Targets`.
const METRICS: usize = 2;

pub(crate) fn cells(row: Row<'_>) -> Vec<Value> {
    let spec = row.spec();
    let target = &spec["scaleTargetRef"];
    let least = spec["minReplicas"].as_i64();
    vec![
        row.name(),
        json!(format!(
            "{}/{}",
            as_text(&target["kind"]),
            as_text(&target["name"])
        )),
        json!(metrics(spec, row.status())),
        json!(least.map_or_else(|| UNSET.to_owned(), |least| least.to_string())),
        json!(as_integer(&spec["maxReplicas"])),
        json!(as_integer(&row.status()["currentReplicas"])),
        row.age(),
    ]
}

/// Formats the current and target values of the metrics (`formatHPAMetrics`).
fn metrics(spec: &Value, status: &Value) -> String {
    let percent = |value: &Value| value.as_i64().map(|share| format!("{share}%"));
    if let Some(target) = percent(&spec["targetCPUUtilizationPercentage"]) {
        // Only autoscaling/v1 has `targetCPUUtilizationPercentage`.
        let current = percent(&status["currentCPUUtilizationPercentage"]);
        return format!("cpu: {}/{target}", current.as_deref().unwrap_or(UNKNOWN));
    }
    let metrics = as_items(&spec["metrics"]).iter().enumerate();
    let shown = metrics.map(|(index, metric)| {
        let current = status["currentMetrics"].get(index).unwrap_or(&Value::Null);
        match as_text(&metric["type"]) {
            "External" => valued(&metric["external"], &current["external"]),
            "Object" => valued(&metric["object"], &current["object"]),
            "Pods" => {
                let target = text_or(&metric["pods"]["target"]["averageValue"], "0");
                let current = &current["pods"];
                let current = match current {
                    Value::Null => UNKNOWN,
                    found => text_or(&found["current"]["averageValue"], "0"),
                };
                format!("{current}/{target}")
            }
            "Resource" => resource(&metric["resource"], &current["resource"]),
            "ContainerResource" => {
                resource(&metric["containerResource"], &current["containerResource"])
            }
            _ => "<unknown type>".to_owned(),
        }
    });
    match first(&shown.collect::<Vec<_>>(), METRICS, ", ") {
        text if text.is_empty() => NONE.to_owned(),
        text => text,
    }
}

fn valued(metric: &Value, status: &Value) -> String {
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

fn resource(metric: &Value, status: &Value) -> String {
    let (name, target) = (as_text(&metric["name"]), &metric["target"]);
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
