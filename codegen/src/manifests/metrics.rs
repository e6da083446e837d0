//! Metrics objects: RBAC rules, the Service, and Prometheus' ServiceMonitor.

use super::object::{
    ObjectManifest, around_namespace, deployment_namespace, namespaced_metadata, pod_labels,
};
use super::settings::{Condition, Feature};
use super::value::{ManifestValue, tree};
use super::{certificates, rbac};
use crate::project::Deploy;

/// The name of the Service's port.
const METRICS_PORT_NAME: &str = "https";

pub(super) fn metrics_objects(deploy: &Deploy) -> Vec<ObjectManifest> {
    let objects = [review_role(deploy), reader_role(deploy)]
        .into_iter()
        .flatten();
    let objects = objects
        .chain([metrics_service(deploy)])
        .map(|object| object.when(Condition::on(Feature::Metrics)));
    objects.chain([service_monitor(deploy)]).collect()
}

/// The role for TokenReviews and SubjectAccessReviews, with which `SecureMetrics` of
/// genclient-controller authenticates and authorizes clients, and its binding.
fn review_role(deploy: &Deploy) -> Vec<ObjectManifest> {
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
fn reader_role(deploy: &Deploy) -> Vec<ObjectManifest> {
    let rules = tree!([{ "nonResourceURLs": ["/metrics"], "verbs": ["get"] }]);
    vec![rbac::cluster_role(deploy, "metrics-reader", rules).at("rbac/metrics_reader_role.yaml")]
}

fn metrics_service(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {
            "labels": (pod_labels(deploy)),
            "name": (deploy.named("metrics-service")),
            "namespace": (deployment_namespace()),
        },
        "spec": {
            "ports": [{
                "name": (METRICS_PORT_NAME),
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
fn service_monitor(deploy: &Deploy) -> ObjectManifest {
    let verified = || Condition::on(Feature::CertManager);
    let service = deploy.named("metrics-service");
    let name = around_namespace(format!("{service}."), ".svc").when(verified());
    let authority = tree!({
        "secret": { "key": "ca.crt", "name": (certificates::metrics_secret(deploy)) },
    });
    let unverified = ManifestValue::from(true).when(Condition::off(Feature::CertManager));
    let tree = tree!({
        "apiVersion": "monitoring.coreos.com/v1",
        "kind": "ServiceMonitor",
        "metadata": (namespaced_metadata(deploy, "metrics-monitor")),
        "spec": {
            "endpoints": [{
                "bearerTokenFile": "/var/run/secrets/kubernetes.io/serviceaccount/token",
                "path": "/metrics",
                "port": (METRICS_PORT_NAME),
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
    let condition = Condition::on(Feature::Metrics).and(Feature::Prometheus);
    ObjectManifest::new("prometheus/monitor.yaml", "ServiceMonitor", tree).when(condition)
}
