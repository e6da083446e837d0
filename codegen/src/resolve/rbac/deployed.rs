//! [`RolePlace`]: the role of a rule, by its attribute and the deployment of the package.

use genclient_syntax::Scope;

use crate::known;
use crate::model::PolicyRule;
use crate::project::Deploy;
use crate::resolve::kind::Kind;

/// Role of rules that name none, as in kubebuilder's projects; the deployment's name is put in
/// front.
const ROLE: &str = "manager-role";

/// Other roles of a deployment, which `manifests` writes with the same prefix.
const OTHERS: [&str; 4] = [
    "certificates-role",
    "leader-election-role",
    "metrics-auth-role",
    "metrics-reader",
];

/// Suffixes of the roles for users; each kind has one role of each.
const OF_KINDS: [&str; 3] = ["-admin-role", "-editor-role", "-viewer-role"];

/// Assigns rules to the roles of a package.
pub(super) struct RolePlace<'a> {
    kinds: &'a [Kind<'a>],
    deploy: Option<&'a Deploy>,
}

impl<'a> RolePlace<'a> {
    pub(super) fn of(kinds: &'a [Kind<'a>], deploy: Option<&'a Deploy>) -> Self {
        Self { kinds, deploy }
    }

    /// Returns the namespace and name of a rule's role.
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

    /// True if the deployment has another role of that name, which is not for the rules of
    /// controllers.
    pub(super) fn has_other(&self, role: &str) -> bool {
        let is_other = |deploy: &Deploy| {
            let own = role.strip_prefix(&deploy.name)?.strip_prefix('-')?;
            let mut kinds = OF_KINDS.iter().filter_map(|end| own.strip_suffix(end));
            Some(kinds.any(|kind| self.is_kind(kind)) || OTHERS.contains(&own))
        };
        self.deploy.and_then(is_other).unwrap_or_default()
    }

    /// True if a role of a kind has this prefix: the kind in lower case, with the group in front if
    /// there are several.
    fn is_kind(&self, name: &str) -> bool {
        self.kinds.iter().any(|kind| {
            let lower = kind.attrs.kind.value.to_lowercase();
            let group = kind.attrs.group.value.replace('.', "-");
            name == lower || name == format!("{group}-{lower}")
        })
    }

    /// The rule that every manager needs: it writes `core/v1` events of its leader election and of
    /// its controllers.
    pub(super) fn own_rule(&self) -> Option<PolicyRule> {
        self.deploy.map(|_| PolicyRule {
            groups: [String::new()].into(),
            resources: ["events".to_owned()].into(),
            verbs: ["create", "patch"].map(str::to_owned).into(),
            ..PolicyRule::default()
        })
    }

    /// Returns the namespace of a rule that states none. A Role cannot grant cluster-scoped
    /// resources.
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
