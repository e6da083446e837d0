//! Validation of Pods and Pod templates (pkg/apis/core/validation).

pub(crate) mod affinity;
pub(crate) mod app_armor;
pub(crate) mod containers;
pub(crate) mod dns;
pub(crate) mod environment;
pub(crate) mod image;
pub(crate) mod mounts;
pub(crate) mod ports;
pub(crate) mod probes;
pub(crate) mod security;
pub(crate) mod volume_paths;
pub(crate) mod volumes;
pub(crate) mod warnings;

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_field};
use genclient_apimachinery::validation;
use serde_json::{Value, json};

use crate::accessors::{member_text, set_default};
use crate::core::pod_spec::volumes::SpecOwner;
use crate::core::resources;
use crate::field::{NameForm, ObjectField};
use crate::findings::supported;
use crate::types::Object;
use crate::{names, selectors};

/// Validates the metadata and the spec of a Pod template.
pub(crate) fn validate_template(template: &Value, path: &str, out: &mut field::ErrorList) {
    validate_template_metadata(template, path, out);
    let spec = ObjectField::of(&template["spec"], format!("{path}.spec"));
    validate_spec(&spec, SpecOwner::Template, out);
    let ephemeral = spec.at("ephemeralContainers");
    if !ephemeral.has_none() {
        ephemeral.forbidden("ephemeral containers not allowed in pod template", out);
    }
}

/// Validates the labels and annotations of a Pod template.
pub(crate) fn validate_template_metadata(template: &Value, path: &str, out: &mut field::ErrorList) {
    let metadata = ObjectField::of(&template["metadata"], path);
    let labels = metadata.at("labels");
    selectors::validate_labels(labels.value, &labels.path, out);
    let annotations = metadata.at("annotations");
    for (key, _) in annotations.entries() {
        let lower = key.to_lowercase();
        names::report_name_errors(&annotations.path, key, validation::label_key(&lower), out);
    }
    security::validate_annotations(&annotations, &template["spec"], out);
}

/// Validates the spec of a Pod or a template (`ValidatePodSpec`).
pub(crate) fn validate_spec(spec: &ObjectField<'_>, owner: SpecOwner, out: &mut field::ErrorList) {
    let (value, path) = (spec.value, &*spec.path);
    let volumes = volumes::validate_volumes(spec, owner, out);
    resources::validate_pod_claims(&spec.at("resourceClaims"), out);
    containers::validate_containers(spec, &volumes, out);
    validate_host_network_ports(spec, owner, out);
    let policies = ["Always", "OnFailure", "Never"];
    spec.at("restartPolicy").supported(&policies, out);
    let policies = ["ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"];
    spec.at("dnsPolicy").supported(&policies, out);
    let field = spec.at("nodeSelector");
    selectors::validate_labels(field.value, &field.path, out);
    security::validate_pod_security(spec, out);
    affinity::validate_affinity(&spec.at("affinity"), out);
    dns::validate_dns(spec, out);
    for gate in spec.at("readinessGates").items() {
        gate.at("conditionType").named(validation::label_key, out);
    }
    validate_scheduling_gates(value, path, out);
    affinity::validate_spread(&spec.at("topologySpreadConstraints"), out);
    security::validate_host_users(spec, out);
    validate_hostname(spec, out);
    for (name, form) in NAMES {
        spec.at(name).named_if_filled(form, out);
    }
    let detail = "must be between 1 and 2147483647, inclusive";
    spec.at("activeDeadlineSeconds")
        .within(1, i32::MAX.into(), detail, out);
    validate_tolerations(value, path, out);
    dns::validate_host_aliases(&spec.at("hostAliases"), out);
    let policies = ["Never", "PreemptLowerPriority"];
    spec.at("preemptionPolicy").supported_if_set(&policies, out);
    let overhead = spec.at("overhead");
    // `validateOverhead` reports errors as if the overhead were the limits of a container.
    let requirements = json!({ "limits": overhead.value });
    resources::validate_requirements(&requirements, &overhead.path, out);
    security::validate_operating_system(spec, out);
}

const NAMES: [(&str, NameForm); 6] = [
    ("serviceAccountName", validation::subdomain),
    ("nodeName", validation::subdomain),
    ("hostname", validation::label),
    ("subdomain", validation::label),
    ("priorityClassName", validation::subdomain),
    ("runtimeClassName", validation::subdomain),
];

/// Validates `hostnameOverride`.
fn validate_hostname(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    let name = spec.at("hostnameOverride");
    if !name.is_set() {
        return;
    }
    if spec.at("setHostnameAsFQDN").is_true() {
        let detail = "may not be specified when setHostnameAsFQDN is true";
        name.forbidden(detail, out);
    }
    if spec.at("hostNetwork").is_true() {
        name.forbidden("may not be specified when hostNetwork is true", out);
    }
    if name.text().len() > 64 {
        out.push(field::Error::too_long(&name.path, 64));
    }
    name.named(validation::subdomain, out);
}

/// If `hostNetwork` is true, checks that host ports equal the container ports. A template may omit
/// host ports.
fn validate_host_network_ports(
    spec: &ObjectField<'_>,
    owner: SpecOwner,
    out: &mut field::ErrorList,
) {
    if !spec.at("hostNetwork").is_true() {
        return;
    }
    let containers = spec.at("containers").items().into_iter();
    for port in containers.flat_map(|container| container.at("ports").items()) {
        let host = port.at("hostPort");
        let is_looked_at = owner == SpecOwner::Pod || host.number() != 0;
        if is_looked_at && host.number() != port.at("containerPort").number() {
            let detail = "must match `containerPort` when `hostNetwork` is true";
            let number = host.number().into();
            out.push(field::Error::invalid(host.path, &number, detail));
        }
    }
}

/// Validates scheduling gates. Their names are unique (`validateSchedulingGates`).
fn validate_scheduling_gates(spec: &Value, path: &str, out: &mut field::ErrorList) {
    let gates = list_field(spec, "schedulingGates");
    for (at, gate) in gates.iter().enumerate() {
        let (name, field) = (
            str_field(gate, "name"),
            format!("{path}.schedulingGates[{at}]"),
        );
        names::report_name_errors(&field, name, validation::label_key(name), out);
        if gates[..at]
            .iter()
            .any(|before| str_field(before, "name") == name)
        {
            out.push(field::Error::duplicate(field, &name.into()));
        }
    }
}

/// Validates tolerations (`ValidateTolerations`).
pub(crate) fn validate_tolerations(spec: &Value, path: &str, out: &mut field::ErrorList) {
    for (at, toleration) in list_field(spec, "tolerations").iter().enumerate() {
        let path = format!("{path}.tolerations[{at}]");
        let part = |name| str_field(toleration, name);
        let (key, operator, value) = (part("key"), part("operator"), part("value"));
        let field = format!("{path}.operator");
        if !key.is_empty() {
            names::report_name_errors(&format!("{path}.key"), key, validation::label_key(key), out);
        } else if operator != "Exists" {
            let detail = "operator must be Exists when `key` is empty, which means \"match all \
                 values and all keys\"";
            out.push(field::Error::invalid(
                field.clone(),
                &operator.into(),
                detail,
            ));
        }
        if !toleration["tolerationSeconds"].is_null() && part("effect") != "NoExecute" {
            let detail = "effect must be 'NoExecute' when `tolerationSeconds` is set";
            let effect = part("effect").into();
            out.push(field::Error::invalid(
                format!("{path}.effect"),
                &effect,
                detail,
            ));
        }
        match operator {
            "" | "Equal" => {
                names::report_name_errors(&field, value, validation::label_value(value), out)
            }
            "Exists" if !value.is_empty() => {
                let detail = "value must be empty when `operator` is 'Exists'";
                out.push(field::Error::invalid(field, &value.into(), detail));
            }
            "Exists" => {}
            // `Lt` and `Gt` need the feature gate TaintTolerationComparisonOperators, which is off.
            // The message lists them nevertheless.
            "Lt" | "Gt" => {
                let known = ["Equal", "Exists", "Lt", "Gt"];
                out.push(field::Error::not_supported(field, &operator.into(), &known));
            }
            other => {
                out.push(field::Error::not_supported(
                    field,
                    &other.into(),
                    &["Equal", "Exists"],
                ));
            }
        }
        let effects = ["NoSchedule", "PreferNoSchedule", "NoExecute"];
        if !part("effect").is_empty() {
            supported(
                format!("{path}.effect"),
                &toleration["effect"],
                &effects,
                out,
            );
        }
    }
}

/// Sets the defaults of a Pod's spec or of that in a template (`SetDefaults_PodSpec`).
pub(crate) fn set_defaults(spec: &mut Object) {
    set_default(spec, "dnsPolicy", "ClusterFirst");
    set_default(spec, "restartPolicy", "Always");
    set_default(spec, "securityContext", json!({}));
    set_default(spec, "terminationGracePeriodSeconds", 30);
    set_default(spec, "schedulerName", "default-scheduler");
    // As in Kubernetes' conversion, `serviceAccount` and `serviceAccountName` get the same value.
    // If both are set, the value of `serviceAccountName` is used.
    let account = match member_text(spec, "serviceAccountName") {
        "" => member_text(spec, "serviceAccount").to_owned(),
        name => name.to_owned(),
    };
    if account.is_empty() {
        spec.remove("serviceAccount");
    } else {
        spec.insert("serviceAccountName".to_owned(), account.clone().into());
        spec.insert("serviceAccount".to_owned(), account.into());
    }
}

/// Validates a Pod, not a template (`ValidatePodCreate`).
pub(crate) fn validate_pod(object: &Value, out: &mut field::ErrorList) {
    let annotations = &object["metadata"]["annotations"];
    let annotations = ObjectField::of(annotations, "metadata.annotations");
    security::validate_annotations(&annotations, &object["spec"], out);
    validate_spec(&ObjectField::spec(object), SpecOwner::Pod, out);
    volumes::validate_token_sources(&ObjectField::spec(object), out);
    containers::validate_images(&ObjectField::spec(object), out);
}
