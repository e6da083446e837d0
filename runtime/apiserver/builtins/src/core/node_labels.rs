//! Warnings about selectors that use deprecated labels of Nodes (pkg/api/node/util.go of
//! Kubernetes).

use genclient_apimachinery::unstructured::{list_field, str_field};
use genclient_apimachinery::validation;
use serde_json::Value;

use crate::warnings::Warnings;

/// Returns the message about a label of Nodes if it is deprecated.
pub(crate) fn label_deprecation(label: &str) -> Option<&'static str> {
    Some(match label {
        "beta.kubernetes.io/arch" => "deprecated since v1.14; use \"kubernetes.io/arch\" instead",
        "beta.kubernetes.io/os" => "deprecated since v1.14; use \"kubernetes.io/os\" instead",
        "failure-domain.beta.kubernetes.io/region" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/region\" instead"
        }
        "failure-domain.beta.kubernetes.io/zone" => {
            "deprecated since v1.17; use \"topology.kubernetes.io/zone\" instead"
        }
        "beta.kubernetes.io/instance-type" => {
            "deprecated since v1.17; use \"node.kubernetes.io/instance-type\" instead"
        }
        "app.kubernetes.io/created-by" => "deprecated since v1.9",
        "scheduler.alpha.kubernetes.io/preferAvoidPods" => {
            "deprecated since v1.22; use Taints and Tolerations instead"
        }
        "node-role.kubernetes.io/master" => "use \"node-role.kubernetes.io/control-plane\" instead",
        _ => return None,
    })
}

/// Warns about the terms of a node selector.
pub(crate) fn warn_terms(terms: &[Value], path: &str, out: &mut Warnings) {
    for (index, selected) in terms.iter().enumerate() {
        warn_term(selected, false, &format!("{path}[{index}]"), out);
    }
}

/// Warns about a term of a node selector. With `checks_values` it also warns about invalid label
/// values, which validation accepts in preferred terms.
pub(crate) fn warn_term(term: &Value, checks_values: bool, path: &str, out: &mut Warnings) {
    for (index, expression) in list_field(term, "matchExpressions").iter().enumerate() {
        let path = format!("{path}.matchExpressions[{index}]");
        warn_key(expression, &path, out);
        let values = list_field(expression, "values")
            .iter()
            .filter_map(Value::as_str);
        for (index, value) in values.enumerate().filter(|_| checks_values) {
            for message in validation::label_value(value) {
                out.push(format!(
                    "{path}.values[{index}]: {value} is invalid, {message}"
                ));
            }
        }
    }
}

fn warn_key(expression: &Value, path: &str, out: &mut Warnings) {
    let key = str_field(expression, "key");
    if let Some(message) = label_deprecation(key) {
        out.push(format!("{path}.key: {key} is {message}"));
    }
}
