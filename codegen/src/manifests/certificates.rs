//! Certificates of the program: RBAC rules with which it issues its own certificates, or
//! cert-manager's objects.

use std::collections::BTreeSet;

use super::object::{
    ObjectManifest, around_namespace, converts, is_own, metadata, serves_webhooks,
};
use super::rbac;
use super::settings::{Condition, Switch};
use super::tree::{Tree, tree};
use crate::model::Model;
use crate::project::Deploy;

/// All objects for certificates, each with the condition under which it is used.
pub(super) fn objects(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let mut objects = Vec::new();
    let with_webhooks = serves_webhooks(model, deploy);
    if with_webhooks {
        objects.extend(own(model, deploy));
        let service = deploy.webhook_service();
        let certificate = certificate(deploy, "serving-cert", &service, secret(deploy));
        objects.push(certificate.when(Condition::on(Switch::CertManager)));
    }
    let service = deploy.named("metrics-service");
    let certificate = certificate(deploy, "metrics-cert", &service, metrics_secret(deploy));
    let of_metrics = Condition::on(Switch::CertManager).and(Switch::Metrics);
    objects.push(certificate.when(of_metrics.clone()));
    let of_issuer = if with_webhooks {
        Condition::on(Switch::CertManager)
    } else {
        of_metrics
    };
    objects.push(issuer(deploy).when(of_issuer));
    objects
}

/// The name of the Secret with the webhook certificate.
pub fn secret(deploy: &Deploy) -> String {
    deploy.named("webhook-server-cert")
}

/// The name of the Secret with the metrics certificate.
pub(super) fn metrics_secret(deploy: &Deploy) -> String {
    deploy.named("metrics-server-cert")
}

/// The annotation that makes cert-manager inject its CA into an object.
pub(super) fn injection(deploy: &Deploy) -> (String, Tree) {
    let certificate = deploy.named("serving-cert");
    let name =
        around_namespace("", format!("/{certificate}")).when(Condition::on(Switch::CertManager));
    ("cert-manager.io/inject-ca-from".to_owned(), name)
}

/// The roles, with their bindings, that `Certificates::own` of genclient-controller needs to issue
/// the webhook certificate.
fn own(model: &Model, deploy: &Deploy) -> [ObjectManifest; 4] {
    let secrets = tree!([
        {
            "apiGroups": [""],
            "resources": ["secrets"],
            "verbs": ["create"],
        },
        {
            "apiGroups": [""],
            "resourceNames": [(secret(deploy))],
            "resources": ["secrets"],
            "verbs": ["get", "list", "update", "watch"],
        },
    ]);
    let file = "rbac/certificates_role.yaml";
    let bindings = "rbac/certificates_role_binding.yaml";
    let (role, binding) = ("certificates-role", "certificates-rolebinding");
    let objects = [
        rbac::cluster_role(deploy, role, registrations(model, deploy)).at(file),
        rbac::own_role(deploy, role, secrets).at(file),
        rbac::cluster_binding(deploy, role, binding).at(bindings),
        rbac::own_binding(deploy, role, binding).at(bindings),
    ];
    objects.map(|object| object.when(Condition::off(Switch::CertManager)))
}

/// The rules for the objects that register webhooks with the API server. The program may list and
/// watch all webhook configurations, but patch the CA only into its own. It may access only the
/// CRDs that it converts.
fn registrations(model: &Model, deploy: &Deploy) -> Tree {
    let mut rules = Vec::new();
    for (is_mutating, resource) in [
        (true, "mutatingwebhookconfigurations"),
        (false, "validatingwebhookconfigurations"),
    ] {
        let configurations = model.webhooks.iter();
        let own = configurations
            .filter(|it| it.mutating == is_mutating)
            .filter(|it| {
                let mut webhooks = it.webhooks.iter();
                webhooks.any(|webhook| is_own(&webhook.endpoint, deploy))
            });
        let names: BTreeSet<_> = own.map(|it| it.name.clone()).collect();
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
            "resourceNames": (names.iter().map(Tree::from).collect::<Vec<_>>()),
            "resources": [(resource)],
            "verbs": ["patch"],
        }));
    }
    let converted = model.crds.iter().filter(|crd| converts(crd, deploy));
    let names: Vec<_> = converted
        .map(|crd| Tree::from(format!("{}.{}", crd.plural, crd.group)))
        .collect();
    if !names.is_empty() {
        rules.push(tree!({
            "apiGroups": ["apiextensions.k8s.io"],
            "resourceNames": (names),
            "resources": ["customresourcedefinitions"],
            "verbs": ["get", "list", "patch", "watch"],
        }));
    }
    Tree::List(rules)
}

fn issuer(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "cert-manager.io/v1",
        "kind": "Issuer",
        "metadata": (metadata(deploy, "selfsigned-issuer")),
        "spec": { "selfSigned": {} },
    });
    ObjectManifest::new("certmanager/issuer.yaml", "Issuer", tree)
}

/// A cert-manager Certificate for the DNS names of a Service.
fn certificate(deploy: &Deploy, name: &str, service: &str, secret: String) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "cert-manager.io/v1",
        "kind": "Certificate",
        "metadata": (metadata(deploy, name)),
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
