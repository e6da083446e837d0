//! `config/webhook/`: configurations of admission webhooks as YAML, keys in order as in
//! controller-gen's `manifests.yaml`.

use super::endpoint;
use super::package::{PackageFiles, WEBHOOKS};
use super::yaml::Yaml;
use crate::model::{Model, Webhook, WebhookConfiguration};

pub(super) fn emit(model: &Model, package: &mut PackageFiles<'_>) {
    let documents: Vec<_> = model.webhooks.iter().map(document).collect();
    if !documents.is_empty() {
        let documents: Vec<_> = documents.iter().map(String::as_str).collect();
        package.yaml(WEBHOOKS, &documents);
    }
}

fn document(configuration: &WebhookConfiguration) -> String {
    let kind = match configuration.mutating {
        true => "MutatingWebhookConfiguration",
        false => "ValidatingWebhookConfiguration",
    };
    let mut yaml = Yaml::below(String::new());
    yaml.text("apiVersion", "admissionregistration.k8s.io/v1");
    yaml.text("kind", kind);
    yaml.map("metadata", |yaml| {
        yaml.text("name", configuration.name.as_str());
    });
    yaml.maps("webhooks", &configuration.webhooks, |yaml, one| {
        webhook(one, yaml);
    });
    yaml.finish()
}

fn webhook(webhook: &Webhook, yaml: &mut Yaml) {
    yaml.texts("admissionReviewVersions", &webhook.review_versions);
    yaml.map("clientConfig", |yaml| {
        endpoint::client_config(&webhook.endpoint, yaml);
    });
    yaml.text("failurePolicy", webhook.failure_policy);
    yaml.maps("matchConditions", &webhook.match_conditions, |yaml, one| {
        yaml.text("expression", one.expression.as_str());
        yaml.text("name", one.name.as_str());
    });
    yaml.text("matchPolicy", webhook.match_policy);
    yaml.text("name", webhook.name.as_str());
    yaml.value("namespaceSelector", webhook.namespace_selector.as_ref());
    yaml.value("objectSelector", webhook.object_selector.as_ref());
    yaml.text("reinvocationPolicy", webhook.reinvocation_policy);
    yaml.maps("rules", [webhook], rule);
    yaml.text("sideEffects", webhook.side_effects);
    yaml.plain("timeoutSeconds", webhook.timeout);
}

fn rule(yaml: &mut Yaml, webhook: &Webhook) {
    yaml.texts("apiGroups", &webhook.groups);
    yaml.texts("apiVersions", &webhook.versions);
    yaml.texts("operations", &webhook.operations);
    yaml.texts("resources", &webhook.resources);
}
