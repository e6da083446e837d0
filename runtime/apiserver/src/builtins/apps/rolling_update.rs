//! Validation of the update strategies of workloads (pkg/apis/apps/validation).

use genclient_schema::Cause;
use serde_json::Value;

use crate::builtins::field::ObjectField;
use crate::builtins::findings::{Causes, NOT_NEGATIVE, go_struct, invalid_struct, text};

/// Validates the strategy of a Deployment.
pub(crate) fn deployment(strategy: &Value, out: &mut Causes) {
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
            at_most_all(&ObjectField::of(&update["maxUnavailable"], field), out);
        }
        other => {
            let printed = printed_strategy(strategy, &["MaxUnavailable", "MaxSurge"]);
            let known = ["Recreate", "RollingUpdate"];
            out.push(unsupported("spec.strategy", other, &printed, &known));
        }
    }
}

/// Formats a strategy as Go prints it. `fields` are the fields of its rolling update.
fn printed_strategy(strategy: &Value, fields: &[&str]) -> String {
    let update = go_struct(&strategy["rollingUpdate"], fields);
    format!(
        "{{\"Type\":{},\"RollingUpdate\":{update}}}",
        strategy["type"]
    )
}

/// Returns the finding about an unknown strategy type. Its message prints the whole strategy.
fn unsupported(field: &str, type_: &str, printed: &str, known: &[&str]) -> Cause {
    let mut cause = Cause::not_supported(field, &type_.into(), known);
    let short = Value::from(type_).to_string();
    cause.message = cause.message.replacen(&short, printed, 1);
    cause
}

/// Checks that an amount, if it is a percentage, is at most 100%.
pub(crate) fn at_most_all(amount: &ObjectField<'_>, out: &mut Causes) {
    let percent = amount
        .text()
        .strip_suffix('%')
        .and_then(|digits| digits.parse::<u64>().ok());
    if percent.is_some_and(|percent| percent > 100) {
        amount.invalid("must not be greater than 100%", out);
    }
}

/// Checks that a value is a non-negative integer or a percentage. Null is accepted.
pub(crate) fn amount(value: &Value, field: &str, out: &mut Causes) {
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

/// Returns whether an amount is zero. Null and strings other than percentages count as zero.
fn is_zero(value: &Value) -> bool {
    match value.as_str() {
        Some(text) => {
            let digits = text.strip_suffix('%').unwrap_or_default();
            digits.parse::<u64>().unwrap_or_default() == 0
        }
        None => value.as_i64().unwrap_or_default() == 0,
    }
}

/// Validates the strategy of a DaemonSet.
pub(crate) fn daemon_set(strategy: &ObjectField<'_>, out: &mut Causes) {
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

/// Validates `maxUnavailable` and `maxSurge`, and checks that exactly one of them is not zero.
fn daemon_update(update: &ObjectField<'_>, out: &mut Causes) {
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

/// Validates the strategy of a StatefulSet.
pub(crate) fn stateful_set(strategy: &ObjectField<'_>, out: &mut Causes) {
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
