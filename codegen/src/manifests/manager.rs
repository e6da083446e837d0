//! The namespace, the service account and the Deployment of the program, and its permissions for
//! leader election.

use super::object::{
    ObjectManifest, deployment_namespace, namespaced_metadata, pod_labels, serves_webhooks,
};
use super::settings::{Amount, Condition, Feature, Variable};
use super::value::{ManifestValue, tree};
use super::{certificates, rbac};
use crate::model::Model;
use crate::project::Deploy;

/// Resource requests and limits of the container. There is no CPU limit, because it would throttle
/// the program even on an idle node.
pub const RESOURCE_AMOUNTS: [Amount; 3] = [
    Amount {
        section: "limits",
        resource: "memory",
        default: "512Mi",
    },
    Amount {
        section: "requests",
        resource: "cpu",
        default: "10m",
    },
    Amount {
        section: "requests",
        resource: "memory",
        default: "64Mi",
    },
];

/// Mount paths of cert-manager's certificates.
const WEBHOOK_CERTIFICATES_PATH: &str = "/certs/webhook";
const METRICS_CERTIFICATES_PATH: &str = "/certs/metrics";

/// The namespace of the program. It enforces the `restricted` Pod security standard, which its Pods
/// satisfy.
pub(super) fn manager_namespace(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "labels": {
                "app.kubernetes.io/name": (&deploy.name),
                "pod-security.kubernetes.io/enforce": "restricted",
            },
            "name": (deployment_namespace()),
        },
    });
    ObjectManifest::new("manager/namespace.yaml", "Namespace", tree)
        .when(Condition::on(Feature::Namespace))
}

/// The Deployment of the program.
///
/// Within the 30 s of `--graceful-shutdown-timeout`, a manager stops its controllers, releases the
/// lease and answers the last requests. The termination grace period is longer: 40 s.
pub(super) fn manager_deployment(model: &Model, deploy: &Deploy) -> ObjectManifest {
    let with_webhooks = serves_webhooks(model, deploy);
    let tree = tree!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": (namespaced_metadata(deploy, "controller-manager")),
        "spec": {
            "replicas": (Variable::Replicas),
            "selector": { "matchLabels": (pod_labels(deploy)) },
            "template": {
                "metadata": {
                    "annotations": { "kubectl.kubernetes.io/default-container": "manager" },
                    "labels": (pod_labels(deploy)),
                },
                "spec": (pod_spec(deploy, with_webhooks)),
            },
        },
    });
    ObjectManifest::new("manager/manager.yaml", "Deployment", tree)
}

/// The spec of the Pods. If they share the objects, the scheduler spreads them over nodes, so that
/// the loss of a node leaves few objects without a Pod.
fn pod_spec(deploy: &Deploy, with_webhooks: bool) -> ManifestValue {
    let mut spec = tree!({
        "containers": [(manager_container(deploy, with_webhooks))],
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": 65532,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "serviceAccountName": (deploy.named("controller-manager")),
        "terminationGracePeriodSeconds": 40,
    });
    if let ManifestValue::Map(entries) = &mut spec {
        if deploy.shard_by.is_some() {
            let spread = tree!([{
                "labelSelector": { "matchLabels": (pod_labels(deploy)) },
                "matchLabelKeys": ["pod-template-hash"],
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
            }]);
            entries.push(("topologySpreadConstraints".to_owned(), spread));
        }
        let volumes = tree!((pod_volumes(deploy, with_webhooks)));
        entries.push(("volumes".to_owned(), volumes));
    }
    spec
}

/// Limits evictions of Pods that share the objects to one at a time, since each moves objects. Pods
/// that are not ready may always be evicted.
pub(super) fn disruption_budget(deploy: &Deploy) -> Option<ObjectManifest> {
    deploy.shard_by?;
    let tree = tree!({
        "apiVersion": "policy/v1",
        "kind": "PodDisruptionBudget",
        "metadata": (namespaced_metadata(deploy, "controller-manager")),
        "spec": {
            "maxUnavailable": 1,
            "selector": { "matchLabels": (pod_labels(deploy)) },
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
        },
    });
    let file = "manager/pod_disruption_budget.yaml";
    Some(ObjectManifest::new(file, "PodDisruptionBudget", tree))
}

/// The container of the program. `tree!` has no optional entries, so `env` is inserted between the
/// keys before and after it in alphabetical order.
fn manager_container(deploy: &Deploy, with_webhooks: bool) -> ManifestValue {
    let mut entries = vec![(
        "args".to_owned(),
        ManifestValue::List(container_arguments(deploy, with_webhooks)),
    )];
    if deploy.namespaced {
        let env = tree!([{
            "name": "POD_NAMESPACE",
            "valueFrom": { "fieldRef": { "fieldPath": "metadata.namespace" } },
        }]);
        entries.push(("env".to_owned(), env));
    }
    let keys_after_env = tree!({
        "image": (Variable::Image),
        "livenessProbe": {
            "httpGet": { "path": "/healthz", "port": "health" },
            "initialDelaySeconds": 15,
            "periodSeconds": 20,
        },
        "name": "manager",
        "ports": (container_ports(with_webhooks)),
        "readinessProbe": {
            "httpGet": { "path": "/readyz", "port": "health" },
            "initialDelaySeconds": 5,
            "periodSeconds": 10,
        },
        "resources": (container_resources()),
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "capabilities": { "drop": ["ALL"] },
            "readOnlyRootFilesystem": true,
        },
        "volumeMounts": (volume_mounts(with_webhooks)),
    });
    if let ManifestValue::Map(keys_after_env) = keys_after_env {
        entries.extend(keys_after_env);
    }
    ManifestValue::Map(entries)
}

fn container_arguments(deploy: &Deploy, with_webhooks: bool) -> Vec<ManifestValue> {
    let leader_or_shards = match deploy.shard_by {
        None => "--leader-elect".to_owned(),
        Some(shard_by) => format!("--shard-by={}", shard_by.as_str()),
    };
    let mut arguments: Vec<ManifestValue> = vec![
        leader_or_shards.into(),
        format!("--leader-elect-resource-name={}", lease_name(deploy)).into(),
        "--health-probe-bind-address=:8081".into(),
        ManifestValue::from("--metrics-bind-address=:8443").when(Condition::on(Feature::Metrics)),
        ManifestValue::from("--metrics-secure").when(Condition::on(Feature::Metrics)),
        ManifestValue::from(format!("--metrics-cert-path={METRICS_CERTIFICATES_PATH}"))
            .when(Condition::on(Feature::Metrics).and(Feature::CertManager)),
    ];
    if with_webhooks {
        let certificate = format!("--webhook-cert-path={WEBHOOK_CERTIFICATES_PATH}");
        let secret = format!("--webhook-secret={}", certificates::webhook_secret(deploy));
        arguments.extend([
            format!("--webhook-service={}", deploy.webhook_service()).into(),
            ManifestValue::from(secret).when(Condition::off(Feature::CertManager)),
            ManifestValue::from(certificate).when(Condition::on(Feature::CertManager)),
        ]);
    }
    if deploy.namespaced {
        // The kubelet expands the variable, which the container gets from the downward API.
        arguments.push("--namespace=$(POD_NAMESPACE)".into());
    }
    arguments
}

fn container_ports(with_webhooks: bool) -> ManifestValue {
    let port = |number: i32, name: &str| tree!({ "containerPort": (number), "name": (name), "protocol": "TCP" });
    let mut ports = vec![port(8081, "health")];
    if with_webhooks {
        ports.push(port(9443, "webhook"));
    }
    ports.push(port(8443, "metrics").when(Condition::on(Feature::Metrics)));
    ManifestValue::List(ports)
}

fn container_resources() -> ManifestValue {
    let amounts_of = |section: &str| {
        let entries = RESOURCE_AMOUNTS
            .iter()
            .filter(|amount| amount.section == section)
            .map(|amount| {
                let value = ManifestValue::Variable(Variable::Amount(amount));
                (amount.resource.to_owned(), value)
            });
        (section.to_owned(), ManifestValue::Map(entries.collect()))
    };
    ManifestValue::Map(vec![amounts_of("limits"), amounts_of("requests")])
}

fn volume_mounts(with_webhooks: bool) -> ManifestValue {
    let mount = |name: &str, path: &str, condition| {
        let mount = tree!({ "mountPath": (path), "name": (name), "readOnly": true });
        mount.when(condition)
    };
    let mut mounts = vec![mount(
        "metrics-cert",
        METRICS_CERTIFICATES_PATH,
        certificates::issues_metrics_certificate(),
    )];
    if with_webhooks {
        let condition = Condition::on(Feature::CertManager);
        mounts.push(mount("webhook-cert", WEBHOOK_CERTIFICATES_PATH, condition));
    }
    ManifestValue::List(mounts)
}

fn pod_volumes(deploy: &Deploy, with_webhooks: bool) -> ManifestValue {
    let volume = |name: &str, secret: String, condition| {
        let volume = tree!({ "name": (name), "secret": { "secretName": (secret) } });
        volume.when(condition)
    };
    let secret = certificates::metrics_secret(deploy);
    let mut volumes = vec![volume(
        "metrics-cert",
        secret,
        certificates::issues_metrics_certificate(),
    )];
    if with_webhooks {
        let secret = certificates::webhook_secret(deploy);
        let condition = Condition::on(Feature::CertManager);
        volumes.push(volume("webhook-cert", secret, condition));
    }
    ManifestValue::List(volumes)
}

/// The ServiceAccount of the program.
pub(super) fn service_account(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": (namespaced_metadata(deploy, "controller-manager")),
    });
    ObjectManifest::new("rbac/service_account.yaml", "ServiceAccount", tree)
}

/// The name of the leader election Lease.
pub fn lease_name(deploy: &Deploy) -> String {
    deploy.named("controller-manager")
}

/// The role of leader election, and its binding. `create` cannot be restricted by `resourceNames`,
/// because the name of a new object is not known when the request is authorized.
///
/// With sharding, the Lease of each Pod has a random name. `get` is for Pods of an earlier version,
/// which elect a leader, during an update.
pub(super) fn leader_election_objects(deploy: &Deploy) -> [ObjectManifest; 2] {
    let of_any_name = tree!([{
        "apiGroups": ["coordination.k8s.io"],
        "resources": ["leases"],
        "verbs": ["create", "delete", "get", "list", "update", "watch"],
    }]);
    let of_one_name = tree!([
        {
            "apiGroups": ["coordination.k8s.io"],
            "resources": ["leases"],
            "verbs": ["create"],
        },
        {
            "apiGroups": ["coordination.k8s.io"],
            "resourceNames": [(lease_name(deploy))],
            "resources": ["leases"],
            "verbs": ["get", "update"],
        },
    ]);
    let rules = match deploy.shard_by {
        Some(_) => of_any_name,
        None => of_one_name,
    };
    [
        rbac::own_role(deploy, "leader-election-role", rules).at("rbac/leader_election_role.yaml"),
        rbac::own_binding(
            deploy,
            "leader-election-role",
            "leader-election-rolebinding",
        )
        .at("rbac/leader_election_role_binding.yaml"),
    ]
}
