//! Findings about names.

use genclient_apimachinery::field;
use genclient_apimachinery::validation;
use serde_json::Value;

/// Adds a finding about a value for each message.
pub(crate) fn report_name_errors(
    field: &str,
    value: &str,
    messages: Vec<String>,
    out: &mut field::ErrorList,
) {
    for message in messages {
        out.push(field::Error::invalid(field, &value.into(), &message));
    }
}

/// Validates the number or the name of a port (`ValidatePortNumOrName`).
pub(crate) fn validate_port_number_or_name(port: &Value, field: &str, out: &mut field::ErrorList) {
    match port {
        Value::Number(number) if !number.as_i64().is_some_and(validation::is_port) => {
            out.push(field::Error::invalid(field, port, validation::PORT_RANGE));
        }
        Value::String(name) => report_name_errors(field, name, validation::port_name(name), out),
        _ => {}
    }
}
