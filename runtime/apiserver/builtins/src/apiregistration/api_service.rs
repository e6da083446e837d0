//! APIServices (pkg/apis/apiregistration/validation of kube-aggregator).

use genclient_apimachinery::field;
use genclient_apimachinery::validation;
use serde_json::Value;

use crate::field::ObjectField;
use crate::strategy::{FinalizerRule, Strategy};
use crate::types::quoted;

/// Strategy of APIServices (pkg/registry/apiservice, strategy.go, of kube-aggregator).
#[derive(Debug)]
pub(crate) struct ApiServiceStrategy;

impl Strategy for ApiServiceStrategy {
    fn finalizer_rule(&self) -> FinalizerRule {
        FinalizerRule::Any
    }

    /// Validates an APIService (pkg/apis/apiregistration/validation).
    fn validate(&self, object: &Value, out: &mut field::ErrorList) {
        let spec = ObjectField::spec(object);
        let [group, version] = ["group", "version"].map(|name| spec.at(name).text());
        let name = ObjectField::of(&object["metadata"]["name"], "metadata.name");
        let expected = format!("{version}.{group}");
        if name.text() != expected {
            let quoted = quoted(&expected);
            name.invalid(
                &format!("must be `spec.version+\".\"+spec.group`: {quoted}"),
                out,
            );
        }
        // As in kube-apiserver, the limits 20000 and 1000 themselves are valid, although the
        // messages say "less than".
        let detail = "must be positive and less than 20000";
        validate_priority(&spec.at("groupPriorityMinimum"), 20_000, detail, out);
        validate_priority(
            &spec.at("versionPriority"),
            1000,
            "must be positive and less than 1000",
            out,
        );
        let service = spec.at("service");
        let insecure = spec.at("insecureSkipTLSVerify");
        if !service.is_set() {
            return;
        }
        for field in [service.at("namespace"), service.at("name")] {
            if !field.is_filled() {
                field.required("", out);
            }
        }
        let port = service.at("port");
        if port.is_set() && !validation::is_port(port.number()) {
            port.invalid(
                &format!("port is not valid: {}", validation::PORT_RANGE),
                out,
            );
        }
        if insecure.is_true() && spec.at("caBundle").is_filled() {
            insecure.invalid("may not be true if caBundle is present", out);
        }
    }
}

fn validate_priority(
    number: &ObjectField<'_>,
    most: i64,
    detail: &str,
    out: &mut field::ErrorList,
) {
    if !(1..=most).contains(&number.number()) {
        let value = number.number().into();
        ObjectField::of(&value, &*number.path).invalid(detail, out);
    }
}
