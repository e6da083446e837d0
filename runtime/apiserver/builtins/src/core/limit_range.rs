//! LimitRanges (pkg/apis/core/validation).

use std::cmp::Ordering;
use std::collections::BTreeSet;

use genclient_apimachinery::field;
use genclient_apimachinery::resource::Quantity;
use genclient_apimachinery::validation;
use serde_json::Value;

use crate::accessors::{change_member, member_text};
use crate::core::resources;
use crate::field::ObjectField;
use crate::names;
use crate::strategy::Strategy;
use crate::types::Object;

/// Fields of a LimitRange item that contain amounts.
const AMOUNTS: [&str; 5] = [
    "max",
    "min",
    "default",
    "defaultRequest",
    "maxLimitRequestRatio",
];

/// Strategy of LimitRanges (pkg/registry/core/limitrange, strategy.go).
#[derive(Debug)]
pub(crate) struct LimitRangeStrategy;

impl Strategy for LimitRangeStrategy {
    /// Validates the items of a LimitRange (`ValidateLimitRange`).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let limits = ObjectField::spec(object).at("limits").items();
        for (at, limit) in limits.iter().enumerate() {
            let kind = limit.at("type");
            validate_limit_type(&kind, out);
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
                        "Pod" | "Container" => {
                            resources::validate_container_resource_name(name, &amount.path, out)
                        }
                        _ => resources::validate_resource_name(name, &amount.path, out),
                    }
                }
            }
            let has_storage = |list: &str| limit.value[list].get("storage").is_some();
            if kind.text() == "PersistentVolumeClaim" && !has_storage("min") && !has_storage("max")
            {
                let detail = "either minimum or maximum storage value is required, but neither was \
                     provided";
                limit.at("limits").required(detail, out);
            }
            for name in names {
                Amounts::of(limit, name).check(out);
            }
        }
    }

    fn is_enforced(&self) -> bool {
        false
    }
}

/// Sets the defaults of a LimitRange item. The default limit of a resource is its maximum. The
/// default request is the default limit or, without one, the minimum.
pub(crate) fn set_item_defaults(item: &mut Object) {
    if member_text(item, "type") != "Container" {
        return;
    }
    for (from, to) in [
        ("max", "default"),
        ("default", "defaultRequest"),
        ("min", "defaultRequest"),
    ] {
        let Some(Value::Object(source)) = item.get(from).cloned() else {
            continue;
        };
        change_member(item, to, |target| {
            for (name, value) in source {
                target.entry(name).or_insert(value);
            }
        });
    }
}

fn validate_limit_type(kind: &ObjectField<'_>, out: &mut field::ErrorList) {
    let wrong = validation::label_key(kind.text());
    let known = ["Container", "PersistentVolumeClaim", "Pod"];
    if !wrong.is_empty() {
        names::report_name_errors(&kind.path, kind.text(), wrong, out);
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

    fn report(&self, list: &str, value: &Quantity, detail: &str, out: &mut field::ErrorList) {
        let path = format!("{}.{list}[{}]", self.limit.path, self.name);
        ObjectField::of(&value.canonical().into(), path).invalid(detail, out);
    }

    /// Compares the amounts of the resource with one another (`ValidateLimitRange`).
    fn check(&self, out: &mut field::ErrorList) {
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
        out: &mut field::ErrorList,
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

    /// Checks that the maximum ratio of limit to request is reachable.
    fn ratio(&self, out: &mut field::ErrorList) {
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
