//! Manifests: the Kubernetes objects of a package as data. These are its CRDs, webhook
//! configurations and roles, and everything that deploys its program.
//!
//! Settings that vary between deployments are placeholders in a `ManifestValue`. A [`Rendering`]
//! resolves them. Plain files, a kustomize base and a Helm chart therefore have the same objects.

mod certificates;
pub(crate) mod crd;
mod manager;
mod metrics;
mod network;
mod object;
pub(crate) mod rbac;
mod settings;
mod value;
pub(crate) mod webhook;

use crate::model::Model;
use crate::project::Deploy;
pub use certificates::webhook_secret;
pub use crd::crd_manifest;
pub use manager::{RESOURCE_AMOUNTS, lease_name};
pub use object::{ObjectManifest, kinds_converted_by_services, serves_webhooks};
pub use rbac::role_namespaces;
pub use settings::{Amount, Condition, Feature, Rendering, Settled, Variable};
pub use webhook::{call_webhooks_at_url, call_webhooks_by_service, local_webhook_addresses};

/// The default image of the program.
pub const DEFAULT_IMAGE: &str = "controller:latest";

/// Kinds in installation order: an object comes after the objects that it depends on.
const INSTALLATION_ORDER: [&str; 16] = [
    "Namespace",
    "CustomResourceDefinition",
    "ServiceAccount",
    "ClusterRole",
    "Role",
    "ClusterRoleBinding",
    "RoleBinding",
    "Service",
    "Issuer",
    "Certificate",
    "NetworkPolicy",
    "PodDisruptionBudget",
    "Deployment",
    "ServiceMonitor",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
];

/// All objects of a deployment, in installation order.
pub fn deployment_objects(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let mut objects = vec![manager::manager_namespace(deploy)];
    objects.extend(
        model
            .crds
            .iter()
            .map(|crd| crd::crd_manifest(crd, Some(deploy))),
    );
    objects.push(manager::service_account(deploy));
    let roles = model.roles.iter();
    objects.extend(roles.map(|role| rbac::role_manifest(role, Some(deploy))));
    objects.extend(rbac::role_bindings(model, deploy));
    objects.extend(manager::leader_election_objects(deploy));
    objects.extend(certificates::certificate_objects(model, deploy));
    objects.extend(metrics::metrics_objects(deploy));
    objects.extend(rbac::user_roles(model, deploy));
    objects.extend(manager::disruption_budget(deploy));
    objects.push(manager::manager_deployment(model, deploy));
    objects.extend(webhook::webhook_service(model, deploy));
    let configurations = model.webhooks.iter();
    objects.extend(configurations.map(|it| webhook::configuration_manifest(it, Some(deploy))));
    objects.extend(network::network_policies(model, deploy));
    objects.sort_by_key(installation_order);
    objects
}

fn installation_order(object: &ObjectManifest) -> usize {
    INSTALLATION_ORDER
        .iter()
        .position(|kind| *kind == object.kind)
        .unwrap_or(INSTALLATION_ORDER.len())
}
