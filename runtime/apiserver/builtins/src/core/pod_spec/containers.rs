//! Validation of containers (pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::unstructured::{list_field, str_field};
use genclient_apimachinery::validation;
use serde_json::Value;

use crate::accessors::{member_text, set_default};
use crate::core::pod_spec::volumes::Volumes;
use crate::core::pod_spec::{environment, image, mounts, probes, security};
use crate::core::resources;
use crate::field::ObjectField;
use crate::names;
use crate::types::Object;

/// Fields of containers that an ephemeral container cannot have, in the order of the Go type
/// (`allowedEphemeralContainerFields` has the others).
const NOT_EPHEMERAL: [&str; 8] = [
    "ports",
    "resources",
    "resizePolicy",
    "restartPolicy",
    "livenessProbe",
    "readinessProbe",
    "startupProbe",
    "lifecycle",
];

/// Validates the containers of a Pod spec. `volumes` contains only the volumes that have no errors.
pub(crate) fn validate_containers(
    spec: &ObjectField<'_>,
    volumes: &Volumes<'_>,
    out: &mut field::ErrorList,
) {
    let containers = spec.at("containers");
    let mut seen = Vec::new();
    if containers.has_none() {
        containers.required("", out);
    }
    let all = containers.items();
    for container in &all {
        validate_container(container, spec, volumes, out);
        validate_unique_name(container, &mut seen, out);
        let grace = spec.at("terminationGracePeriodSeconds");
        probes::validate_probes(container, &grace, out);
        validate_restart_policy(container, out);
    }
    validate_host_ports(&all, out);
    for container in spec.at("initContainers").items() {
        validate_container(&container, spec, volumes, out);
        validate_restart_policy(&container, out);
        validate_unique_name(&container, &mut seen, out);
        // Init containers run one after another, so two of them may use the same host port.
        validate_host_ports(std::slice::from_ref(&container), out);
        validate_init_probes(&container, spec, out);
    }
    let targets = seen.clone();
    for container in spec.at("ephemeralContainers").items() {
        validate_container(&container, spec, volumes, out);
        let image = container.at("image");
        if image.text().trim() != image.text() {
            image.invalid("must not have leading or trailing whitespace", out);
        }
        validate_unique_name(&container, &mut seen, out);
        let target = container.at("targetContainerName");
        if target.is_filled() && !targets.contains(&target.text()) {
            out.push(field::Error::not_found(&target.path, target.value));
        }
        validate_not_ephemeral(&container, out);
    }
}

/// Rejects fields of an ephemeral container that need a container of the Pod's own
/// (`validateEphemeralContainers`).
fn validate_not_ephemeral(container: &ObjectField<'_>, out: &mut field::ErrorList) {
    let detail = "cannot be set for an Ephemeral Container";
    for name in NOT_EPHEMERAL {
        let field = container.at(name);
        if !field.has_none() {
            field.forbidden(detail, out);
        }
    }
    for mount in container.at("volumeMounts").items() {
        for name in ["subPath", "subPathExpr"] {
            if mount.at(name).is_filled() {
                mount.at(name).forbidden(detail, out);
            }
        }
    }
}

/// Validates the probes and hooks of an init container. Only a sidecar may have them.
fn validate_init_probes(
    container: &ObjectField<'_>,
    spec: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    if container.at("restartPolicy").text() == "Always" {
        return probes::validate_probes(container, &spec.at("terminationGracePeriodSeconds"), out);
    }
    for name in [
        "lifecycle",
        "livenessProbe",
        "readinessProbe",
        "startupProbe",
    ] {
        let field = container.at(name);
        if field.is_set() {
            let detail = "may not be set for init containers without restartPolicy=Always";
            field.forbidden(detail, out);
        }
    }
}

fn validate_restart_policy(container: &ObjectField<'_>, out: &mut field::ErrorList) {
    let policy = container.at("restartPolicy");
    if !policy.is_set() && !container.at("restartPolicyRules").has_none() {
        policy.required(
            "must specify restartPolicy when restart rules are used",
            out,
        );
    }
    policy.supported_if_set(&["Always", "Never", "OnFailure"], out);
}

fn validate_unique_name<'a>(
    container: &ObjectField<'a>,
    seen: &mut Vec<&'a str>,
    out: &mut field::ErrorList,
) {
    let name = container.at("name");
    if seen.contains(&name.text()) {
        name.duplicate(out);
    } else if name.is_filled() {
        seen.push(name.text());
    }
}

/// Validates the fields that all types of containers have (`validateContainerCommon`).
fn validate_container(
    container: &ObjectField<'_>,
    spec: &ObjectField<'_>,
    volumes: &Volumes<'_>,
    out: &mut field::ErrorList,
) {
    container.at("name").required_named(validation::label, out);
    if !container.at("image").is_filled() {
        container.at("image").required("", out);
    }
    let policies = ["File", "FallbackToLogsOnError"];
    container
        .at("terminationMessagePolicy")
        .supported(&policies, out);
    validate_ports(container.value, &container.path, out);
    environment::validate_environment(container, out);
    mounts::validate_mounts(container, volumes, out);
    mounts::validate_devices(container, volumes, out);
    let policies = ["Always", "IfNotPresent", "Never"];
    container.at("imagePullPolicy").supported(&policies, out);
    let field = container.at("resources");
    resources::validate_requirements(field.value, &field.path, out);
    resources::validate_claims(&field.at("claims"), spec, out);
    validate_resize_policy(container, spec, out);
    let context = container.at("securityContext");
    if context.is_set() {
        let has_host_users = spec.value["hostUsers"] != false;
        security::validate_container_security(&context, has_host_users, out);
    }
}

/// Checks that no image of a Pod has leading or trailing whitespace. Pod templates are not checked.
pub(crate) fn validate_images(spec: &ObjectField<'_>, out: &mut field::ErrorList) {
    for list in ["containers", "initContainers"] {
        for container in spec.at(list).items() {
            let image = container.at("image");
            if image.text().trim() != image.text() {
                image.invalid("must not have leading or trailing whitespace", out);
            }
        }
    }
}

/// Validates the resize policies of a container (`validateResizePolicy`).
fn validate_resize_policy(
    container: &ObjectField<'_>,
    spec: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    let policies = container.at("resizePolicy");
    let all = list_field(container.value, "resizePolicy");
    for (at, policy) in policies.items().iter().enumerate() {
        let [resource, restart] = ["resourceName", "restartPolicy"].map(|name| {
            // As in kube-apiserver, findings on both fields have the path of the list.
            ObjectField::of(&policy.value[name], &*policies.path)
        });
        if all[..at]
            .iter()
            .any(|before| before["resourceName"] == *resource.value)
        {
            ObjectField::of(resource.value, &*policy.path).duplicate(out);
        }
        resource.required_one_of(&["cpu", "memory"], "", out);
        restart.required_one_of(&["NotRequired", "RestartContainer"], "", out);
        if str_field(spec.value, "restartPolicy") == "Never" && restart.text() != "NotRequired" {
            let detail = "must be 'NotRequired' when pod `restartPolicy` is 'Never'";
            restart.invalid(detail, out);
        }
    }
}

/// Validates the ports of a container (`validateContainerPorts`).
fn validate_ports(container: &Value, path: &str, out: &mut field::ErrorList) {
    let ports = list_field(container, "ports");
    for (at, port) in ports.iter().enumerate() {
        let port = ObjectField::of(port, format!("{path}.ports[{at}]"));
        let name = port.at("name");
        let wrong = validation::port_name(name.text());
        if name.is_filled() && !wrong.is_empty() {
            names::report_name_errors(&name.path, name.text(), wrong, out);
        } else if name.is_filled()
            && ports[..at]
                .iter()
                .any(|one| str_field(one, "name") == name.text())
        {
            name.duplicate(out);
        }
        if port.at("containerPort").is_filled() {
            port.at("containerPort").port(out);
        } else {
            port.at("containerPort").required("", out);
        }
        if port.at("hostPort").is_filled() {
            port.at("hostPort").port(out);
        }
        port.at("protocol").supported(&["SCTP", "TCP", "UDP"], out);
    }
}

/// Checks that no two ports of the containers use the same host port, protocol and host IP.
fn validate_host_ports(containers: &[ObjectField<'_>], out: &mut field::ErrorList) {
    let mut seen = Vec::new();
    let ports = containers
        .iter()
        .flat_map(|container| container.at("ports").items());
    for port in ports {
        let number = port.at("hostPort");
        if !number.is_filled() {
            continue;
        }
        let [protocol, address] = ["protocol", "hostIP"].map(|name| str_field(port.value, name));
        let key = format!("{protocol}/{address}/{}", number.number());
        if seen.contains(&key) {
            out.push(field::Error::duplicate(&number.path, &key.into()));
        } else {
            seen.push(key);
        }
    }
}

/// Sets the defaults of a container of any type.
pub(crate) fn set_defaults(container: &mut Object) {
    let policy = image::default_pull_policy(member_text(container, "image"));
    set_default(container, "imagePullPolicy", policy);
    set_default(container, "terminationMessagePath", "/dev/termination-log");
    set_default(container, "terminationMessagePolicy", "File");
}

pub(crate) fn set_port_defaults(port: &mut Object) {
    set_default(port, "protocol", "TCP");
}
