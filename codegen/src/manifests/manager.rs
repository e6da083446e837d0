//! The namespace, the service account and the Deployment of the program, and its permissions for
//! leader election.

use super::object::{ObjectManifest, metadata, own_namespace, pod_labels, serves_webhooks};
use super::settings::{Amount, Condition, Switch, Variable};
use super::tree::{Tree, tree};
use super::{certificates, rbac};
use crate::model::Model;
use crate::project::Deploy;

/// Resource requests and limits of the container. There is no CPU limit, because it would throttle
/// the program even on an idle node.
pub const AMOUNTS: [Amount; 3] = [
    Amount {
        of: "limits",
        resource: "memory",
        default: "512Mi",
    },
    Amount {
        of: "requests",
        resource: "cpu",
        default: "10m",
    },
    Amount {
        of: "requests",
        resource: "memory",
        default: "64Mi",
    },
];

/// Mount paths of cert-manager's certificates.
const WEBHOOK_CERTIFICATES: &str = "/certs/webhook";
const METRICS_CERTIFICATES: &str = "/certs/metrics";

/// The namespace of the program. It enforces the `restricted` Pod security standard, which its Pods
/// satisfy.
pub(super) fn namespace(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {
            "labels": {
                "app.kubernetes.io/name": (&deploy.name),
                "pod-security.kubernetes.io/enforce": "restricted",
            },
            "name": (own_namespace()),
        },
    });
    ObjectManifest::new("manager/namespace.yaml", "Namespace", tree)
        .when(Condition::on(Switch::Namespace))
}

/// The Deployment of the program.
///
/// Within the 30 s of `--graceful-shutdown-timeout`, a manager stops its controllers, releases the
/// lease and answers the last requests. The termination grace period is longer: 40 s.
pub(super) fn deployment(model: &Model, deploy: &Deploy) -> ObjectManifest {
    let with_webhooks = serves_webhooks(model, deploy);
    let mut pod = vec![(
        "containers".to_owned(),
        Tree::List(vec![container(deploy, with_webhooks)]),
    )];
    let rest = tree!({
        "securityContext": {
            "runAsNonRoot": true,
            "runAsUser": 65532,
            "seccompProfile": { "type": "RuntimeDefault" },
        },
        "serviceAccountName": (deploy.named("controller-manager")),
        "terminationGracePeriodSeconds": 40,
        "volumes": (volumes(deploy, with_webhooks)),
    });
    if let Tree::Map(rest) = rest {
        pod.extend(rest);
    }
    let tree = tree!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": (metadata(deploy, "controller-manager")),
        "spec": {
            "replicas": (Variable::Replicas),
            "selector": { "matchLabels": (pod_labels(deploy)) },
            "template": {
                "metadata": {
                    "annotations": { "kubectl.kubernetes.io/default-container": "manager" },
                    "labels": (pod_labels(deploy)),
                },
                "spec": (Tree::Map(pod)),
            },
        },
    });
    ObjectManifest::new("manager/manager.yaml", "Deployment", tree)
}

fn container(deploy: &Deploy, with_webhooks: bool) -> Tree {
    let mut entries = vec![(
        "args".to_owned(),
        Tree::List(arguments(deploy, with_webhooks)),
    )];
    if deploy.namespaced {
        let own = tree!([{
            "name": "POD_NAMESPACE",
            "valueFrom": { "fieldRef": { "fieldPath": "metadata.namespace" } },
        }]);
        entries.push(("env".to_owned(), own));
    }
    let rest = tree!({
        "image": (Variable::Image),
        "livenessProbe": {
            "httpGet": { "path": "/healthz", "port": "health" },
            "initialDelaySeconds": 15,
            "periodSeconds": 20,
        },
        "name": "manager",
        "ports": (ports(with_webhooks)),
        "readinessProbe": {
            "httpGet": { "path": "/readyz", "port": "health" },
            "initialDelaySeconds": 5,
            "periodSeconds": 10,
        },
        "resources": (resources()),
        "securityContext": {
            "allowPrivilegeEscalation": false,
            "capabilities": { "drop": ["ALL"] },
            "readOnlyRootFilesystem": true,
        },
        "volumeMounts": (mounts(with_webhooks)),
    });
    if let Tree::Map(rest) = rest {
        entries.extend(rest);
    }
    Tree::Map(entries)
}

fn arguments(deploy: &Deploy, with_webhooks: bool) -> Vec<Tree> {
    let mut arguments: Vec<Tree> = vec![
        "--leader-elect".into(),
        format!("--leader-elect-resource-name={}", lease(deploy)).into(),
        "--health-probe-bind-address=:8081".into(),
        Tree::from("--metrics-bind-address=:8443").when(Condition::on(Switch::Metrics)),
        Tree::from("--metrics-secure").when(Condition::on(Switch::Metrics)),
        Tree::from(format!("--metrics-cert-path={METRICS_CERTIFICATES}"))
            .when(Condition::on(Switch::Metrics).and(Switch::CertManager)),
    ];
    if with_webhooks {
        let certificate = format!("--webhook-cert-path={WEBHOOK_CERTIFICATES}");
        let secret = format!("--webhook-secret={}", certificates::secret(deploy));
        arguments.extend([
            format!("--webhook-service={}", deploy.webhook_service()).into(),
            Tree::from(secret).when(Condition::off(Switch::CertManager)),
            Tree::from(certificate).when(Condition::on(Switch::CertManager)),
        ]);
    }
    if deploy.namespaced {
        arguments.push("--namespace=$(POD_NAMESPACE)".into());
    }
    arguments
}

fn ports(with_webhooks: bool) -> Tree {
    let port = |number: i32, name: &str| tree!({ "containerPort": (number), "name": (name), "protocol": "TCP" });
    let mut ports = vec![port(8081, "health")];
    if with_webhooks {
        ports.push(port(9443, "webhook"));
    }
    ports.push(port(8443, "metrics").when(Condition::on(Switch::Metrics)));
    Tree::List(ports)
}

fn resources() -> Tree {
    let of = |of: &str| {
        let amounts = AMOUNTS.iter().filter(|amount| amount.of == of);
        let entries = amounts.map(|amount| {
            let value = Tree::Variable(Variable::Amount(amount));
            (amount.resource.to_owned(), value)
        });
        (of.to_owned(), Tree::Map(entries.collect()))
    };
    Tree::Map(vec![of("limits"), of("requests")])
}

fn mounts(with_webhooks: bool) -> Tree {
    let mount = |name: &str, path: &str, condition| {
        let mount = tree!({ "mountPath": (path), "name": (name), "readOnly": true });
        mount.when(condition)
    };
    let mut mounts = vec![mount("metrics-cert", METRICS_CERTIFICATES, of_metrics())];
    if with_webhooks {
        let condition = Condition::on(Switch::CertManager);
        mounts.push(mount("webhook-cert", WEBHOOK_CERTIFICATES, condition));
    }
    Tree::List(mounts)
}

fn volumes(deploy: &Deploy, with_webhooks: bool) -> Tree {
    let volume = |name: &str, secret: String, condition| {
        let volume = tree!({ "name": (name), "secret": { "secretName": (secret) } });
        volume.when(condition)
    };
    let secret = certificates::metrics_secret(deploy);
    let mut volumes = vec![volume("metrics-cert", secret, of_metrics())];
    if with_webhooks {
        let secret = certificates::secret(deploy);
        let condition = Condition::on(Switch::CertManager);
        volumes.push(volume("webhook-cert", secret, condition));
    }
    Tree::List(volumes)
}

/// The condition that cert-manager issues the metrics certificate.
fn of_metrics() -> Condition {
    Condition::on(Switch::CertManager).and(Switch::Metrics)
}

/// The ServiceAccount of the program.
pub(super) fn account(deploy: &Deploy) -> ObjectManifest {
    let tree = tree!({
        "apiVersion": "v1",
        "kind": "ServiceAccount",
        "metadata": (metadata(deploy, "controller-manager")),
    });
    ObjectManifest::new("rbac/service_account.yaml", "ServiceAccount", tree)
}

/// The name of the leader election Lease.
pub fn lease(deploy: &Deploy) -> String {
    deploy.named("controller-manager")
}

/// The role of leader election, and its binding. `create` cannot be restricted by `resourceNames`,
/// because the name of a new object is not known when the request is authorized.
pub(super) fn leader_election(deploy: &Deploy) -> [ObjectManifest; 2] {
    let rules = tree!([
        {
            "apiGroups": ["coordination.k8s.io"],
            "resources": ["leases"],
            "verbs": ["create"],
        },
        {
            "apiGroups": ["coordination.k8s.io"],
            "resourceNames": [(lease(deploy))],
            "resources": ["leases"],
            "verbs": ["get", "update"],
        },
    ]);
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
