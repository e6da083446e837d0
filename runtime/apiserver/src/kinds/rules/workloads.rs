//! Rules of the apps group (pkg/apis/apps/validation).

use genclient_schema::Cause;
use serde_json::{Value, json};

use super::field::Field;
use super::findings::{
    Causes, NOT_NEGATIVE, go_struct, invalid_struct, not_negative, supported, text, unchanged,
};
use super::{names, pods, selectors, storage};

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
    always_running(spec, kind, out);
}

/// What the template of a workload that never ends has.
fn always_running(spec: &Value, kind: &str, out: &mut Causes) {
    let template = Field::of(&spec["template"]["spec"], "spec.template.spec");
    template.at("restartPolicy").supported(&["Always"], out);
    let deadline = template.at("activeDeadlineSeconds");
    if deadline.is_set() {
        // Deployments are validated by the rule of ReplicaSets.
        let kind = match kind {
            "daemonset" => "DaemonSet",
            "statefulset" => "StatefulSet",
            _ => "ReplicaSet",
        };
        let detail = format!("activeDeadlineSeconds in {kind} is not Supported");
        deadline.forbidden(&detail, out);
    }
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
            let field = format!("{path}.maxUnavailable");
            at_most_all(&Field::of(&update["maxUnavailable"], field), out);
        }
        other => {
            let printed = printed_strategy(strategy, &["MaxUnavailable", "MaxSurge"]);
            let known = ["Recreate", "RollingUpdate"];
            out.push(unsupported("spec.strategy", other, &printed, &known));
        }
    }
}

/// A strategy as Go prints it, with the fields of its rolling update.
fn printed_strategy(strategy: &Value, fields: &[&str]) -> String {
    let update = go_struct(&strategy["rollingUpdate"], fields);
    format!(
        "{{\"Type\":{},\"RollingUpdate\":{update}}}",
        strategy["type"]
    )
}

/// A strategy whose type is none of those known, as a whole.
fn unsupported(field: &str, type_: &str, printed: &str, known: &[&str]) -> Cause {
    let mut cause = Cause::not_supported(field, &type_.into(), known);
    let short = Value::from(type_).to_string();
    cause.message = cause.message.replacen(&short, printed, 1);
    cause
}

/// A percentage is of at most everything.
fn at_most_all(amount: &Field<'_>, out: &mut Causes) {
    let percent = amount
        .text()
        .strip_suffix('%')
        .and_then(|digits| digits.parse::<u64>().ok());
    if percent.is_some_and(|percent| percent > 100) {
        amount.invalid("must not be greater than 100%", out);
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

/// Whether an amount counts as nothing, as a text that is no percentage does.
fn is_zero(value: &Value) -> bool {
    match value.as_str() {
        Some(text) => {
            let digits = text.strip_suffix('%').unwrap_or_default();
            digits.parse::<u64>().unwrap_or_default() == 0
        }
        None => value.as_i64().unwrap_or_default() == 0,
    }
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
    let strategy = Field::spec(object).at("updateStrategy");
    match strategy.at("type").text() {
        "OnDelete" => {}
        "RollingUpdate" => daemon_update(&strategy.at("rollingUpdate"), out),
        other => {
            let printed = printed_strategy(strategy.value, &["MaxUnavailable", "MaxSurge"]);
            let known = ["RollingUpdate", "OnDelete"];
            out.push(unsupported(&strategy.path, other, &printed, &known));
        }
    }
}

/// Either some Pods may be away, or some are added.
fn daemon_update(update: &Field<'_>, out: &mut Causes) {
    let [unavailable, surge] = ["maxUnavailable", "maxSurge"].map(|name| update.at(name));
    for field in [&unavailable, &surge] {
        amount(field.value, &field.path, out);
    }
    for field in [&unavailable, &surge] {
        at_most_all(field, out);
    }
    match [&unavailable, &surge].map(|field| is_zero(field.value)) {
        [false, false] => surge.invalid("may not be set when maxUnavailable is non-zero", out),
        [true, true] => unavailable.required("cannot be 0 when maxSurge is 0", out),
        _ => {}
    }
}

pub(super) fn stateful_set(object: &Value, out: &mut Causes) {
    let spec = Field::spec(object);
    let policy = spec.at("podManagementPolicy");
    if !matches!(policy.text(), "OrderedReady" | "Parallel") {
        policy.invalid("must be 'OrderedReady' or 'Parallel'", out);
    }
    stateful_update(&spec.at("updateStrategy"), out);
    let retention = spec.at("persistentVolumeClaimRetentionPolicy");
    for name in ["whenDeleted", "whenScaled"] {
        if retention.is_set() {
            retention.at(name).supported(&["Retain", "Delete"], out);
        }
    }
    let claims = spec.at("volumeClaimTemplates").items();
    for claim in claims.iter().map(|claim| claim.at("spec")) {
        storage::claim(claim.value, &claim.path, out);
    }
    for count in [
        spec.at("replicas"),
        spec.at("minReadySeconds"),
        spec.at("ordinals").at("start"),
    ] {
        count.not_negative(out);
    }
    spec.at("serviceName").named_if_filled(names::label, out);
    let running = as_run(spec.value);
    selected(&running, "statefulset", out);
    pods::template_metadata(&running["template"], "spec.template", out);
}

fn stateful_update(strategy: &Field<'_>, out: &mut Causes) {
    const FIELDS: [&str; 2] = ["Partition", "MaxUnavailable"];
    let update = strategy.at("rollingUpdate");
    match strategy.at("type").text() {
        "RollingUpdate" => {
            update.at("partition").not_negative(out);
            let unavailable = update.at("maxUnavailable");
            amount(unavailable.value, &unavailable.path, out);
            if unavailable.is_set() && is_zero(unavailable.value) {
                unavailable.invalid("cannot be 0", out);
            }
            at_most_all(&unavailable, out);
        }
        "OnDelete" if update.is_set() => {
            let printed = go_struct(update.value, &FIELDS);
            let detail = "only allowed for updateStrategy 'RollingUpdate'";
            out.push(invalid_struct(&update.path, &printed, detail));
        }
        "OnDelete" => {}
        _ => {
            let printed = printed_strategy(strategy.value, &FIELDS);
            let detail = "must be 'RollingUpdate' or 'OnDelete'";
            out.push(invalid_struct(&strategy.path, &printed, detail));
        }
    }
}

/// The spec with the Pods as the controller makes them: with names and the volumes of claims.
fn as_run(spec: &Value) -> Value {
    let mut spec = spec.clone();
    let claims = spec["volumeClaimTemplates"]
        .as_array()
        .cloned()
        .unwrap_or_default();
    let Some(Value::Object(pod)) = spec.pointer_mut("/template/spec") else {
        return spec;
    };
    pod.remove("hostname");
    pod.remove("subdomain");
    if claims.is_empty() {
        return spec;
    }
    let names = claims.iter().map(|claim| claim["metadata"]["name"].clone());
    let names: Vec<Value> = names.collect();
    let own = pod
        .get("volumes")
        .and_then(Value::as_array)
        .cloned()
        .unwrap_or_default();
    let own = own
        .into_iter()
        .filter(|volume| !names.contains(&volume["name"]));
    let claimed = names.iter().map(|name| {
        // The controller fills in the name of the claim.
        json!({"name": name, "persistentVolumeClaim": {"claimName": name}})
    });
    pod.insert("volumes".to_owned(), claimed.chain(own).collect());
    spec
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
