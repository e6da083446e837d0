//! Metrics objects: RBAC rules, the Service, and Prometheus' ServiceMonitor.

use super::object::{ObjectManifest, around_namespace, metadata, own_namespace, pod_labels};
use super::settings::{Condition, Switch};
use super::tree::{Tree, tree};
use super::{certificates, rbac};
use crate::project::Deploy;

/// The name of the Service's port.
const PORT: &str = "https";

pub(super) fn objects(deploy: &Deploy) -> Vec<ObjectManifest> {
    let objects = [reviews(deploy), readers(deploy)].into_iter().flatten();
    let objects = objects
        .chain([service(deploy)])
        .map(|object| object.when(Condition::on(Switch::Metrics)));
    objects.chain([monitor(deploy)]).collect()
}

/// The role for TokenReviews and SubjectAccessReviews, with which `SecureMetrics` of
/// genclient-controller authenticates and authorizes clients, and its binding.
fn reviews(deploy: &Deploy) -> Vec<ObjectManifest> {
    let rules = tree!([
        {
            "apiGroups": ["authentication.k8s.io"],
            "resources": ["tokenreviews"],
            "verbs": ["create"],
        },
        {
            "apiGroups": ["authorization.k8s.io"],
            "resources": ["subjectaccessreviews"],
            "verbs": ["create"],
        },
    ]);
    let (role, binding) = ("metrics-auth-role", "metrics-auth-rolebinding");
    vec![
        rbac::cluster_role(deploy, role, rules).at("rbac/metrics_auth_role.yaml"),
        rbac::cluster_binding(deploy, role, binding).at("rbac/metrics_auth_role_binding.yaml"),
    ]
}

/// The role for clients that read the metrics.
fn readers(deploy: &Deploy) -> Vec<ObjectManifest> {
    let rules = tree!([{ "nonResourceURLs": ["/metrics"], "verbs": ["get"] }]);
    vec![rbac::cluster_role(deploy, "metrics-reader", rules).at("rbac/metrics_reader_role.yaml")]
}

fn service(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "labels": (pod_labels(deploy)),
            "name": (deploy.named("metrics-service")),
            "namespace": (own_namespace()),
        },
        "spec": {
            "ports": [{
                "name": (PORT),
                "port": 8443,
                "protocol": "TCP",
                "targetPort": "metrics",
            }],
            "selector": (pod_labels(deploy)),
        },
    });
    ObjectManifest::new("manager/metrics_service.yaml", "Service", tree)
}

/// The ServiceMonitor. Prometheus sends its service account's token. With cert-manager, Prometheus
/// verifies the program's certificate. Otherwise that certificate is self-signed and not verified.
fn monitor(deploy: &Deploy) -> ObjectManifest {
    let verified = || Condition::on(Switch::CertManager);
    let service = deploy.named("metrics-service");
    let name = around_namespace(format!("{service}."), ".svc").when(verified());
    let authority = tree!({
        "secret": { "key": "ca.crt", "name": (certificates::metrics_secret(deploy)) },
    });
    let unverified = Tree::from(true).when(Condition::off(Switch::CertManager));
    let tree = tree!({
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": (metadata(deploy, "metrics-monitor")),
        "spec": {
            "endpoints": [{
                "bearerTokenFile": "/var/run/secrets/kubernetes.io/serviceaccount/token",
                "path": "/metrics",
                "port": (PORT),
                "scheme": "https",
                "tlsConfig": {
                    "ca": (authority.when(verified())),
                    "insecureSkipVerify": (unverified),
                    "serverName": (name),
                },
            }],
            "selector": { "matchLabels": (pod_labels(deploy)) },
        },
    });
    let condition = Condition::on(Switch::Metrics).and(Switch::Prometheus);
    ObjectManifest::new("prometheus/monitor.yaml", "ServiceMonitor", tree).when(condition)
}
