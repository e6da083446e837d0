//! Validation of resource names, amounts and claims (`validateResourceRequirements` in
//! pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::resource::Quantity;
use genclient_apimachinery::unstructured::str_field;
use genclient_apimachinery::validation;
use serde_json::Value;

use crate::field::ObjectField;
use crate::findings::{NOT_NEGATIVE, go_struct};
use crate::names;
use crate::types::quoted;
use crate::warnings::Warnings;

/// Standard resources that containers can request and limit.
const OF_CONTAINERS: &[&str] = &["cpu", "memory", "ephemeral-storage"];

/// Other standard resources (`standardResources`). Quotas can limit all of them except `storage`.
const STANDARD: &[&str] = &[
    "configmaps",
    "limits.cpu",
    "limits.ephemeral-storage",
    "limits.memory",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "requests.cpu",
    "requests.ephemeral-storage",
    "requests.memory",
    "requests.storage",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
    "storage",
];

/// Resources whose amounts must be integers, besides extended resources (`integerResources`).
const COUNTED: &[&str] = &[
    "configmaps",
    "persistentvolumeclaims",
    "pods",
    "replicationcontrollers",
    "resourcequotas",
    "secrets",
    "services",
    "services.loadbalancers",
    "services.nodeports",
];

const HUGE_PAGES: &str = "hugepages-";

/// Validates the limits and requests of a container, and compares each request with its limit.
pub(crate) fn validate_requirements(resources: &Value, path: &str, out: &mut field::ErrorList) {
    let list = |name: &str| resources[name].as_object().into_iter().flatten();
    validate_limits(&resources["limits"], &format!("{path}.limits"), out);
    for (name, request) in list("requests") {
        validate_container_amount(name, request, &format!("{path}.requests[{name}]"), out);
        validate_request_at_most_limit(name, request, &resources["limits"][name], path, out);
        // Huge pages of limits are validated with their amounts.
        validate_huge_pages(name, request, &format!("{path}.requests[{name}]"), out);
    }
    let names = || list("limits").chain(list("requests")).map(|(name, _)| name);
    let has_base = names().any(|name| matches!(name.as_str(), "cpu" | "memory"));
    if !has_base && names().any(|name| name.starts_with(HUGE_PAGES)) {
        out.push(field::Error::forbidden(
            path,
            "HugePages require cpu or memory",
        ));
    }
}

/// Validates a map from resource names to amounts (`ResourceList` in Go), such as the limits of a
/// container.
pub(crate) fn validate_limits(limits: &Value, path: &str, out: &mut field::ErrorList) {
    for (name, amount) in limits.as_object().into_iter().flatten() {
        validate_container_amount(name, amount, &format!("{path}[{name}]"), out);
    }
}

/// Validates `resourceClaims` of a Pod.
pub(crate) fn validate_pod_claims(claims: &ObjectField<'_>, out: &mut field::ErrorList) {
    let mut seen = Vec::new();
    for claim in claims.items() {
        let name = claim.at("name");
        if seen.contains(&name.text()) {
            name.duplicate(out);
        } else {
            name.required_named(validation::label, out);
            seen.push(name.text());
        }
        let sources = ["resourceClaimName", "resourceClaimTemplateName"];
        let sources = sources.map(|source| claim.at(source));
        let detail = match [&sources[0], &sources[1]].map(ObjectField::is_set) {
            [true, true] => {
                "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            }
            [false, false] => {
                "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            }
            _ => "",
        };
        if !detail.is_empty() {
            let fields = ["Name", "ResourceClaimName", "ResourceClaimTemplateName"];
            let printed = go_struct(claim.value, &fields);
            out.push(field::Error::invalid_text(&*claim.path, &printed, detail));
        }
        for source in sources {
            source.named_if_filled(validation::subdomain, out);
        }
    }
}

/// Checks that each claim of a container names one of the Pod's `resourceClaims`.
pub(crate) fn validate_claims(
    claims: &ObjectField<'_>,
    spec: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    let mut known: Vec<_> = spec
        .at("resourceClaims")
        .items()
        .iter()
        .map(|claim| str_field(claim.value, "name"))
        .collect();
    known.sort_unstable();
    for claim in claims.items() {
        let name = str_field(claim.value, "name");
        if name.is_empty() {
            claim.required("", out);
        } else if !known.contains(&name) {
            let list = if known.is_empty() {
                " which is empty".to_owned()
            } else {
                format!(": {}", known.join(", "))
            };
            let mut cause = field::Error::not_found(&claim.path, &name.into());
            cause.message += ": must be one of the names in pod.spec.resourceClaims";
            cause.message += &list;
            out.push(cause);
        }
    }
}

/// Validates the name and the amount of a resource of a container.
fn validate_container_amount(name: &str, amount: &Value, path: &str, out: &mut field::ErrorList) {
    validate_container_resource_name(name, path, out);
    validate_amount(name, &ObjectField::of(amount, path), out);
    if path.ends_with(&format!(".limits[{name}]")) && parse_quantity(amount).is_some() {
        validate_huge_pages(name, amount, path, out);
    }
}

/// Checks that a resource name is standard or has a domain (`validateResourceName`).
pub(crate) fn validate_resource_name(name: &str, path: &str, out: &mut field::ErrorList) {
    let wrong = validation::label_key(name);
    let detail = "must be a standard resource type or fully qualified";
    if wrong.is_empty() && !name.contains('/') && !is_standard(name) {
        out.push(field::Error::invalid(path, &name.into(), detail));
    }
    names::report_name_errors(path, name, wrong, out);
}

/// Checks that a container can use a resource (`validateContainerResourceName`).
pub(crate) fn validate_container_resource_name(name: &str, path: &str, out: &mut field::ErrorList) {
    validate_resource_name(name, path, out);
    let (is_known, detail) = if name.contains('/') {
        let detail = "doesn't follow extended resource name standard";
        (is_native(name) || is_extended(name), detail)
    } else {
        let is_standard = OF_CONTAINERS.contains(&name) || name.starts_with(HUGE_PAGES);
        (is_standard, "must be a standard resource for containers")
    };
    if is_known {
        return;
    }
    out.push(field::Error::invalid(path, &name.into(), detail));
}

/// Checks that a quota can limit a resource (`ValidateResourceQuotaResourceName`).
pub(crate) fn validate_quota_name(name: &str, path: &str, out: &mut field::ErrorList) {
    validate_resource_name(name, path, out);
    if !name.contains('/') && !is_of_quotas(name) {
        let detail = "must be a standard resource for quota";
        out.push(field::Error::invalid(path, &name.into(), detail));
    }
}

/// Returns whether a name is a standard resource that a quota can limit.
pub(crate) fn is_of_quotas(name: &str) -> bool {
    is_standard(name) && name != "storage"
}

/// Checks that an amount is not negative, and is an integer where the resource requires it
/// (`ValidateResourceQuantityValue`).
pub(crate) fn validate_amount(name: &str, amount: &ObjectField<'_>, out: &mut field::ErrorList) {
    let Some(mut quantity) = parse_quantity(amount.value) else {
        return;
    };
    if quantity.sign().is_lt() {
        amount.invalid(NOT_NEGATIVE, out);
    }
    // Go compares thousandths (`MilliValue`), which are rounded up.
    quantity.round_up(-3);
    let is_counted = COUNTED.contains(&name) || is_extended(name);
    if is_counted && !quantity.is_whole() {
        amount.invalid("must be an integer", out);
    }
}

/// Checks that a request is at most its limit. If the resource cannot be overcommitted, the limit
/// must be set and equal to the request.
fn validate_request_at_most_limit(
    name: &str,
    request: &Value,
    limit: &Value,
    path: &str,
    out: &mut field::ErrorList,
) {
    let can_overcommit = is_native(name) && !name.starts_with(HUGE_PAGES);
    let Some(most) = parse_quantity(limit) else {
        if !can_overcommit {
            let detail = "Limit must be set for non overcommitable resources";
            out.push(field::Error::required(format!("{path}.limits"), detail));
        }
        return;
    };
    let Some(asked) = parse_quantity(request) else {
        return;
    };
    let order = asked.compare(&most);
    let (is_kept, rule) = if can_overcommit {
        (order.is_le(), "less than or equal to")
    } else {
        (order.is_eq(), "equal to")
    };
    if is_kept {
        return;
    }
    let most = most.canonical();
    let detail = format!("must be {rule} {name} limit of {most}");
    out.push(field::Error::invalid(
        format!("{path}.requests"),
        request,
        &detail,
    ));
}

/// Checks that an amount of huge pages is a multiple of the page size.
fn validate_huge_pages(name: &str, amount: &Value, path: &str, out: &mut field::ErrorList) {
    let Some(size) = name.strip_prefix(HUGE_PAGES) else {
        return;
    };
    let Some(quantity) = parse_quantity(amount) else {
        return;
    };
    let size = Quantity::parse(size).ok();
    if !size.is_some_and(|size| quantity.is_multiple_of(&size)) {
        let amount = quantity.canonical();
        let detail = format!("{amount} is not positive integer multiple of {name}");
        out.push(field::Error::invalid(path, &amount.into(), &detail));
    }
}

fn parse_quantity(value: &Value) -> Option<Quantity> {
    Quantity::parse(value.as_str()?).ok()
}

/// Returns whether a name is one of Kubernetes' own resources (`IsStandardResourceName`).
fn is_standard(name: &str) -> bool {
    let below = name.strip_prefix("requests.").unwrap_or(name);
    OF_CONTAINERS.contains(&name) || STANDARD.contains(&name) || below.starts_with(HUGE_PAGES)
}

/// Returns whether a resource name has no domain, or one that ends in `kubernetes.io`.
fn is_native(name: &str) -> bool {
    !name.contains('/') || name.contains("kubernetes.io/")
}

/// Returns whether a name has a domain, and is not a quota on such a resource
/// (`IsExtendedResourceName`).
fn is_extended(name: &str) -> bool {
    let of_quota = format!("requests.{name}");
    !is_native(name)
        && !name.starts_with("requests.")
        && validation::label_key(&of_quota).is_empty()
}

/// Warns if an amount of bytes is not an integer.
pub(crate) fn warn_fractional_bytes(
    amounts: &Value,
    resource: &str,
    path: &str,
    out: &mut Warnings,
) {
    let amount = str_field(amounts, resource);
    if Quantity::parse(amount).is_ok_and(|quantity| !quantity.is_whole()) {
        let amount = quoted(amount);
        out.push(format!(
            "{path}[{resource}]: fractional byte value {amount} is invalid, must be an integer"
        ));
    }
}
