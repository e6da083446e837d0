//! Certificates of the program: RBAC rules with which it issues its own certificates, or
//! cert-manager's objects.

use std::collections::BTreeSet;

use super::object::{
    ObjectManifest, around_namespace, converts_kind, is_own_service, namespaced_metadata,
    serves_webhooks,
};
use super::rbac;
use super::settings::{Condition, Feature};
use super::value::{ManifestValue, tree};
use crate::model::Model;
use crate::project::Deploy;

/// All objects for certificates, each with the condition under which it is used.
pub(super) fn certificate_objects(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let mut objects = Vec::new();
    let with_webhooks = serves_webhooks(model, deploy);
    if with_webhooks {
        objects.extend(self_issuing_roles(model, deploy));
        let service = deploy.webhook_service();
        let certificate =
            cert_manager_certificate(deploy, "serving-cert", &service, webhook_secret(deploy));
        objects.push(certificate.when(Condition::on(Feature::CertManager)));
    }
    let service = deploy.named("metrics-service");
    let certificate =
        cert_manager_certificate(deploy, "metrics-cert", &service, metrics_secret(deploy));
    objects.push(certificate.when(issues_metrics_certificate()));
    // The issuer is needed for any certificate. Without webhooks, there is only that of metrics.
    let issues_certificates = if with_webhooks {
        Condition::on(Feature::CertManager)
    } else {
        issues_metrics_certificate()
    };
    objects.push(cert_manager_issuer(deploy).when(issues_certificates));
    objects
}

/// The condition that cert-manager issues the metrics certificate.
pub(super) fn issues_metrics_certificate() -> Condition {
    Condition::on(Feature::CertManager).and(Feature::Metrics)
}

/// The name of the Secret with the webhook certificate.
pub fn webhook_secret(deploy: &Deploy) -> String {
    deploy.named("webhook-server-cert")
}

/// The name of the Secret with the metrics certificate.
pub(super) fn metrics_secret(deploy: &Deploy) -> String {
    deploy.named("metrics-server-cert")
}

/// The annotation that makes cert-manager inject its CA into an object.
pub(super) fn ca_injection_annotation(deploy: &Deploy) -> (String, ManifestValue) {
    let certificate = deploy.named("serving-cert");
    let name =
        around_namespace("", format!("/{certificate}")).when(Condition::on(Feature::CertManager));
    ("cert-manager.io/inject-ca-from".to_owned(), name)
}

/// The roles, with their bindings, that `Certificates::own` of genclient-controller needs to issue
/// the webhook certificate.
fn self_issuing_roles(model: &Model, deploy: &Deploy) -> [ObjectManifest; 4] {
    let secrets = tree!([
        {
            "apiGroups": [""],
            "resources": ["secrets"],
            "verbs": ["create"],
        },
        {
            "apiGroups": [""],
            "resourceNames": [(webhook_secret(deploy))],
            "resources": ["secrets"],
            "verbs": ["get", "list", "update", "watch"],
        },
    ]);
    let file = "rbac/certificates_role.yaml";
    let bindings = "rbac/certificates_role_binding.yaml";
    let (role, binding) = ("certificates-role", "certificates-rolebinding");
    let objects = [
        rbac::cluster_role(deploy, role, registration_rules(model, deploy)).at(file),
        rbac::own_role(deploy, role, secrets).at(file),
        rbac::cluster_binding(deploy, role, binding).at(bindings),
        rbac::own_binding(deploy, role, binding).at(bindings),
    ];
    objects.map(|object| object.when(Condition::off(Feature::CertManager)))
}

/// The rules for the objects that register webhooks with the API server. The program may list and
/// watch all webhook configurations, but patch the CA only into its own. It may access only the
/// CRDs that it converts.
fn registration_rules(model: &Model, deploy: &Deploy) -> ManifestValue {
    let mut rules = Vec::new();
    for (is_mutating, resource) in [
        (true, "mutatingwebhookconfigurations"),
        (false, "validatingwebhookconfigurations"),
    ] {
        let names: BTreeSet<_> = model
            .webhooks
            .iter()
            .filter(|it| it.mutating == is_mutating)
            .filter(|it| {
                let mut webhooks = it.webhooks.iter();
                webhooks.any(|webhook| is_own_service(&webhook.endpoint, deploy))
            })
            .map(|it| it.name.clone())
            .collect();
        if names.is_empty() {
            continue;
        }
        rules.push(tree!({
            "apiGroups": ["admissionregistration.k8s.io"],
            "resources": [(resource)],
            "verbs": ["list", "watch"],
        }));
        rules.push(tree!({
            "apiGroups": ["admissionregistration.k8s.io"],
            "resourceNames": (names.iter().map(ManifestValue::from).collect::<Vec<_>>()),
            "resources": [(resource)],
            "verbs": ["patch"],
        }));
    }
    let names: Vec<_> = model
        .crds
        .iter()
        .filter(|crd| converts_kind(crd, deploy))
        .map(|crd| ManifestValue::from(format!("{}.{}", crd.plural, crd.group)))
        .collect();
    if !names.is_empty() {
        rules.push(tree!({
            "apiGroups": ["apiextensions.k8s.io"],
            "resourceNames": (names),
            "resources": ["customresourcedefinitions"],
            "verbs": ["get", "list", "patch", "watch"],
        }));
    }
    ManifestValue::List(rules)
}

fn cert_manager_issuer(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "cert-manager.io/v1",
        "kind": "Issuer",
        "metadata": (namespaced_metadata(deploy, "selfsigned-issuer")),
        "spec": { "selfSigned": {} },
    });
    ObjectManifest::new("certmanager/issuer.yaml", "Issuer", tree)
}

/// A cert-manager Certificate for the DNS names of a Service.
fn cert_manager_certificate(
    deploy: &Deploy,
    name: &str,
    service: &str,
    secret: String,
) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "cert-manager.io/v1",
        "kind": "Certificate",
        "metadata": (namespaced_metadata(deploy, name)),
        "spec": {
            "dnsNames": [
                (around_namespace(format!("{service}."), ".svc")),
                (around_namespace(format!("{service}."), ".svc.cluster.local")),
            ],
            "issuerRef": {
                "kind": "Issuer",
                "name": (deploy.named("selfsigned-issuer")),
            },
            "secretName": (secret),
        },
    });
    let file = format!("certmanager/{}.yaml", name.replace('-', "_"));
    ObjectManifest::new(file, "Certificate", tree)
}
