//! [`UnusedRule`]: permissions of a role that no request has used.

use std::fmt;

use crate::rbac::policy::{PolicyRule, Role};
use crate::rbac::{RoleKey, rbac_resource};
use crate::server::ApiServer;
use crate::stored::Stored;

/// Permission of a role that no request has used, from
/// [`ApiServer::unused_rules`](crate::ApiServer::unused_rules).
///
/// `Display` prints the verb, and the resource as `kubectl auth can-i --list` names it:
/// `delete services`, `patch applications.apps.example.io/status`, `get configmaps [settings]`,
/// `get /metrics`. An `UnusedRule` can be compared with this text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusedRule {
    /// The verb.
    pub verb: String,
    /// The API group; empty for the core group and for non-resource URLs.
    pub group: String,
    /// The plural, with the subresource if any: `applications/status`. Empty for non-resource URLs.
    pub resource: String,
    /// The object names that the rule is restricted to; empty if it covers all names.
    pub names: Vec<String>,
    /// The non-resource URL; empty for resources.
    pub url: String,
    /// The namespace of the Role; empty for a ClusterRole.
    pub namespace: String,
}

/// Error of [`ApiServer::unused_rules`](crate::ApiServer::unused_rules): the server has no role of
/// this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no ClusterRole and no Role `{name}`")]
#[non_exhaustive]
pub struct NoRoleError {
    /// The name of the role.
    pub name: String,
}

impl ApiServer {
    /// Returns the permissions of a role that no allowed request has used so far, in the order of
    /// its rules. `role` is the name of a ClusterRole, of Roles in any namespace, or of both.
    ///
    /// Requests of [`client`](Self::client) and of members of `system:masters` do not count, since
    /// they need no role. Any other allowed request counts for every role that is bound to its user
    /// and allows the request. Permissions that the server checks during a request also count, such
    /// as `create` for an apply of a new object, or `update` of the owner's finalizers for
    /// `blockOwnerDeletion`. A watch that begins with the list (`sendInitialEvents`) also uses
    /// `list`, since clients list if the server refuses such a watch. Access reviews do not count.
    ///
    /// ```
    /// use genclient::kube::api::{Api, ListParams};
    /// use genclient_apiserver::ApiServer;
    /// use k8s_openapi::api::core::v1::Pod;
    /// use serde_json::json;
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let role = json!({
    ///     "apiVersion": "rbac.authorization.k8s.io/v1",
    ///     "kind": "ClusterRole",
    ///     "metadata": { "name": "manager-role" },
    ///     "rules": [{ "apiGroups": [""], "resources": ["pods"], "verbs": ["list", "delete"] }],
    /// });
    /// let binding = json!({
    ///     "apiVersion": "rbac.authorization.k8s.io/v1",
    ///     "kind": "ClusterRoleBinding",
    ///     "metadata": { "name": "manager" },
    ///     "roleRef": {
    ///         "apiGroup": "rbac.authorization.k8s.io",
    ///         "kind": "ClusterRole",
    ///         "name": "manager-role",
    ///     },
    ///     "subjects": [{ "kind": "ServiceAccount", "namespace": "default", "name": "manager" }],
    /// });
    /// let server = ApiServer::builder().objects([role, binding]).build()?;
    /// let client = server.client_as("system:serviceaccount:default:manager");
    /// let pods: Api<Pod> = Api::all(client);
    /// pods.list(&ListParams::default()).await?;
    ///
    /// assert_eq!(server.unused_rules("manager-role")?, ["delete pods"]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// [`NoRoleError`] if the server has no role of that name.
    pub fn unused_rules(&self, role: &str) -> Result<Vec<UnusedRule>, NoRoleError> {
        let mut roles = Vec::new();
        for plural in ["clusterroles", "roles"] {
            let stored = self.state.store.list(&rbac_resource(plural), "").objects;
            let stored = stored.into_iter().map(|(_, stored)| stored);
            roles.extend(stored.filter(|stored| stored.name == role));
        }
        if roles.is_empty() {
            return Err(NoRoleError {
                name: role.to_owned(),
            });
        }
        Ok(roles.iter().flat_map(|role| self.unused_in(role)).collect())
    }

    fn unused_in(&self, stored: &Stored) -> Vec<UnusedRule> {
        let key = RoleKey {
            namespace: stored.namespace.clone(),
            name: stored.name.clone(),
        };
        let role: Role = serde_json::from_value(stored.value()).unwrap_or_default();
        let uses = self.state.authorization.uses.lock();
        role.rules
            .iter()
            .flat_map(split_into_permissions)
            .filter(|permission| !uses.has(&key, permission))
            .map(|permission| UnusedRule::new(permission, &key))
            .collect()
    }
}

/// Splits a rule into rules with one verb and one resource or non-resource URL each.
fn split_into_permissions(rule: &PolicyRule) -> Vec<PolicyRule> {
    let mut permissions = Vec::new();
    for verb in &rule.verbs {
        let one = PolicyRule {
            verbs: vec![verb.clone()],
            resource_names: rule.resource_names.clone(),
            ..PolicyRule::default()
        };
        for group in &rule.api_groups {
            permissions.extend(rule.resources.iter().map(|resource| PolicyRule {
                api_groups: vec![group.clone()],
                resources: vec![resource.clone()],
                ..one.clone()
            }));
        }
        permissions.extend(rule.non_resource_urls.iter().map(|url| PolicyRule {
            non_resource_urls: vec![url.clone()],
            ..one.clone()
        }));
    }
    permissions
}

impl UnusedRule {
    /// Returns the `UnusedRule` for a rule with one verb and one resource or non-resource URL.
    fn new(permission: PolicyRule, role: &RoleKey) -> Self {
        let first = |list: Vec<String>| list.into_iter().next().unwrap_or_default();
        Self {
            verb: first(permission.verbs),
            group: first(permission.api_groups),
            resource: first(permission.resources),
            names: permission.resource_names,
            url: first(permission.non_resource_urls),
            namespace: role.namespace.clone(),
        }
    }
}

impl fmt::Display for UnusedRule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.verb, self.url)?;
        let (plural, subresource) = match self.resource.split_once('/') {
            Some((plural, subresource)) => (plural, Some(subresource)),
            None => (&*self.resource, None),
        };
        f.write_str(plural)?;
        if !self.group.is_empty() {
            write!(f, ".{}", self.group)?;
        }
        if let Some(subresource) = subresource {
            write!(f, "/{subresource}")?;
        }
        if !self.names.is_empty() {
            write!(f, " [{}]", self.names.join(", "))?;
        }
        Ok(())
    }
}

impl PartialEq<str> for UnusedRule {
    fn eq(&self, text: &str) -> bool {
        let own = self.to_string();
        own == text
    }
}

impl PartialEq<&str> for UnusedRule {
    fn eq(&self, text: &&str) -> bool {
        self == *text
    }
}
