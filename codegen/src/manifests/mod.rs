//! Manifests: the Kubernetes objects of a package as data. These are its CRDs, webhook
//! configurations and roles, and everything that deploys its program.
//!
//! Settings that vary between deployments are placeholders in a tree. A [`Rendering`]
//! resolves them. Plain files, a kustomize base and a Helm chart therefore have the same objects.

mod certificates;
pub(crate) mod crd;
mod manager;
mod metrics;
mod network;
mod object;
pub(crate) mod rbac;
mod schema;
mod settings;
mod tree;
pub(crate) mod webhook;

use crate::model::Model;
use crate::project::Deploy;
pub use certificates::secret as webhook_secret;
pub use crd::object as definition;
pub use manager::{AMOUNTS, lease};
pub use object::{ObjectManifest, converted_by_services, serves_webhooks};
pub use rbac::namespaces;
pub use settings::{Amount, Condition, Rendering, Settled, Switch, Variable};
pub use webhook::{called_at, called_by_service, local_addresses};

/// The default image of the program.
pub const IMAGE: &str = "controller:latest";

/// Kinds in installation order: an object comes after the objects that it depends on.
const ORDER: [&str; 16] = [
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
    "Deployment",
    "ServiceMonitor",
    "MutatingWebhookConfiguration",
    "ValidatingWebhookConfiguration",
    "Kustomization",
];

/// All objects of a deployment, in installation order.
pub fn objects(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let mut objects = vec![manager::namespace(deploy)];
    objects.extend(model.crds.iter().map(|crd| crd::object(crd, Some(deploy))));
    objects.push(manager::account(deploy));
    let roles = model.roles.iter();
    objects.extend(roles.map(|role| rbac::object(role, Some(deploy))));
    objects.extend(rbac::bindings(model, deploy));
    objects.extend(manager::leader_election(deploy));
    objects.extend(certificates::objects(model, deploy));
    objects.extend(metrics::objects(deploy));
    objects.extend(rbac::user_roles(model, deploy));
    objects.push(manager::deployment(model, deploy));
    objects.extend(webhook::service(model, deploy));
    let configurations = model.webhooks.iter();
    objects.extend(configurations.map(|it| webhook::object(it, Some(deploy))));
    objects.extend(network::policies(model, deploy));
    objects.sort_by_key(order);
    objects
}

fn order(object: &ObjectManifest) -> usize {
    let place = ORDER.iter().position(|kind| *kind == object.kind);
    place.unwrap_or(ORDER.len())
}
