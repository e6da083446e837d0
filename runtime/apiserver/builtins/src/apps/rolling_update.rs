//! Validation of the update strategies of workloads (pkg/apis/apps/validation).

use genclient_apimachinery::field;
use serde_json::Value;

use crate::field::ObjectField;
use crate::findings::{NOT_NEGATIVE, go_struct};

/// Formats a strategy as Go prints it. `fields` are the fields of its rolling update.
pub(crate) fn format_strategy(strategy: &Value, fields: &[&str]) -> String {
    let update = go_struct(&strategy["rollingUpdate"], fields);
    format!(
        "{{\"Type\":{},\"RollingUpdate\":{update}}}",
        strategy["type"]
    )
}

/// Returns the finding about an unknown strategy type. Its message prints the whole strategy.
pub(crate) fn unsupported_strategy(
    field: &str,
    type_: &str,
    printed: &str,
    known: &[&str],
) -> field::Error {
    let mut cause = field::Error::not_supported(field, &type_.into(), known);
    let short = Value::from(type_).to_string();
    cause.message = cause.message.replacen(&short, printed, 1);
    cause
}

/// Checks that an amount, if it is a percentage, is at most 100%.
pub(crate) fn validate_at_most_all(amount: &ObjectField<'_>, out: &mut field::ErrorList) {
    let percent = amount
        .text()
        .strip_suffix('%')
        .and_then(|digits| digits.parse::<u64>().ok());
    if percent.is_some_and(|percent| percent > 100) {
        amount.invalid("must not be greater than 100%", out);
    }
}

/// Checks that a value is a non-negative integer or a percentage. Null is accepted.
pub(crate) fn validate_amount(value: &Value, field: &str, out: &mut field::ErrorList) {
    match value {
        Value::Number(number) if number.as_i64().is_some_and(|number| number < 0) => {
            out.push(field::Error::invalid(field, value, NOT_NEGATIVE));
        }
        Value::String(text) => {
            let digits = text.strip_suffix('%').unwrap_or_default();
            if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
                let detail = "a valid percent string must be a numeric string followed by an \
                     ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";
                out.push(field::Error::invalid(field, value, detail));
            }
        }
        _ => {}
    }
}

/// Returns whether an amount is zero. Null and strings other than percentages count as zero.
pub(crate) fn is_zero(value: &Value) -> bool {
    match value.as_str() {
        Some(text) => {
            let digits = text.strip_suffix('%').unwrap_or_default();
            digits.parse::<u64>().unwrap_or_default() == 0
        }
        None => value.as_i64().unwrap_or_default() == 0,
    }
}
