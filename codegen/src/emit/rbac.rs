//! `config/rbac/`: roles as YAML, keys in order as in controller-gen's `role.yaml`.

use super::package::{PackageFiles, ROLES};
use super::yaml::Yaml;
use crate::model::{Model, PolicyRule, Role};

pub(super) fn emit(model: &Model, package: &mut PackageFiles<'_>) {
    let documents: Vec<_> = model.roles.iter().map(document).collect();
    if !documents.is_empty() {
        let documents: Vec<_> = documents.iter().map(String::as_str).collect();
        package.yaml(ROLES, &documents);
    }
}

fn document(role: &Role) -> String {
    let kind = match role.namespace {
        Some(_) => "Role",
        None => "ClusterRole",
    };
    let mut yaml = Yaml::below(String::new());
    yaml.text("apiVersion", "rbac.authorization.k8s.io/v1");
    yaml.text("kind", kind);
    yaml.map("metadata", |yaml| {
        yaml.text("name", role.name.as_str());
        yaml.text("namespace", role.namespace.as_deref());
    });
    yaml.maps("rules", &role.rules, rule);
    yaml.finish()
}

fn rule(yaml: &mut Yaml, rule: &PolicyRule) {
    yaml.texts("apiGroups", &rule.groups);
    yaml.texts("nonResourceURLs", &rule.urls);
    yaml.texts("resourceNames", &rule.names);
    yaml.texts("resources", &rule.resources);
    yaml.texts("verbs", &rule.verbs);
}
