//! Validation of ResourceQuotas and LimitRanges (pkg/apis/core/validation).

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde_json::Value;

use crate::builtins::core::resources;
use crate::builtins::field::ObjectField;
use crate::builtins::findings::{Causes, IMMUTABLE, go_list, go_struct, invalid_struct};
use crate::builtins::names;
use crate::types::Quantity;

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

/// Validates the spec of a ResourceQuota (`ValidateResourceQuotaSpec`).
pub(crate) fn quota(object: &Value, out: &mut Causes) {
    let spec = ObjectField::spec(object);
    for (name, amount) in spec.at("hard").entries() {
        resources::quota_name(name, &amount.path, out);
        resources::amount(name, &amount, out);
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
    conflicts(&chosen, &scopes, out);
    let selector = spec.at("scopeSelector");
    if selector.is_set() {
        scope_selector(&selector, &spec, out);
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

fn conflicts(chosen: &[&str], field: &ObjectField<'_>, out: &mut Causes) {
    for pair in PAIRS {
        if pair.iter().all(|scope| chosen.contains(scope)) {
            field.invalid("conflicting scopes", out);
        }
    }
}

/// Validates a scope selector. kube-apiserver's errors omit the index of a requirement.
fn scope_selector(selector: &ObjectField<'_>, spec: &ObjectField<'_>, out: &mut Causes) {
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
            let list = go_list(requirements.value, |one| {
                go_struct(one, &["ScopeName", "Operator", "Values"])
            });
            let printed = format!("{{\"MatchExpressions\":{list}}}");
            let detail = "unsupported scope applied to resource";
            out.push(invalid_struct(&requirements.path, &printed, detail));
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
    conflicts(&chosen, &requirements, out);
}

/// Validates an update of a ResourceQuota. Its scopes are immutable, except for their order.
pub(crate) fn quota_updated(new: &Value, old: &Value, out: &mut Causes) {
    quota(new, out);
    let [scopes, old] = [new, old].map(|object| ObjectField::spec(object).at("scopes"));
    let set = |scopes: &ObjectField<'_>| -> BTreeSet<String> {
        scopes
            .items()
            .iter()
            .map(|scope| scope.text().to_owned())
            .collect()
    };
    if set(&scopes) != set(&old) {
        out.push(genclient_schema::Cause::invalid(
            &scopes.path,
            scopes.value,
            IMMUTABLE,
        ));
    }
}

/// Fields of a LimitRange item that contain amounts.
const AMOUNTS: [&str; 5] = [
    "max",
    "min",
    "default",
    "defaultRequest",
    "maxLimitRequestRatio",
];

/// Validates the items of a LimitRange (`ValidateLimitRange`).
pub(crate) fn limit_range(object: &Value, out: &mut Causes) {
    let limits = ObjectField::spec(object).at("limits").items();
    for (at, limit) in limits.iter().enumerate() {
        let kind = limit.at("type");
        limit_type(&kind, out);
        if limits[..at]
            .iter()
            .any(|before| before.value["type"] == *kind.value)
        {
            kind.duplicate(out);
        }
        let mut names = BTreeSet::new();
        for list in AMOUNTS.map(|list| limit.at(list)) {
            let is_default =
                list.path.ends_with("default") || list.path.ends_with("defaultRequest");
            if is_default && kind.text() == "Pod" {
                if !list.has_none() {
                    list.forbidden("may not be specified when `type` is 'Pod'", out);
                }
                continue;
            }
            for (name, amount) in list.entries() {
                names.insert(name);
                match kind.text() {
                    "Pod" | "Container" => resources::container_name(name, &amount.path, out),
                    _ => resources::name(name, &amount.path, out),
                }
            }
        }
        let has_storage = |list: &str| limit.value[list].get("storage").is_some();
        if kind.text() == "PersistentVolumeClaim" && !has_storage("min") && !has_storage("max") {
            let detail = "either minimum or maximum storage value is required, but neither was \
                 provided";
            limit.at("limits").required(detail, out);
        }
        for name in names {
            Amounts::of(limit, name).check(out);
        }
    }
}

fn limit_type(kind: &ObjectField<'_>, out: &mut Causes) {
    let wrong = names::qualified(kind.text());
    let known = ["Container", "PersistentVolumeClaim", "Pod"];
    if !wrong.is_empty() {
        names::report(&kind.path, kind.text(), wrong, out);
    } else if !kind.text().contains('/') && !known.contains(&kind.text()) {
        kind.invalid("must be a standard limit type or fully qualified", out);
    }
}

/// Amounts of one resource in a LimitRange item.
struct Amounts<'a> {
    limit: &'a ObjectField<'a>,
    name: &'a str,
}

impl<'a> Amounts<'a> {
    fn of(limit: &'a ObjectField<'a>, name: &'a str) -> Self {
        Self { limit, name }
    }

    fn amount(&self, list: &str) -> Option<Quantity> {
        // kube-apiserver ignores the defaults in an item of the type `Pod`.
        let is_default = list.starts_with("default");
        let is_read = !is_default || self.limit.value["type"] != "Pod";
        let text = self.limit.value[list][self.name]
            .as_str()
            .filter(|_| is_read)?;
        Quantity::parse(text).ok()
    }

    fn report(&self, list: &str, value: &Quantity, detail: &str, out: &mut Causes) {
        let path = format!("{}.{list}[{}]", self.limit.path, self.name);
        ObjectField::of(&value.canonical().into(), path).invalid(detail, out);
    }

    fn check(&self, out: &mut Causes) {
        let request = ("defaultRequest", "default request value");
        let (default, least, most) = (("default", "default value"), "min", "max");
        self.ordered((least, "min value"), (most, "max value"), least, least, out);
        self.ordered((least, "min value"), request, request.0, request.0, out);
        self.ordered(request, (most, "max value"), request.0, request.0, out);
        let limit = ("default", "default limit value");
        self.ordered(request, limit, request.0, request.0, out);
        // If `default` is below the minimum, kube-apiserver prints the minimum as the value of
        // `default`. If `default` is above the maximum, it prints the maximum.
        self.ordered((least, "min value"), default, default.0, least, out);
        self.ordered(default, (most, "max value"), default.0, most, out);
        self.ratio(out);
    }

    /// Checks that the amount `low` is at most the amount `high`. The error is reported at `field`,
    /// with the value of `shown`.
    fn ordered(
        &self,
        (low, low_name): (&str, &str),
        (high, high_name): (&str, &str),
        field: &str,
        shown: &str,
        out: &mut Causes,
    ) {
        let (Some(least), Some(most)) = (self.amount(low), self.amount(high)) else {
            return;
        };
        if least.compare(&most) == Ordering::Greater {
            let [lesser, greater] = [&least, &most].map(Quantity::canonical);
            let detail = format!("{low_name} {lesser} is greater than {high_name} {greater}");
            let shown = if shown == low { &least } else { &most };
            self.report(field, shown, &detail, out);
        }
    }

    fn ratio(&self, out: &mut Causes) {
        let Some(ratio) = self.amount("maxLimitRequestRatio") else {
            return;
        };
        let text = ratio.canonical();
        let list = "maxLimitRequestRatio";
        if Quantity::parse("1").is_ok_and(|one| ratio.compare(&one).is_lt()) {
            self.report(list, &ratio, &format!("ratio {text} is less than 1"), out);
        }
        let (Some(least), Some(most)) = (self.amount("min"), self.amount("max")) else {
            return;
        };
        let most = most.as_f64() / least.as_f64();
        if ratio.as_f64() > most {
            let detail = format!("ratio {text} is greater than max/min = {most:.6}");
            self.report(list, &ratio, &detail, out);
        }
    }
}
