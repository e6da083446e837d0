//! Roles of the program with their bindings, and roles for users: admin, editor, viewer per kind.
//!
//! Keys are in the order of controller-gen's `role.yaml`. Roles for users are named as in
//! kubebuilder's projects.

use std::collections::{BTreeMap, BTreeSet};

use genclient_syntax::Scope;

use super::object::{
    ObjectManifest, cluster_metadata, deployment_namespace, namespace_value, namespaced_metadata,
};
use super::settings::{Condition, Feature};
use super::value::{ManifestValue, tree};
use crate::model::{Crd, Model, PolicyRule, Role};
use crate::project::Deploy;
use crate::yaml::Yaml;

/// The file for the roles of the controllers, below the configuration folder.
pub(crate) const ROLES_FILE: &str = "rbac/role.yaml";

const RBAC_API_VERSION: &str = "rbac.authorization.k8s.io/v1";

/// The manifest of a role of the controllers.
pub(crate) fn role_manifest(role: &Role, deploy: Option<&Deploy>) -> ObjectManifest {
    let kind = role_kind(role.namespace.is_some());
    let mut metadata = vec![("name".to_owned(), ManifestValue::from(&role.name))];
    if let Some(stated) = &role.namespace {
        metadata.push(("namespace".to_owned(), namespace_value(stated, deploy)));
    }
    let rules: Vec<_> = role
        .rules
        .iter()
        .map(|it| Yaml::build(|yaml| write_rule(yaml, it)))
        .map(ManifestValue::from)
        .collect();
    let tree = tree!({
        "apiVersion": (RBAC_API_VERSION),
        "kind": (kind),
        "metadata": (ManifestValue::Map(metadata)),
        "rules": (rules),
    });
    ObjectManifest::new(ROLES_FILE, kind, tree)
}

fn role_kind(is_namespaced: bool) -> &'static str {
    if is_namespaced { "Role" } else { "ClusterRole" }
}

fn write_rule(yaml: &mut Yaml, rule: &PolicyRule) {
    yaml.texts("apiGroups", &rule.groups);
    yaml.texts("nonResourceURLs", &rule.urls);
    yaml.texts("resourceNames", &rule.names);
    yaml.texts("resources", &rule.resources);
    yaml.texts("verbs", &rule.verbs);
}

/// The Namespace objects for the package's roles, except the deployment's namespace.
pub fn role_namespaces(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let others: BTreeSet<_> = model
        .roles
        .iter()
        .filter_map(|role| role.namespace.as_ref())
        .filter(|namespace| **namespace != deploy.namespace)
        .collect();
    let objects = others.into_iter().map(|name| {
        let tree = tree!({
            "apiVersion": "v1",
            "kind": "Namespace",
            "metadata": { "name": (name) },
        });
        ObjectManifest::new("", "Namespace", tree)
    });
    objects.collect()
}

/// The bindings of the package's roles to the program's service account.
pub(super) fn role_bindings(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let bindings = model.roles.iter().map(|role| {
        let name = binding_name(&role.name);
        let metadata = match &role.namespace {
            Some(stated) => tree!({
                "labels": { "app.kubernetes.io/name": (&deploy.name) },
                "name": (name),
                "namespace": (namespace_value(stated, Some(deploy))),
            }),
            None => tree!({
                "labels": { "app.kubernetes.io/name": (&deploy.name) },
                "name": (name),
            }),
        };
        new_binding(deploy, role.namespace.is_some(), metadata, &role.name)
            .at("rbac/role_binding.yaml")
    });
    bindings.collect()
}

/// The name of a role's binding: `manager-rolebinding` for `manager-role`, as in
/// kubebuilder's projects, and `x-binding` for `x`.
fn binding_name(role: &str) -> String {
    if role.ends_with("-role") {
        format!("{role}binding")
    } else {
        format!("{role}-binding")
    }
}

pub(super) fn cluster_role(deploy: &Deploy, name: &str, rules: ManifestValue) -> ObjectManifest {
    new_role(false, cluster_metadata(deploy, name), rules)
}

/// A Role in the namespace of the deployment.
pub(super) fn own_role(deploy: &Deploy, name: &str, rules: ManifestValue) -> ObjectManifest {
    new_role(true, namespaced_metadata(deploy, name), rules)
}

fn new_role(is_namespaced: bool, metadata: ManifestValue, rules: ManifestValue) -> ObjectManifest {
    let kind = role_kind(is_namespaced);
    let tree = tree!({
        "apiVersion": (RBAC_API_VERSION),
        "kind": (kind),
        "metadata": (metadata),
        "rules": (rules),
    });
    ObjectManifest::new("", kind, tree)
}

/// The binding of a ClusterRole to the program's service account.
pub(super) fn cluster_binding(deploy: &Deploy, role: &str, name: &str) -> ObjectManifest {
    let metadata = cluster_metadata(deploy, name);
    new_binding(deploy, false, metadata, &deploy.named(role))
}

/// The binding of a Role in the deployment's namespace to the program's service account.
pub(super) fn own_binding(deploy: &Deploy, role: &str, name: &str) -> ObjectManifest {
    new_binding(
        deploy,
        true,
        namespaced_metadata(deploy, name),
        &deploy.named(role),
    )
}

fn new_binding(
    deploy: &Deploy,
    is_namespaced: bool,
    metadata: ManifestValue,
    role: &str,
) -> ObjectManifest {
    let binding = if is_namespaced {
        "RoleBinding"
    } else {
        "ClusterRoleBinding"
    };
    let tree = tree!({
        "apiVersion": (RBAC_API_VERSION),
        "kind": (binding),
        "metadata": (metadata),
        "roleRef": {
            "apiGroup": "rbac.authorization.k8s.io",
            "kind": (role_kind(is_namespaced)),
            "name": (role),
        },
        "subjects": (binding_subjects(deploy)),
    });
    ObjectManifest::new("", binding, tree)
}

/// The program's service account as the subject of a binding.
fn binding_subjects(deploy: &Deploy) -> ManifestValue {
    tree!([{
        "kind": "ServiceAccount",
        "name": (deploy.named("controller-manager")),
        "namespace": (deployment_namespace()),
    }])
}

/// Adds a label with the value `"true"`.
fn add_label(role: &mut ObjectManifest, label: String) {
    let labels = find_member(&mut role.tree, "metadata").and_then(|it| find_member(it, "labels"));
    if let Some(ManifestValue::Map(labels)) = labels {
        labels.push((label, "true".into()));
    }
}

fn find_member<'t>(tree: &'t mut ManifestValue, name: &str) -> Option<&'t mut ManifestValue> {
    let ManifestValue::Map(entries) = tree else {
        return None;
    };
    let mut entries = entries.iter_mut();
    entries.find(|(key, _)| key == name).map(|(_, value)| value)
}

/// One of the three user roles that each kind has.
struct UserRole {
    /// `viewer`
    name: &'static str,
    verbs: &'static [&'static str],
    /// The default ClusterRole that the role is aggregated to, if the kind is namespaced.
    part_of: &'static str,
}

const USER_ROLES: [UserRole; 3] = [
    UserRole {
        name: "admin",
        verbs: &["*"],
        part_of: "admin",
    },
    UserRole {
        name: "editor",
        verbs: &[
            "create", "delete", "get", "list", "patch", "update", "watch",
        ],
        part_of: "edit",
    },
    UserRole {
        name: "viewer",
        verbs: &["get", "list", "watch"],
        part_of: "view",
    },
];

/// The admin, editor and viewer roles of all kinds.
pub(super) fn user_roles(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for crd in &model.crds {
        *kinds.entry(crd.kind.to_lowercase()).or_default() += 1;
    }
    let mut objects = Vec::new();
    for crd in &model.crds {
        let kind = crd.kind.to_lowercase();
        // Two groups may have a kind of the same name.
        let name = match kinds.get(&kind) {
            Some(1) => kind,
            _ => format!("{}-{kind}", crd.group.replace('.', "-")),
        };
        let roles = USER_ROLES.iter();
        objects.extend(roles.map(|role| user_role(role, &name, crd, deploy)));
    }
    objects
}

/// A role of `kind` for users. Only the controller writes the status, so users may read it at most.
fn user_role(permissions: &UserRole, kind: &str, crd: &Crd, deploy: &Deploy) -> ObjectManifest {
    let verbs = permissions.verbs.iter().copied();
    let mut rules = vec![tree!({
        "apiGroups": [(&crd.group)],
        "resources": [(&crd.plural)],
        "verbs": (verbs.map(ManifestValue::from).collect::<Vec<_>>()),
    })];
    if crd.versions.iter().any(|version| version.status) {
        rules.push(tree!({
            "apiGroups": [(&crd.group)],
            "resources": [(format!("{}/status", crd.plural))],
            "verbs": ["get"],
        }));
    }
    let name = format!("{kind}-{}-role", permissions.name);
    let file = format!("rbac/{}.yaml", name.replace('-', "_"));
    let mut role = cluster_role(deploy, &name, ManifestValue::List(rules)).at(file);
    // Roles of cluster-scoped kinds are not aggregated to `admin`, `edit` and `view`, which are
    // meant for RoleBindings. A RoleBinding gives no access to cluster-scoped objects. But users
    // who have, say, `edit` by a ClusterRoleBinding would be able to change such objects.
    if crd.scope == Scope::Namespaced {
        let label = format!(
            "rbac.authorization.k8s.io/aggregate-to-{}",
            permissions.part_of
        );
        add_label(&mut role, label);
    }
    role.when(Condition::on(Feature::Helpers))
}
