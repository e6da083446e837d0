//! [`RolePlace`]: the role that a rule is in, by its attribute and by the deployment of the
//! package.

use genclient_syntax::Scope;

use crate::known;
use crate::model::PolicyRule;
use crate::project::Deploy;
use crate::resolve::kind::Kind;

/// The role of rules that name none, as in kubebuilder's projects: with the name of the deployment
/// in front.
const ROLE: &str = "manager-role";

/// Other roles of a deployment, likewise, which `manifests` has.
const OTHERS: [&str; 4] = [
    "certificates-role",
    "leader-election-role",
    "metrics-auth-role",
    "metrics-reader",
];

/// Ends of the names of roles for people, one for each kind.
const OF_KINDS: [&str; 3] = ["-admin-role", "-editor-role", "-viewer-role"];

/// The roles of a package.
pub(super) struct RolePlace<'a> {
    kinds: &'a [Kind<'a>],
    deploy: Option<&'a Deploy>,
}

impl<'a> RolePlace<'a> {
    pub(super) fn of(kinds: &'a [Kind<'a>], deploy: Option<&'a Deploy>) -> Self {
        Self { kinds, deploy }
    }

    /// Namespace and name of the role of a rule.
    pub(super) fn key(
        &self,
        namespace: Option<String>,
        role: Option<String>,
        rule: &PolicyRule,
    ) -> (Option<String>, String) {
        let own = || match self.deploy {
            Some(deploy) => deploy.named(ROLE),
            None => ROLE.to_owned(),
        };
        (
            namespace.or_else(|| self.namespace(rule)),
            role.unwrap_or_else(own),
        )
    }

    /// Whether the deployment has a role of that name that is not for the rules of controllers.
    pub(super) fn has_other(&self, role: &str) -> bool {
        let is_other = |deploy: &Deploy| {
            let own = role.strip_prefix(&deploy.name)?.strip_prefix('-')?;
            let mut kinds = OF_KINDS.iter().filter_map(|end| own.strip_suffix(end));
            Some(kinds.any(|kind| self.is_kind(kind)) || OTHERS.contains(&own))
        };
        self.deploy.and_then(is_other).unwrap_or_default()
    }

    /// Whether a kind is called so in the names of its roles: with its group if there are several.
    fn is_kind(&self, name: &str) -> bool {
        self.kinds.iter().any(|kind| {
            let lower = kind.attrs.kind.value.to_lowercase();
            let group = kind.attrs.group.value.replace('.', "-");
            name == lower || name == format!("{group}-{lower}")
        })
    }

    /// What the program does by itself: every manager writes events of `core/v1`, of its leader
    /// election and of its controllers.
    pub(super) fn own_rule(&self) -> Option<PolicyRule> {
        self.deploy.map(|_| PolicyRule {
            groups: [String::new()].into(),
            resources: ["events".to_owned()].into(),
            verbs: ["create", "patch"].map(str::to_owned).into(),
            ..PolicyRule::default()
        })
    }

    /// The namespace of a rule that states none. What is in no namespace no Role can grant.
    fn namespace(&self, rule: &PolicyRule) -> Option<String> {
        let deploy = self.deploy.filter(|deploy| deploy.namespaced)?;
        let is_of_cluster = |resource: &String| {
            let plural = resource.split('/').next().unwrap_or_default();
            let mut kinds = self.kinds.iter().map(|kind| &kind.attrs);
            let is_own = kinds.any(|kind| {
                kind.scope == Scope::Cluster
                    && rule.groups.contains(&kind.group.value)
                    && kind.plural.value == plural
            });
            let mut groups = rule.groups.iter();
            is_own || groups.any(|group| known::is_cluster_scoped(group, plural))
        };
        let is_namespaced = rule.urls.is_empty() && !rule.resources.iter().any(is_of_cluster);
        is_namespaced.then(|| deploy.namespace.clone())
    }
}
