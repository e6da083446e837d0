//! Validation of probes and lifecycle hooks (pkg/apis/core/validation).

use genclient_apimachinery::field;
use genclient_apimachinery::validation;

use crate::accessors::set_default;
use crate::field::ObjectField;
use crate::names;
use crate::types::Object;

/// Actions of a probe or a lifecycle hook, in the order of validation.
const ACTIONS: [&str; 5] = ["exec", "httpGet", "tcpSocket", "grpc", "sleep"];

/// Validates the probes and lifecycle hooks of a container. `grace` is the Pod's grace period.
pub(crate) fn validate_probes(
    container: &ObjectField<'_>,
    grace: &ObjectField<'_>,
    out: &mut field::ErrorList,
) {
    let lifecycle = container.at("lifecycle");
    for hook in [lifecycle.at("postStart"), lifecycle.at("preStop")] {
        if hook.is_set() {
            validate_action(&hook, grace, out);
        }
    }
    for name in ["livenessProbe", "readinessProbe", "startupProbe"] {
        let field = container.at(name);
        if field.is_set() {
            validate_probe(&field, grace, out);
            match name {
                "readinessProbe" => validate_readiness_probe(&field, out),
                _ => validate_success_threshold(&field, out),
            }
        }
    }
}

fn validate_readiness_probe(probe: &ObjectField<'_>, out: &mut field::ErrorList) {
    let grace = probe.at("terminationGracePeriodSeconds");
    if grace.is_set() {
        grace.invalid("must not be set for readinessProbes", out);
    }
}

fn validate_success_threshold(probe: &ObjectField<'_>, out: &mut field::ErrorList) {
    let threshold = probe.at("successThreshold");
    if threshold.number() != 1 {
        threshold.invalid("must be 1", out);
    }
}

/// Validates the fields that all probes have (`validateProbe`).
fn validate_probe(probe: &ObjectField<'_>, grace: &ObjectField<'_>, out: &mut field::ErrorList) {
    validate_action(probe, grace, out);
    let counts = [
        "initialDelaySeconds",
        "timeoutSeconds",
        "periodSeconds",
        "successThreshold",
        "failureThreshold",
    ];
    probe.none_negative(&counts, out);
    let grace = probe.at("terminationGracePeriodSeconds");
    grace.within(1, i64::MAX, "must be greater than 0", out);
}

/// Checks that a probe or lifecycle hook has exactly one action, and validates the action
/// (`validateHandler`).
fn validate_action(handler: &ObjectField<'_>, grace: &ObjectField<'_>, out: &mut field::ErrorList) {
    let mut actions = ACTIONS
        .map(|name| (name, handler.at(name)))
        .into_iter()
        .filter(|(_, action)| action.is_set());
    let Some((name, first)) = actions.next() else {
        return handler.required("must specify a handler type", out);
    };
    match name {
        "exec" if first.at("command").has_none() => first.at("command").required("", out),
        "exec" => {}
        "sleep" => validate_sleep(&first, grace, out),
        _ => {
            let port = first.at("port");
            names::validate_port_number_or_name(port.value, &port.path, out);
        }
    }
    if name == "httpGet" {
        first.at("scheme").supported(&["HTTP", "HTTPS"], out);
        for header in first.at("httpHeaders").items() {
            let name = header.at("name").text();
            let path = format!("{}.httpHeaders", first.path);
            names::report_name_errors(&path, name, validation::header(name), out);
        }
    }
    for (_, extra) in actions {
        extra.forbidden("may not specify more than 1 handler type", out);
    }
}

fn validate_sleep(sleep: &ObjectField<'_>, grace: &ObjectField<'_>, out: &mut field::ErrorList) {
    let most = grace.number();
    let seconds = ObjectField::of(&sleep.value["seconds"], &*sleep.path);
    if grace.is_set() && !(0..=most).contains(&seconds.number()) {
        let detail =
            format!("must be non-negative and less than terminationGracePeriodSeconds ({most})");
        seconds.invalid(&detail, out);
    }
}

/// Sets the defaults of a probe.
pub(crate) fn set_defaults(probe: &mut Object) {
    set_default(probe, "timeoutSeconds", 1);
    set_default(probe, "periodSeconds", 10);
    set_default(probe, "successThreshold", 1);
    set_default(probe, "failureThreshold", 3);
}

pub(crate) fn set_http_defaults(action: &mut Object) {
    set_default(action, "path", "/");
    set_default(action, "scheme", "HTTP");
}

pub(crate) fn set_grpc_defaults(action: &mut Object) {
    set_default(action, "service", "");
}
