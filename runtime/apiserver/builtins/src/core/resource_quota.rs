//! ResourceQuotas (pkg/apis/core/validation).

use std::cmp::Ordering;
use std::collections::BTreeSet;

use genclient_apimachinery::field;
use genclient_apimachinery::go::json_list;
use genclient_apimachinery::resource::Quantity;
use genclient_apimachinery::unstructured::str_or_empty;
use serde_json::{Value, json};

use crate::accessors::text_or;
use crate::core::resources;
use crate::field::ObjectField;
use crate::findings::{IMMUTABLE, go_struct};
use crate::row::Row;
use crate::strategy::Strategy;
use crate::warnings::Warnings;

/// Quota scopes, each with the resources that a quota of this scope can limit.
const SCOPES: [(&str, &[&str]); 7] = [
    ("Terminating", OF_PODS),
    ("NotTerminating", OF_PODS),
    ("BestEffort", &["pods"]),
    ("NotBestEffort", OF_PODS),
    ("PriorityClass", OF_PODS),
    ("CrossNamespacePodAffinity", OF_PODS),
    (
        "VolumeAttributesClass",
        &["persistentvolumeclaims", "requests.storage"],
    ),
];

const OF_PODS: &[&str] = &[
    "pods",
    "cpu",
    "memory",
    "limits.cpu",
    "limits.memory",
    "requests.cpu",
    "requests.memory",
];

/// Scopes that exclude each other.
const PAIRS: [[&str; 2]; 2] = [
    ["BestEffort", "NotBestEffort"],
    ["Terminating", "NotTerminating"],
];

/// Strategy of ResourceQuotas (pkg/registry/core/resourcequota, strategy.go).
#[derive(Debug)]
pub(crate) struct ResourceQuotaStrategy;

impl Strategy for ResourceQuotaStrategy {
    /// Validates the spec of a ResourceQuota (`ValidateResourceQuotaSpec`).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = ObjectField::spec(object);
        for (name, amount) in spec.at("hard").entries() {
            resources::validate_quota_name(name, &amount.path, out);
            resources::validate_amount(name, &amount, out);
        }
        let scopes = spec.at("scopes");
        let chosen: Vec<_> = scopes.items().iter().map(ObjectField::text).collect();
        for scope in &chosen {
            if !is_scope(scope) {
                scopes.invalid("unsupported scope", out);
            }
            for _ in unsupported_by_scope(scope, &spec) {
                scopes.invalid("unsupported scope applied to resource", out);
            }
        }
        validate_scope_conflicts(&chosen, &scopes, out);
        let selector = spec.at("scopeSelector");
        if selector.is_set() {
            validate_scope_selector(&selector, &spec, out);
        }
    }

    /// Validates an update of a ResourceQuota. Its scopes are immutable, except for their order.
    fn validate_update(&self, new: &Value, old: &Value, out: &mut field::ErrorList) {
        self.validate(new, out);
        let [scopes, old] = [new, old].map(|object| ObjectField::spec(object).at("scopes"));
        let set = |scopes: &ObjectField<'_>| -> BTreeSet<String> {
            scopes
                .items()
                .iter()
                .map(|scope| scope.text().to_owned())
                .collect()
        };
        if set(&scopes) != set(&old) {
            out.push(field::Error::invalid(&scopes.path, scopes.value, IMMUTABLE));
        }
    }

    /// Warns about requests that exceed their limits.
    fn warn_on_create(&self, quota: &Value, out: &mut Warnings) {
        let hard = &quota["spec"]["hard"];
        let amount = |name: String| {
            let text = hard[&*name].as_str()?.to_owned();
            let amount = Quantity::parse(&text).ok()?;
            Some((name, text, amount))
        };
        for resource in ["cpu", "memory", "storage", "ephemeral-storage"] {
            let has_bare_name = ["cpu", "memory"].contains(&resource);
            let bare = || has_bare_name.then(|| amount(resource.to_owned())).flatten();
            let request = amount(format!("requests.{resource}")).or_else(bare);
            let limit = amount(format!("limits.{resource}"));
            if let (Some(request), Some(limit)) = (request, limit)
                && request.2.compare(&limit.2) == Ordering::Greater
            {
                out.push(format!(
                    "ResourceQuota {} ({}) should be less than {} ({})",
                    request.0, request.1, limit.0, limit.1
                ));
            }
        }
    }

    /// kube-apiserver sends no warnings about updates.
    fn warn_on_update(&self, _new: &Value, _old: &Value, _out: &mut Warnings) {}

    fn is_enforced(&self) -> bool {
        false
    }

    fn cells(&self, row: Row<'_>) -> Option<Vec<Value>> {
        let [requests, limits] = format_used_amounts(row.status());
        Some(vec![row.name(), json!(requests), json!(limits), row.age()])
    }
}

fn is_scope(name: &str) -> bool {
    SCOPES.iter().any(|(scope, _)| *scope == name)
}

/// Returns the resources in `hard` that a quota with this scope cannot limit.
fn unsupported_by_scope<'a>(scope: &str, spec: &ObjectField<'a>) -> Vec<&'a str> {
    let resources = SCOPES.iter().find(|(name, _)| *name == scope);
    let Some((_, known)) = resources else {
        return Vec::new();
    };
    let limited = spec.at("hard").entries().into_iter().map(|(name, _)| name);
    limited
        .filter(|name| resources::is_of_quotas(name) && !known.contains(name))
        .collect()
}

fn validate_scope_conflicts(chosen: &[&str], field: &ObjectField<'_>, out: &mut field::ErrorList) {
    for pair in PAIRS {
        if pair.iter().all(|scope| chosen.contains(scope)) {
            field.invalid("conflicting scopes", out);
        }
    }
}

/// Validates a scope selector. kube-apiserver's errors omit the index of a requirement.
fn validate_scope_selector(
    selector: &ObjectField<'_>,
    spec: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    let requirements = selector.at("matchExpressions");
    let mut chosen = Vec::new();
    for requirement in requirements.items() {
        let [scope, operator, values] = ["scopeName", "operator", "values"].map(|name| {
            ObjectField::of(
                &requirement.value[name],
                format!("{}.{name}", requirements.path),
            )
        });
        if !is_scope(scope.text()) {
            scope.invalid("unsupported scope", out);
        }
        for _ in unsupported_by_scope(scope.text(), spec) {
            let list = json_list(requirements.value, |one| {
                go_struct(one, &["ScopeName", "Operator", "Values"])
            });
            let printed = format!("{{\"MatchExpressions\":{list}}}");
            let detail = "unsupported scope applied to resource";
            out.push(field::Error::invalid_text(
                &*requirements.path,
                &printed,
                detail,
            ));
        }
        let has_values = matches!(scope.text(), "PriorityClass" | "VolumeAttributesClass");
        if is_scope(scope.text()) && !has_values && operator.text() != "Exists" {
            let detail = "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, \
                 ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, \
                 ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity";
            operator.invalid(detail, out);
        }
        match operator.text() {
            "In" | "NotIn" if values.has_none() => {
                let detail = "must be at least one value when `operator` is 'In' or 'NotIn' for \
                     scope selector";
                values.required(detail, out);
            }
            "Exists" | "DoesNotExist" if !values.has_none() => {
                let detail = "must be no value when `operator` is 'Exist' or 'DoesNotExist' for \
                     scope selector";
                values.invalid(detail, out);
            }
            "In" | "NotIn" | "Exists" | "DoesNotExist" => {}
            _ => operator.invalid("not a valid selector operator", out),
        }
        chosen.push(scope.text());
    }
    validate_scope_conflicts(&chosen, &requirements, out);
}

/// Formats the used and hard amounts of a quota. The second text has the resources with the prefix
/// `limits.`, the first text all others.
fn format_used_amounts(status: &Value) -> [String; 2] {
    let mut columns = [Vec::new(), Vec::new()];
    for (resource, hard) in status["hard"].as_object().into_iter().flatten() {
        let used = text_or(&status["used"][resource], "0");
        let [requests, limits] = &mut columns;
        let column = if resource.starts_with("limits.") {
            limits
        } else {
            requests
        };
        column.push(format!("{resource}: {used}/{}", str_or_empty(hard)));
    }
    columns.map(|column| column.join(", "))
}
