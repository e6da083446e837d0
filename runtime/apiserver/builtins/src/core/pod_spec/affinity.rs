//! Validation of affinity and topology spread constraints of Pods (pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::validation;

use crate::field::ObjectField;
use crate::{names, selectors};

const REQUIRED: &str = "requiredDuringSchedulingIgnoredDuringExecution";

const PREFERRED: &str = "preferredDuringSchedulingIgnoredDuringExecution";

/// Validates the affinity of a Pod (`validateAffinity`).
pub(crate) fn validate_affinity(affinity: &ObjectField<'_>, out: &mut field::ErrorList) {
    validate_node_affinity(&affinity.at("nodeAffinity"), out);
    for pods in [affinity.at("podAffinity"), affinity.at("podAntiAffinity")] {
        for term in pods.at(REQUIRED).items() {
            validate_pod_term(&term, out);
        }
        for term in pods.at(PREFERRED).items() {
            validate_weight(&term, out);
            validate_pod_term(&term.at("podAffinityTerm"), out);
        }
    }
}

fn validate_weight(term: &ObjectField<'_>, out: &mut field::ErrorList) {
    let weight = term.at("weight");
    if !(1..=100).contains(&weight.number()) {
        weight.invalid("must be in the range 1-100", out);
    }
}

fn validate_node_affinity(nodes: &ObjectField<'_>, out: &mut field::ErrorList) {
    let required = nodes.at(REQUIRED);
    if required.is_set() {
        validate_node_selector(&required, out);
    }
    for term in nodes.at(PREFERRED).items() {
        validate_weight(&term, out);
        validate_node_term(&term.at("preference"), false, out);
    }
}

/// Validates the terms of a node selector (`ValidateNodeSelector`).
fn validate_node_selector(selector: &ObjectField<'_>, out: &mut field::ErrorList) {
    let terms = selector.at("nodeSelectorTerms");
    if terms.has_none() {
        terms.required("must have at least one node selector term", out);
    }
    for term in terms.items() {
        validate_node_term(&term, true, out);
    }
}

fn validate_node_term(
    term: &ObjectField<'_>,
    checks_label_values: bool,
    out: &mut field::ErrorList,
) {
    for requirement in term.at("matchExpressions").items() {
        validate_label_requirement(&requirement, checks_label_values, out);
    }
    for requirement in term.at("matchFields").items() {
        validate_field_requirement(&requirement, out);
    }
}

/// Validates a requirement on a label of Nodes (`ValidateNodeSelectorRequirement`).
fn validate_label_requirement(
    requirement: &ObjectField<'_>,
    checks_label_values: bool,
    out: &mut field::ErrorList,
) {
    let (operator, values) = (requirement.at("operator"), requirement.at("values"));
    match operator.text() {
        "In" | "NotIn" if values.has_none() => {
            values.required("must be specified when `operator` is 'In' or 'NotIn'", out);
        }
        "Exists" | "DoesNotExist" if !values.has_none() => {
            let detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";
            values.forbidden(detail, out);
        }
        "Gt" | "Lt" if values.items().len() != 1 => {
            let detail = "must be specified single value when `operator` is 'Lt' or 'Gt'";
            values.required(detail, out);
        }
        "In" | "NotIn" | "Exists" | "DoesNotExist" | "Gt" | "Lt" => {}
        _ => operator.invalid("not a valid selector operator", out),
    }
    requirement.at("key").named(validation::label_key, out);
    for value in values.items().iter().filter(|_| checks_label_values) {
        value.named(validation::label_value, out);
    }
}

/// Validates a requirement in `matchFields`. The only supported field is `metadata.name`.
fn validate_field_requirement(requirement: &ObjectField<'_>, out: &mut field::ErrorList) {
    let (operator, values) = (requirement.at("operator"), requirement.at("values"));
    match operator.text() {
        "In" | "NotIn" if values.items().len() == 1 => {}
        "In" | "NotIn" => {
            let detail = "must be only one value when `operator` is 'In' or 'NotIn' for node field \
                 selector";
            values.required(detail, out);
        }
        _ => operator.invalid("not a valid selector operator", out),
    }
    let key = requirement.at("key");
    if key.text() != "metadata.name" {
        return key.invalid("not a valid field selector key", out);
    }
    for value in values.items() {
        value.named(validation::subdomain, out);
    }
}

/// Validates a term of Pod affinity or anti-affinity (`validatePodAffinityTerm`).
fn validate_pod_term(term: &ObjectField<'_>, out: &mut field::ErrorList) {
    for selector in [term.at("labelSelector"), term.at("namespaceSelector")] {
        selectors::validate_selector(selector.value, &selector.path, out);
    }
    for namespace in term.at("namespaces").items() {
        let name = namespace.text();
        names::report_name_errors(
            &format!("{}.namespace", term.path),
            name,
            validation::label(name),
            out,
        );
    }
    validate_label_keys(term, out);
    validate_topology_key(&term.at("topologyKey"), out);
    term.at("topologyKey").named(validation::label_key, out);
}

fn validate_topology_key(key: &ObjectField<'_>, out: &mut field::ErrorList) {
    if !key.is_filled() {
        key.required("can not be empty", out);
    }
}

/// Validates `matchLabelKeys` and `mismatchLabelKeys`: keys of Pod labels that Kubernetes adds to
/// `labelSelector`.
fn validate_label_keys(term: &ObjectField<'_>, out: &mut field::ErrorList) {
    let (matching, mismatching) = (term.at("matchLabelKeys"), term.at("mismatchLabelKeys"));
    for keys in [&matching, &mismatching] {
        if keys.has_none() {
            continue;
        }
        if !term.at("labelSelector").is_set() {
            keys.forbidden("must not be specified when labelSelector is not set", out);
            continue;
        }
        for key in keys.items() {
            key.named(validation::label_key, out);
        }
    }
    let excluded = mismatching.items();
    for key in matching.items() {
        if excluded.iter().any(|other| other.value == key.value) {
            key.invalid("exists in both matchLabelKeys and mismatchLabelKeys", out);
        }
    }
}

/// Validates topology spread constraints (`validateTopologySpreadConstraints`).
pub(crate) fn validate_spread(constraints: &ObjectField<'_>, out: &mut field::ErrorList) {
    let constraints = constraints.items();
    for (at, constraint) in constraints.iter().enumerate() {
        validate_positive(&constraint.at("maxSkew"), out);
        let (key, action) = (
            constraint.at("topologyKey"),
            constraint.at("whenUnsatisfiable"),
        );
        validate_topology_key(&key, out);
        action.supported(&["DoNotSchedule", "ScheduleAnyway"], out);
        let same = |other: &ObjectField<'_>| {
            ["topologyKey", "whenUnsatisfiable"]
                .iter()
                .all(|part| other.value[*part] == constraint.value[*part])
        };
        if constraints[at + 1..].iter().any(same) {
            let pair = format!("{{{}, {}}}", key.text(), action.text());
            validate_constraint_pair(constraint, &pair, out);
        }
        validate_min_domains(constraint, out);
        for name in ["nodeAffinityPolicy", "nodeTaintsPolicy"] {
            constraint
                .at(name)
                .supported_if_set(&["Honor", "Ignore"], out);
        }
        validate_label_keys(constraint, out);
        let selector = constraint.at("labelSelector");
        selectors::validate_selector(selector.value, &selector.path, out);
    }
}

fn validate_constraint_pair(constraint: &ObjectField<'_>, pair: &str, out: &mut field::ErrorList) {
    let path = format!("{}.{{topologyKey, whenUnsatisfiable}}", constraint.path);
    ObjectField::of(&pair.into(), path).duplicate(out);
}

/// Validates `minDomains` of a topology spread constraint (`validateMinDomains`).
fn validate_min_domains(constraint: &ObjectField<'_>, out: &mut field::ErrorList) {
    let domains = constraint.at("minDomains");
    if !domains.is_set() {
        return;
    }
    validate_positive(&domains, out);
    let action = constraint.at("whenUnsatisfiable").text();
    if action != "DoNotSchedule" {
        let detail =
            format!("can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}");
        domains.invalid(&detail, out);
    }
}

fn validate_positive(count: &ObjectField<'_>, out: &mut field::ErrorList) {
    if count.number() <= 0 {
        count.invalid("must be greater than zero", out);
    }
}
