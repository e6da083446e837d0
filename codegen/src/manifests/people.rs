//! Roles for users: an admin, an editor and a viewer of each kind, named as in kubebuilder's
//! projects.

use std::collections::BTreeMap;

use genclient_syntax::Scope;

use super::object::ObjectManifest;
use super::rbac;
use super::settings::{Condition, Switch};
use super::tree::{Tree, tree};
use crate::model::{Crd, Model};
use crate::project::Deploy;

/// A role for users, with its verbs.
struct Share {
    /// `viewer`
    name: &'static str,
    verbs: &'static [&'static str],
    /// The default cluster role that it is aggregated to.
    part_of: &'static str,
}

const SHARES: [Share; 3] = [
    Share {
        name: "admin",
        verbs: &["*"],
        part_of: "admin",
    },
    Share {
        name: "editor",
        verbs: &[
            "create", "delete", "get", "list", "patch", "update", "watch",
        ],
        part_of: "edit",
    },
    Share {
        name: "viewer",
        verbs: &["get", "list", "watch"],
        part_of: "view",
    },
];

/// The roles for all kinds.
pub(super) fn roles(model: &Model, deploy: &Deploy) -> Vec<ObjectManifest> {
    let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
    for crd in &model.crds {
        *kinds.entry(crd.kind.to_lowercase()).or_default() += 1;
    }
    let mut objects = Vec::new();
    for crd in &model.crds {
        let kind = crd.kind.to_lowercase();
        let name = match kinds.get(&kind) {
            Some(1) => kind,
            _ => format!("{}-{kind}", crd.group.replace('.', "-")),
        };
        let of_kind = SHARES.iter().map(|share| role(share, &name, crd, deploy));
        objects.extend(of_kind);
    }
    objects
}

fn role(share: &Share, kind: &str, crd: &Crd, deploy: &Deploy) -> ObjectManifest {
    let texts = |texts: &[&str]| -> Vec<Tree> { texts.iter().copied().map(Tree::from).collect() };
    let mut rules = vec![tree!({
        "apiGroups": [(&crd.group)],
        "resources": [(&crd.plural)],
        "verbs": (texts(share.verbs)),
    })];
    if crd.versions.iter().any(|version| version.status) {
        rules.push(tree!({
            "apiGroups": [(&crd.group)],
            "resources": [(format!("{}/status", crd.plural))],
            "verbs": ["get"],
        }));
    }
    let name = format!("{kind}-{}-role", share.name);
    let file = format!("rbac/{}.yaml", name.replace('-', "_"));
    let mut role = rbac::cluster_role(deploy, &name, Tree::List(rules)).at(file);
    // Namespace-scoped users must not receive access to cluster-scoped objects by aggregation.
    if crd.scope == Scope::Namespaced {
        let label = format!("rbac.authorization.k8s.io/aggregate-to-{}", share.part_of);
        rbac::label(&mut role, label);
    }
    role.when(Condition::on(Switch::Helpers))
}
