//! HorizontalPodAutoscalers in all API versions (pkg/apis/autoscaling/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::resource::Quantity;
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{change_member, has_member, set_default};
use crate::autoscaling::{columns, conversion};
use crate::core::resources;
use crate::field::ObjectField;
use crate::row::Row;
use crate::strategy::Strategy;
use crate::types::Object;

const MAX_PERIOD: i64 = 1800;

const MAX_WINDOW: i64 = 3600;

/// Metric types and the field of each, in the order of validation.
const METRICS: [(&str, &str); 5] = [
    ("Object", "object"),
    ("External", "external"),
    ("Pods", "pods"),
    ("Resource", "resource"),
    ("ContainerResource", "containerResource"),
];

/// Strategy of HorizontalPodAutoscalers of autoscaling/v2
/// (pkg/registry/autoscaling/horizontalpodautoscaler, strategy.go).
#[derive(Debug)]
pub(crate) struct HorizontalPodAutoscalerStrategy;

impl Strategy for HorizontalPodAutoscalerStrategy {
    fn convert_from_equivalent(&self, autoscaler: Value) -> Value {
        conversion::to_v2(autoscaler)
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        validate_spec(object, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(columns::autoscaler_cells(row))
    }
}

/// Strategy of HorizontalPodAutoscalers of autoscaling/v1.
#[derive(Debug)]
pub(crate) struct HorizontalPodAutoscalerV1Strategy;

impl Strategy for HorizontalPodAutoscalerV1Strategy {
    fn stored_as(&self) -> Option<(&'static str, &'static str, &'static str)> {
        Some(("autoscaling", "v2", "horizontalpodautoscalers"))
    }

    /// Like v2, the internal type has no implicit target, and no annotations in its place.
    fn convert(&self, autoscaler: &mut Value) {
        *autoscaler = conversion::to_v1(conversion::to_v2(autoscaler.take()));
    }

    fn convert_from_equivalent(&self, autoscaler: Value) -> Value {
        conversion::to_v1(autoscaler)
    }

    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        validate_spec(object, out);
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        Some(columns::autoscaler_cells(row))
    }
}

/// Sets the defaults of an autoscaler of v2.
pub(crate) fn set_defaults(members: &mut Object) {
    change_member(members, "spec", set_spec_defaults);
}

/// Sets the defaults of an autoscaler of v1.
pub(crate) fn set_v1_defaults(members: &mut Object) {
    change_member(members, "spec", |spec| set_default(spec, "minReplicas", 1));
}

/// Sets the defaults of the spec of v2 (`SetDefaults_HorizontalPodAutoscaler`).
fn set_spec_defaults(spec: &mut Object) {
    set_default(spec, "minReplicas", 1);
    let cpu = json!([{
        "type": "Resource",
        "resource": {
            "name": "cpu",
            "target": {"type": "Utilization", "averageUtilization": 80},
        },
    }]);
    set_default(spec, "metrics", cpu);
    if !has_member(spec, "behavior") {
        return;
    }
    change_member(spec, "behavior", |behavior| {
        change_member(behavior, "scaleUp", |rules| {
            set_default(rules, "stabilizationWindowSeconds", 0);
            set_default(rules, "selectPolicy", "Max");
            let policies = json!([
                {"type": "Pods", "value": 4, "periodSeconds": 15},
                {"type": "Percent", "value": 100, "periodSeconds": 15},
            ]);
            set_default(rules, "policies", policies);
        });
        change_member(behavior, "scaleDown", |rules| {
            set_default(rules, "selectPolicy", "Max");
            let policies = json!([{"type": "Percent", "value": 100, "periodSeconds": 15}]);
            set_default(rules, "policies", policies);
        });
    });
}

/// Validates the spec of either version (`validateHorizontalPodAutoscalerSpec`).
fn validate_spec(object: &Value, out: &mut field::ErrorList) {
    let spec = ObjectField::spec(object);
    let (least, most) = (spec.at("minReplicas"), spec.at("maxReplicas"));
    least.within(1, i64::MAX, "must be greater than or equal to 1", out);
    match most.number() {
        0 => most.required("must be set and greater than 0", out),
        ..0 => most.invalid("must be greater than or equal to 1", out),
        _ => {}
    }
    if least.is_set() && most.number() < least.number() {
        let number = most.number().into();
        let detail = "must be greater than or equal to `minReplicas`";
        ObjectField::of(&number, &*most.path).invalid(detail, out);
    }
    validate_reference(&spec.at("scaleTargetRef"), true, out);
    validate_metrics(&spec, out);
    for rules in [
        spec.at("behavior").at("scaleUp"),
        spec.at("behavior").at("scaleDown"),
    ] {
        if rules.is_set() {
            validate_scaling_rules(&rules, out);
        }
    }
}

/// Validates a reference to an object by kind, name and `apiVersion`
/// (`ValidateCrossVersionObjectReference`).
fn validate_reference(object: &ObjectField<'_>, needs_group: bool, out: &mut field::ErrorList) {
    object
        .at("kind")
        .required_named(validation::path_segment, out);
    object
        .at("name")
        .required_named(validation::path_segment, out);
    let version = object.at("apiVersion");
    match version.text().matches('/').count() {
        0 if needs_group => version.invalid("apiVersion must specify API group", out),
        0 | 1 => {}
        _ => {
            let detail = format!("unexpected GroupVersion string: {}", version.text());
            version.invalid(&detail, out);
        }
    }
}

/// Validates the metrics (`validateMetrics`).
fn validate_metrics(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    // autoscaling/v1 has only a target for the CPU, which is validated like a metric of
    // autoscaling/v2.
    let percent = &spec.value["targetCPUUtilizationPercentage"];
    let only = json!([{"type": "Resource", "resource": {"name": "cpu", "target": {
        "type": "Utilization", "averageUtilization": percent,
    }}}]);
    let metrics = if percent.is_null() {
        spec.at("metrics")
    } else {
        ObjectField::of(&only, "spec.metrics")
    };
    for metric in metrics.items() {
        validate_metric(&metric, out);
    }
    let reaches_zero =
        |metric: &ObjectField<'_>| matches!(metric.at("type").text(), "Object" | "External");
    let least = spec.at("minReplicas");
    if least.is_set() && least.number() == 0 && !metrics.items().iter().any(reaches_zero) {
        let detail = "must specify at least one Object or External metric to support scaling to \
             zero replicas";
        metrics.forbidden(detail, out);
    }
}

/// Validates one metric. Exactly the source that its type names must be set (`validateMetricSpec`).
fn validate_metric(metric: &ObjectField<'_>, out: &mut field::ErrorList) {
    let kind = metric.at("type");
    let mut known = METRICS.map(|(kind, _)| kind);
    known.sort_unstable();
    if !kind.is_filled() {
        kind.required("must specify a metric source type", out);
    }
    kind.supported(&known, out);
    let present: Vec<_> = METRICS
        .into_iter()
        .filter(|(_, field)| metric.at(field).is_set())
        .collect();
    if let Some((kind, field)) = present.first() {
        validate_source(kind, &metric.at(field), out);
    }
    let expected = METRICS.into_iter().find(|(known, _)| *known == kind.text());
    // kube-apiserver reports an unknown type twice: first on its own, and again as having no source
    // (`validateMetricSpec`).
    match expected {
        Some((_, field)) if !metric.at(field).is_set() => {
            let detail = "must populate information for the given metric source";
            metric.at(field).required(detail, out);
        }
        Some(_) => {}
        None => kind.supported(&known, out),
    }
    if present.len() > 1 {
        for extra in present.into_iter().filter(|one| Some(*one) != expected) {
            metric
                .at(extra.1)
                .forbidden("must populate the given metric source only", out);
        }
    }
}

/// Validates the source of a metric: what is measured, and its target (`validateObjectSource` and
/// others).
fn validate_source(kind: &str, source: &ObjectField<'_>, out: &mut field::ErrorList) {
    let target = source.at("target");
    let [value, average, utilization] =
        ["value", "averageValue", "averageUtilization"].map(|name| target.at(name));
    match kind {
        "Object" => validate_reference(&source.at("describedObject"), false, out),
        "Resource" | "ContainerResource" => validate_resource_name(kind, source, out),
        _ => {}
    }
    let is_named = matches!(kind, "Object" | "External" | "Pods");
    if is_named {
        let name = source.at("metric").at("name");
        if name.is_filled() {
            name.named(validation::path_segment, out);
        } else {
            name.required("must specify a metric name", out);
        }
    }
    validate_metric_target(&target, out);
    let (has_value, has_average) = (value.is_set(), average.is_set());
    match kind {
        "Object" if !has_value && !has_average => {
            average.required("must set either a target value or averageValue", out);
        }
        "External" if !has_value && !has_average => {
            let detail = "must set either a target value for metric or a per-pod target";
            average.required(detail, out);
        }
        "External" if has_value && has_average => {
            let detail = "may not set both a target value for metric and a per-pod target";
            value.forbidden(detail, out);
        }
        "Pods" if !has_average => {
            average.required("must specify a positive target averageValue", out);
        }
        _ if is_named => {}
        _ if !utilization.is_set() && !has_average => {
            let detail = "must set either a target raw value or a target utilization";
            utilization.required(detail, out);
        }
        _ if utilization.is_set() && has_average => {
            let detail = "may not set both a target raw value and a target utilization";
            average.forbidden(detail, out);
        }
        _ => {}
    }
}

/// Validates the names of the resource and, for `ContainerResource`, of the container.
fn validate_resource_name(kind: &str, source: &ObjectField<'_>, out: &mut field::ErrorList) {
    let (name, container) = (source.at("name"), source.at("container"));
    let is_of_container = kind == "ContainerResource";
    if !name.is_filled() {
        name.required("must specify a resource name", out);
    } else if is_of_container {
        resources::validate_container_resource_name(name.text(), &name.path, out);
    }
    if is_of_container {
        if container.is_filled() {
            container.named(validation::label, out);
        } else {
            container.required("must specify a container", out);
        }
    }
}

/// Validates the target of a metric (`validateMetricTarget`).
fn validate_metric_target(target: &ObjectField<'_>, out: &mut field::ErrorList) {
    let kind = target.at("type");
    if !kind.is_filled() {
        kind.required("must specify a metric target type", out);
    }
    if !matches!(kind.text(), "Utilization" | "Value" | "AverageValue") {
        kind.invalid("must be either Utilization, Value, or AverageValue", out);
    }
    for amount in [target.at("value"), target.at("averageValue")] {
        if Quantity::parse(amount.text()).is_ok_and(|amount| !amount.sign().is_gt()) {
            amount.invalid("must be positive", out);
        }
    }
    let percent = target.at("averageUtilization");
    percent.within(1, i64::MAX, "must be greater than 0", out);
}

/// Validates the rules for scaling in one direction (`validateScalingRules`).
fn validate_scaling_rules(rules: &ObjectField<'_>, out: &mut field::ErrorList) {
    let window = rules.at("stabilizationWindowSeconds");
    if window.number() < 0 {
        window.invalid("must be greater than or equal to zero", out);
    }
    if window.number() > MAX_WINDOW {
        window.invalid("must be less than or equal to 3600", out);
    }
    rules
        .at("selectPolicy")
        .supported_if_set(&["Disabled", "Max", "Min"], out);
    let policies = rules.at("policies");
    if policies.has_none() {
        policies.required("must specify at least one Policy", out);
    }
    for policy in policies.items() {
        policy.at("type").supported(&["Percent", "Pods"], out);
        for count in [policy.at("value"), policy.at("periodSeconds")] {
            if count.number() <= 0 {
                count.invalid("must be greater than zero", out);
            }
        }
        let period = policy.at("periodSeconds");
        if period.number() > MAX_PERIOD {
            period.invalid("must be less than or equal to 1800", out);
        }
    }
    let tolerance = rules.at("tolerance");
    if Quantity::parse(tolerance.text()).is_ok_and(|amount| amount.sign().is_lt()) {
        tolerance.invalid("must be greater than or equal to 0", out);
    }
}
