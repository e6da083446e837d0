//! Escalation checks: the author of a role or binding may grant only permissions that the author
//! has (pkg/registry/rbac, `policybased`).

use std::collections::BTreeSet;

use genclient_apimachinery::errors::aggregate;
use genclient_builtins::types::quoted;
use serde_json::Value;

use super::authorizer::{self, Wording, grants};
use crate::failure::Failure;
use crate::metadata;
use crate::rbac::Attributes;
use crate::rbac::GROUP;
use crate::rbac::coverage::missing;
use crate::rbac::policy::{Binding, PolicyRule, Role, quoted_list};
use crate::rbac::user::{MASTERS, User};
use crate::request::ObjectRequest;
use crate::state::ServerState;

/// Checks a role or binding that a create or update writes. `old` is `None` for a create.
///
/// # Errors
///
/// 403 if the user lacks permissions that the role or binding grants. This is not checked for a
/// role that the user may `escalate`, nor for a binding whose role the user may `bind`. 404 if the
/// role of the binding does not exist, 400 or 500 if the binding's `roleRef` is invalid.
pub(crate) fn check(
    server: &ServerState,
    request: &ObjectRequest,
    object: &Value,
    old: Option<&Value>,
) -> Result<(), Failure> {
    let user = &request.user;
    if request.kind.group() != GROUP || user.is_in(MASTERS) {
        return Ok(());
    }
    let check = Check {
        server,
        request,
        object,
        user,
    };
    if request.kind.plural().ends_with("bindings") {
        check.binding(old)
    } else {
        check.role(old)
    }
}

struct Check<'a> {
    server: &'a ServerState,
    request: &'a ObjectRequest,
    object: &'a Value,
    user: &'a User,
}

impl Check<'_> {
    fn role(&self, old: Option<&Value>) -> Result<(), Failure> {
        let mut escalate = Attributes::for_object("escalate", &self.request.target);
        escalate.subresource.clear();
        let may_escalate =
            authorizer::decide_and_record(self.server, self.user, &escalate).is_allowed;
        if may_escalate || self.is_for_collector(old) {
            return Ok(());
        }
        let role: Role = serde_json::from_value(self.object.clone()).unwrap_or_default();
        self.confirm(&role.rules)?;
        if has_aggregation_rule(self.object) || old.is_some_and(has_aggregation_rule) {
            let message = "must have cluster-admin privileges to use the aggregationRule";
            let confirmed = self.confirm(&full_authority());
            confirmed.map_err(|_| self.forbidden(message))?;
        }
        Ok(())
    }

    fn binding(&self, old: Option<&Value>) -> Result<(), Failure> {
        if self.is_for_collector(old) {
            return Ok(());
        }
        let binding: Binding = serde_json::from_value(self.object.clone()).unwrap_or_default();
        let role = &binding.role_ref;
        let namespace = &self.request.target.namespace;
        let resource = match &*role.kind {
            "ClusterRole" => Some("clusterroles"),
            "Role" => Some("roles"),
            _ => None,
        };
        if let Some(resource) = resource {
            let mut bind = Attributes::of_resource("bind", &role.api_group, resource, &role.name);
            bind.namespace.clone_from(namespace);
            if authorizer::decide_and_record(self.server, self.user, &bind).is_allowed {
                return Ok(());
            }
        }
        let role = authorizer::role(self.server, role, namespace, self.wording())?;
        self.confirm(&role.rules)
    }

    /// Rejects a write that grants `rules`, unless the rules of the user's roles cover them.
    fn confirm(&self, rules: &[PolicyRule]) -> Result<(), Failure> {
        let namespace = &self.request.target.namespace;
        let found = grants(self.server, self.user, namespace, self.wording());
        let held: Vec<_> = found
            .grants
            .iter()
            .flat_map(|grant| &grant.role.rules)
            .collect();
        let missing = missing(&held, rules);
        if missing.is_empty() {
            return Ok(());
        }
        let missing: BTreeSet<_> = missing.iter().map(PolicyRule::compact).collect();
        let missing: Vec<_> = missing.into_iter().collect();
        let mut message = format!(
            "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
            quoted(&self.user.name),
            quoted_list(&self.user.groups),
            missing.join("\n")
        );
        if let Some(errors) = aggregate(&found.errors) {
            message.push_str(&format!("; resolution errors: [{errors}]"));
        }
        Err(self.forbidden(&message))
    }

    fn wording(&self) -> Wording<'_> {
        Wording::Registry(self.request.kind.plural())
    }

    fn forbidden(&self, reason: &str) -> Failure {
        let name = metadata::str_field(self.object, "name");
        Failure::forbidden(GROUP, self.request.kind.plural(), name, reason)
    }

    /// Returns whether an update changes only metadata that the garbage collector writes
    /// (`IsOnlyMutatingGCFields`). Such an update grants nothing, so it is not checked.
    fn is_for_collector(&self, old: Option<&Value>) -> bool {
        let kept = |object: &Value| {
            let mut object = object.clone();
            let ignored = ["ownerReferences", "finalizers", "selfLink", "managedFields"];
            for field in ignored {
                metadata::set_field(&mut object, field, None);
            }
            object
        };
        old.is_some_and(|old| kept(old) == kept(self.object))
    }
}

/// Returns whether a role has an `aggregationRule` with selectors. A controller may give such a
/// role any rules, so its author needs all permissions.
fn has_aggregation_rule(role: &Value) -> bool {
    let selectors = role.pointer("/aggregationRule/clusterRoleSelectors");
    selectors
        .and_then(Value::as_array)
        .is_some_and(|selectors| !selectors.is_empty())
}

fn full_authority() -> [PolicyRule; 2] {
    let all = || vec!["*".to_owned()];
    let resources = PolicyRule {
        verbs: all(),
        api_groups: all(),
        resources: all(),
        ..PolicyRule::default()
    };
    let paths = PolicyRule {
        verbs: all(),
        non_resource_urls: all(),
        ..PolicyRule::default()
    };
    [resources, paths]
}
