//! Rules of the apps group (pkg/apis/apps/validation).

use genclient_schema::Cause;
use serde_json::Value;

use super::findings::{
    Causes, NOT_NEGATIVE, invalid_struct, not_negative, supported, text, unchanged,
};
use super::{pods, selectors};

const MISMATCH: &str = "`selector` does not match template `labels`";

/// Selector and template, which all workloads have.
fn selected(spec: &Value, kind: &str, out: &mut Causes) {
    let selector = &spec["selector"];
    if selector.is_null() && kind != "daemonset" {
        out.push(Cause::required("spec.selector", ""));
    } else if !selector.is_null() {
        let before = out.len();
        selectors::selector(selector, "spec.selector", out);
        if selectors::is_empty(selector) {
            let detail = format!("empty selector is invalid for {kind}");
            out.push(Cause::invalid("spec.selector", selector, &detail));
        } else if out.len() > before {
            let printed = selectors::printed(selector);
            // DaemonSets do not report that the selector as a whole is unusable.
            if kind != "daemonset" {
                out.push(invalid_struct(
                    "spec.selector",
                    &printed,
                    "invalid label selector",
                ));
            }
            return pods::template(&spec["template"], "spec.template", out);
        }
    }
    let labels = &spec["template"]["metadata"]["labels"];
    let compared = selector.is_null() || !selectors::is_empty(selector);
    if compared && !selectors::matches(selector, labels) {
        out.push(Cause::invalid(
            "spec.template.metadata.labels",
            labels,
            MISMATCH,
        ));
    }
    pods::template(&spec["template"], "spec.template", out);
    let policy = &spec["template"]["spec"]["restartPolicy"];
    supported(
        "spec.template.spec.restartPolicy".to_owned(),
        policy,
        &["Always"],
        out,
    );
}

pub(super) fn deployment(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    let counts = [
        "replicas",
        "minReadySeconds",
        "revisionHistoryLimit",
        "progressDeadlineSeconds",
    ];
    not_negative(spec, &counts, "spec", out);
    selected(spec, "deployment", out);
    strategy(&spec["strategy"], out);
    let deadline = &spec["progressDeadlineSeconds"];
    let ready = spec["minReadySeconds"].as_i64().unwrap_or_default();
    if deadline.as_i64().is_some_and(|deadline| deadline <= ready) {
        let detail = "must be greater than minReadySeconds";
        out.push(Cause::invalid(
            "spec.progressDeadlineSeconds",
            deadline,
            detail,
        ));
    }
}

fn strategy(strategy: &Value, out: &mut Causes) {
    let update = &strategy["rollingUpdate"];
    match text(strategy, "type") {
        "Recreate" if !update.is_null() => {
            let detail = "may not be specified when strategy `type` is 'Recreate'";
            out.push(Cause::forbidden("spec.strategy.rollingUpdate", detail));
        }
        "Recreate" => {}
        "RollingUpdate" => {
            let path = "spec.strategy.rollingUpdate";
            for name in ["maxUnavailable", "maxSurge"] {
                amount(&update[name], &format!("{path}.{name}"), out);
            }
            if is_zero(&update["maxUnavailable"]) && is_zero(&update["maxSurge"]) {
                let detail = "may not be 0 when `maxSurge` is 0";
                let field = format!("{path}.maxUnavailable");
                out.push(Cause::invalid(field, &update["maxUnavailable"], detail));
            }
        }
        other => {
            let mut cause = Cause::not_supported(
                "spec.strategy",
                &other.into(),
                &["Recreate", "RollingUpdate"],
            );
            let update = match update.is_null() {
                true => "null".to_owned(),
                false => {
                    let [unavailable, surge] = ["maxUnavailable", "maxSurge"].map(|it| &update[it]);
                    format!("{{\"MaxUnavailable\":{unavailable},\"MaxSurge\":{surge}}}")
                }
            };
            let printed = Value::from(other);
            let printed = format!("{{\"Type\":{printed},\"RollingUpdate\":{update}}}");
            cause.message = cause
                .message
                .replacen(&Value::from(other).to_string(), &printed, 1);
            out.push(cause);
        }
    }
}

/// An integer that is not negative, or a percentage.
pub(super) fn amount(value: &Value, field: &str, out: &mut Causes) {
    match value {
        Value::Number(number) if number.as_i64().is_some_and(|number| number < 0) => {
            out.push(Cause::invalid(field, value, NOT_NEGATIVE));
        }
        Value::String(text) => {
            let digits = text.strip_suffix('%').unwrap_or_default();
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                let detail = "a valid percent string must be a numeric string followed by an \
                     ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
                out.push(Cause::invalid(field, value, detail));
            }
        }
        _ => {}
    }
}

fn is_zero(value: &Value) -> bool {
    *value == 0
        || value
            .as_str()
            .is_some_and(|text| text.trim_matches('0') == "%")
}

pub(super) fn replica_set(object: &Value, out: &mut Causes) {
    not_negative(
        &object["spec"],
        &["replicas", "minReadySeconds"],
        "spec",
        out,
    );
    // The server's own slip: it names another kind.
    selected(&object["spec"], "deployment", out);
}

pub(super) fn replication_controller(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    not_negative(spec, &["replicas", "minReadySeconds"], "spec", out);
    let selector = spec["selector"]
        .as_object()
        .filter(|selector| !selector.is_empty());
    if selector.is_none() {
        out.push(Cause::required("spec.selector", ""));
    }
    let template = &spec["template"];
    if template.is_null() {
        out.push(Cause::required("spec.template", ""));
        return;
    }
    let labels = &template["metadata"]["labels"];
    let mut required = selector.into_iter().flatten();
    if required.any(|(key, value)| labels.get(key) != Some(value)) {
        out.push(Cause::invalid(
            "spec.template.metadata.labels",
            labels,
            MISMATCH,
        ));
    }
    pods::template(template, "spec.template", out);
    let policy = &template["spec"]["restartPolicy"];
    supported(
        "spec.template.spec.restartPolicy".to_owned(),
        policy,
        &["Always"],
        out,
    );
}

pub(super) fn daemon_set(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    not_negative(
        spec,
        &["minReadySeconds", "revisionHistoryLimit"],
        "spec",
        out,
    );
    selected(spec, "daemonset", out);
}

pub(super) fn stateful_set(object: &Value, out: &mut Causes) {
    let spec = &object["spec"];
    let policy = &spec["podManagementPolicy"];
    if !matches!(policy.as_str(), Some("OrderedReady" | "Parallel")) {
        let detail = "must be 'OrderedReady' or 'Parallel'";
        out.push(Cause::invalid("spec.podManagementPolicy", policy, detail));
    }
    not_negative(spec, &["replicas", "minReadySeconds"], "spec", out);
    selected(spec, "statefulset", out);
}

/// What may change of a StatefulSet.
const CHANGEABLE: [&str; 7] = [
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
];

pub(super) fn stateful_set_updated(new: &Value, old: &Value, out: &mut Causes) {
    let fixed = |object: &Value| {
        let mut spec = object["spec"].clone();
        if let Value::Object(spec) = &mut spec {
            spec.retain(|name, _| !CHANGEABLE.contains(&name.as_str()));
        }
        spec
    };
    if fixed(new) != fixed(old) {
        let detail = "updates to statefulset spec for fields other than 'replicas', 'ordinals', \
             'template', 'updateStrategy', 'revisionHistoryLimit', \
             'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
        out.push(Cause::forbidden("spec", detail));
    }
}

pub(super) fn controller_revision(object: &Value, out: &mut Causes) {
    match &object["data"] {
        Value::Object(_) => {}
        Value::Null => out.push(Cause::required("data", "data is mandatory")),
        _ => out.push(Cause::required("data", "data must be a valid JSON object")),
    }
    revision(object, out);
}

/// Data never changes; what they were is not looked at again.
pub(super) fn controller_revision_updated(new: &Value, old: &Value, out: &mut Causes) {
    revision(new, out);
    unchanged("data", &new["data"], &old["data"], out);
}

fn revision(object: &Value, out: &mut Causes) {
    if object["revision"]
        .as_i64()
        .is_some_and(|revision| revision < 0)
    {
        out.push(Cause::invalid(
            "revision",
            &object["revision"],
            NOT_NEGATIVE,
        ));
    }
}
