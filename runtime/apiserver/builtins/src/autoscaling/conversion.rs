//! Conversion of HorizontalPodAutoscalers between autoscaling/v1 and autoscaling/v2
//! (pkg/apis/autoscaling/v1, conversion.go). The server stores them in the form of v2.
//!
//! In v1, annotations have what only v2 has fields for.

use serde_json::{Map, Value, json};

use crate::types;
use crate::types::GoType;

pub(crate) const GROUP: &str = "autoscaling";

const METRICS: &str = "autoscaling.alpha.kubernetes.io/metrics";
const CURRENT_METRICS: &str = "autoscaling.alpha.kubernetes.io/current-metrics";
const CONDITIONS: &str = "autoscaling.alpha.kubernetes.io/conditions";
const BEHAVIOR: &str = "autoscaling.alpha.kubernetes.io/behavior";

/// Utilization of the CPU in percent that v1 has as an implicit target.
const DEFAULT_UTILIZATION: i64 = 80;

/// Converts an autoscaler from v2 to v1.
pub(crate) fn to_v1(mut autoscaler: Value) -> Value {
    let metrics = take_list(&mut autoscaler["spec"], "metrics");
    let behavior = take_member(&mut autoscaler["spec"], "behavior");
    let current = take_list(&mut autoscaler["status"], "currentMetrics");
    let conditions = take_list(&mut autoscaler["status"], "conditions");
    let utilization = |metric: &Value, part: &str| {
        if metric["resource"]["name"] == "cpu" {
            metric["resource"][part]["averageUtilization"].clone()
        } else {
            Value::Null
        }
    };
    let (of_cpu, others): (Vec<_>, Vec<_>) = metrics
        .into_iter()
        .partition(|metric| !utilization(metric, "target").is_null());
    if let Some(metric) = of_cpu.first() {
        let target = utilization(metric, "target");
        autoscaler["spec"]["targetCPUUtilizationPercentage"] = target;
    }
    // Of several current values of the CPU, the last one wins.
    let mut found = current.iter().map(|metric| utilization(metric, "current"));
    if let Some(found) = found.rfind(|found| !found.is_null()) {
        autoscaler["status"]["currentCPUUtilizationPercentage"] = found;
    }
    let texts = others
        .iter()
        .map(|it| format_v1_metric(it, TARGET))
        .collect();
    set_list_annotation(&mut autoscaler, METRICS, texts);
    let texts = current
        .iter()
        .map(|it| format_v1_metric(it, CURRENT))
        .collect();
    set_list_annotation(&mut autoscaler, CURRENT_METRICS, texts);
    let texts = conditions.iter().map(format_condition).collect();
    set_list_annotation(&mut autoscaler, CONDITIONS, texts);
    if !behavior.is_null() {
        let text = GoObject::default()
            .text("ScaleUp", format_rules(&behavior["scaleUp"]))
            .text("ScaleDown", format_rules(&behavior["scaleDown"]));
        autoscaler["metadata"]["annotations"][BEHAVIOR] = text.end().into();
    }
    decode_as(autoscaler, "v1")
}

/// Converts an autoscaler from v1 to v2.
pub(crate) fn to_v2(mut autoscaler: Value) -> Value {
    let mut metrics = take_annotation(&mut autoscaler, METRICS);
    let current = take_annotation(&mut autoscaler, CURRENT_METRICS);
    let conditions = take_annotation(&mut autoscaler, CONDITIONS);
    let behavior = take_annotation(&mut autoscaler, BEHAVIOR);
    if let Value::Array(metrics) = &mut metrics {
        metrics
            .iter_mut()
            .for_each(|it| *it = to_v2_metric(it.take(), TARGET));
    }
    let mut metrics = match metrics {
        Value::Array(metrics) => metrics,
        _ => Vec::new(),
    };
    match take_member(&mut autoscaler["spec"], "targetCPUUtilizationPercentage") {
        Value::Null if metrics.is_empty() => {
            metrics.push(cpu_metric("target", &DEFAULT_UTILIZATION.into()));
        }
        Value::Null => {}
        target => metrics.push(cpu_metric("target", &target)),
    }
    autoscaler["spec"]["metrics"] = metrics.into();
    let found = take_member(&mut autoscaler["status"], "currentCPUUtilizationPercentage");
    if let Value::Array(current) = current {
        let current = current
            .into_iter()
            .map(|it| to_v2_metric(it, CURRENT))
            .collect();
        autoscaler["status"]["currentMetrics"] = Value::Array(current);
    } else if !found.is_null() {
        autoscaler["status"]["currentMetrics"] = json!([cpu_metric("current", &found)]);
    }
    if conditions.is_array() {
        autoscaler["status"]["conditions"] = conditions;
    }
    if behavior.is_object() {
        autoscaler["spec"]["behavior"] = lower_keys(behavior);
    }
    decode_as(autoscaler, "v2")
}

/// Decodes an autoscaler as its Go type, and sets `apiVersion`. If the value does not match the
/// type, returns it as it is.
fn decode_as(autoscaler: Value, version: &str) -> Value {
    let type_ = GoType::of_kind(GROUP, version, "HorizontalPodAutoscaler");
    let decoded = type_.and_then(|type_| types::decode(&autoscaler, type_).ok());
    let mut autoscaler = decoded.map_or(autoscaler, |decoded| decoded.value);
    if let Value::Object(members) = &mut autoscaler {
        members.insert("apiVersion".to_owned(), format!("{GROUP}/{version}").into());
        members.insert("kind".to_owned(), "HorizontalPodAutoscaler".into());
    }
    autoscaler
}

/// Names of the fields in one part of a metric: its target in the spec, or its current value in the
/// status.
#[derive(Clone, Copy)]
struct HpaPart {
    v2: &'static str,
    value: &'static str,
    average_value: &'static str,
    average_utilization: &'static str,
}

const TARGET: HpaPart = HpaPart {
    v2: "target",
    value: "targetValue",
    average_value: "targetAverageValue",
    average_utilization: "targetAverageUtilization",
};
const CURRENT: HpaPart = HpaPart {
    v2: "current",
    value: "currentValue",
    average_value: "currentAverageValue",
    average_utilization: "currentAverageUtilization",
};

impl HpaPart {
    /// Returns a value of v2. Only a target has a type.
    fn typed(self, type_: &str, mut value: Value) -> Value {
        if self.v2 == "target" {
            value["type"] = type_.into();
        }
        value
    }
}

/// Returns a metric of v2 as the JSON text of a metric of v1.
fn format_v1_metric(metric: &Value, part: HpaPart) -> String {
    let type_ = metric["type"].as_str().unwrap_or_default();
    let member = source_member(type_);
    let source = &metric[member];
    let (value, name) = (&source[part.v2], &source["metric"]["name"]);
    let selector = &source["metric"]["selector"];
    let zero = Value::from("0");
    let or_zero = |value: &Value| {
        if value.is_null() {
            zero.clone()
        } else {
            value.clone()
        }
    };
    let object = GoObject::default();
    let text = match type_ {
        "Object" => {
            let target = &source["describedObject"];
            let target = GoObject::default()
                .value("kind", &target["kind"])
                .value("name", &target["name"])
                .value("apiVersion", &target["apiVersion"]);
            object
                .text("target", target.end())
                .value("metricName", name)
                .value(part.value, &or_zero(&value["value"]))
                .value("selector", selector)
                .value("averageValue", &value["averageValue"])
        }
        "Pods" => object
            .value("metricName", name)
            .value(part.average_value, &or_zero(&value["averageValue"]))
            .value("selector", selector),
        "External" => {
            // The current value is no pointer in Go, unlike the target.
            let number = match part.v2 {
                "current" => or_zero(&value["value"]),
                _ => value["value"].clone(),
            };
            object
                .value("metricName", name)
                .value("metricSelector", selector)
                .value(part.value, &number)
                .value(part.average_value, &value["averageValue"])
        }
        _ => {
            let number = match part.v2 {
                "current" => or_zero(&value["averageValue"]),
                _ => value["averageValue"].clone(),
            };
            object
                .value("name", &source["name"])
                .value(part.average_utilization, &value["averageUtilization"])
                .value(part.average_value, &number)
                .value("container", &source["container"])
        }
    };
    GoObject::default()
        .value("type", &metric["type"])
        .text(member, text.end())
        .end()
}

/// Returns a metric of v1 as a metric of v2.
fn to_v2_metric(metric: Value, part: HpaPart) -> Value {
    let type_ = metric["type"].as_str().unwrap_or_default();
    let member = source_member(type_);
    let source = &metric[member];
    let (number, average) = (&source[part.value], &source[part.average_value]);
    let selector = match type_ {
        "External" => &source["metricSelector"],
        _ => &source["selector"],
    };
    let identifier = json!({ "name": source["metricName"], "selector": selector });
    let utilization = &source[part.average_utilization];
    let source = match type_ {
        "Object" => {
            let average = &source["averageValue"];
            let name = if average.is_null() {
                "Value"
            } else {
                "AverageValue"
            };
            // v1 cannot omit the value, and writes it as 0.
            let is_unset = part.v2 == "target" && !average.is_null() && *number == "0";
            let number = if is_unset { &Value::Null } else { number };
            json!({
                "describedObject": source["target"],
                "metric": identifier,
                part.v2: part.typed(name, json!({ "value": number, "averageValue": average })),
            })
        }
        "Pods" => json!({
            "metric": identifier,
            part.v2: part.typed("AverageValue", json!({ "averageValue": average })),
        }),
        "External" => {
            let name = if number.is_null() {
                "AverageValue"
            } else {
                "Value"
            };
            json!({
                "metric": identifier,
                part.v2: part.typed(name, json!({ "value": number, "averageValue": average })),
            })
        }
        _ => {
            let name = if utilization.is_null() {
                "AverageValue"
            } else {
                "Utilization"
            };
            let value = json!({ "averageValue": average, "averageUtilization": utilization });
            json!({
                "name": source["name"],
                "container": source["container"],
                part.v2: part.typed(name, value),
            })
        }
    };
    remove_nulls(json!({ "type": type_, member: source }))
}

fn cpu_metric(part: &str, utilization: &Value) -> Value {
    let value = match part {
        "target" => json!({ "type": "Utilization", "averageUtilization": utilization }),
        _ => json!({ "averageUtilization": utilization }),
    };
    json!({ "type": "Resource", "resource": { "name": "cpu", part: value } })
}

/// Returns the member of a metric that has the source of its values.
fn source_member(type_: &str) -> &'static str {
    match type_ {
        "Object" => "object",
        "Pods" => "pods",
        "External" => "external",
        "ContainerResource" => "containerResource",
        _ => "resource",
    }
}

fn format_condition(condition: &Value) -> String {
    GoObject::default()
        .value("type", &condition["type"])
        .value("status", &condition["status"])
        .text(
            "lastTransitionTime",
            condition["lastTransitionTime"].to_string(),
        )
        .value("reason", &condition["reason"])
        .value("message", &condition["message"])
        .end()
}

/// Returns scaling rules as Go writes the internal type, which has no JSON names.
fn format_rules(rules: &Value) -> String {
    if rules.is_null() {
        return "null".to_owned();
    }
    let policies = rules["policies"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|policy| {
            GoObject::default()
                .text("Type", policy["type"].to_string())
                .text("Value", policy["value"].to_string())
                .text("PeriodSeconds", policy["periodSeconds"].to_string())
                .end()
        });
    let policies = if rules["policies"].is_null() {
        "null".to_owned()
    } else {
        format!("[{}]", policies.collect::<Vec<_>>().join(","))
    };
    GoObject::default()
        .text(
            "StabilizationWindowSeconds",
            rules["stabilizationWindowSeconds"].to_string(),
        )
        .text("SelectPolicy", rules["selectPolicy"].to_string())
        .text("Policies", policies)
        .text("Tolerance", rules["tolerance"].to_string())
        .end()
}

/// Changes the first letter of each key to lower case, and removes nulls.
fn lower_keys(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members
                .into_iter()
                .filter(|(_, member)| !member.is_null())
                .map(|(name, member)| {
                    let (first, rest) = name.split_at(name.len().min(1));
                    (
                        format!("{}{rest}", first.to_lowercase()),
                        lower_keys(member),
                    )
                });
            Value::Object(members.collect())
        }
        Value::Array(items) => items.into_iter().map(lower_keys).collect(),
        value => value,
    }
}

fn remove_nulls(value: Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members
                .into_iter()
                .filter(|(_, member)| !member.is_null())
                .map(|(name, member)| (name, remove_nulls(member)));
            Value::Object(members.collect())
        }
        value => value,
    }
}

fn take_member(object: &mut Value, name: &str) -> Value {
    object
        .as_object_mut()
        .and_then(|members| members.remove(name))
        .unwrap_or_default()
}

fn take_list(object: &mut Value, name: &str) -> Vec<Value> {
    match take_member(object, name) {
        Value::Array(items) => items,
        _ => Vec::new(),
    }
}

/// Removes an annotation, and returns its JSON.
fn take_annotation(autoscaler: &mut Value, name: &str) -> Value {
    let text = take_member(&mut autoscaler["metadata"]["annotations"], name);
    let annotations = &autoscaler["metadata"]["annotations"];
    if annotations.is_null() || annotations.as_object().is_some_and(Map::is_empty) {
        take_member(&mut autoscaler["metadata"], "annotations");
    }
    let text = text.as_str().unwrap_or_default();
    serde_json::from_str(text).unwrap_or_default()
}

/// Sets an annotation to a JSON list of these items. Without items, removes the annotation.
fn set_list_annotation(autoscaler: &mut Value, name: &str, items: Vec<String>) {
    if items.is_empty() {
        take_annotation(autoscaler, name);
    } else {
        autoscaler["metadata"]["annotations"][name] = format!("[{}]", items.join(",")).into();
    }
}

/// Text of a JSON object whose members have the order of a Go struct.
#[derive(Default)]
struct GoObject(Vec<String>);

impl GoObject {
    /// Adds a member, unless its value is null.
    fn value(self, name: &str, value: &Value) -> Self {
        if value.is_null() {
            self
        } else {
            self.text(name, value.to_string())
        }
    }

    fn text(mut self, name: &str, text: String) -> Self {
        self.0.push(format!("\"{name}\":{text}"));
        self
    }

    fn end(self) -> String {
        format!("{{{}}}", self.0.join(","))
    }
}
