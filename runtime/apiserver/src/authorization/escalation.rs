//! Escalation checks: the author of a role or binding may grant only permissions that the author
//! has (pkg/registry/rbac, `policybased`).

use std::collections::BTreeSet;

use genclient_apimachinery::errors::aggregate;
use genclient_builtins::types::quoted;
use serde_json::Value;

use super::authorizer::{self, Wording, bindings_for};
use crate::metadata;
use crate::rbac::Attributes;
use crate::rbac::GROUP;
use crate::rbac::coverage::uncovered_rules;
use crate::rbac::policy::{Binding, PolicyRule, Role, quote_list};
use crate::rbac::user::{MASTERS, User};
use crate::request::ObjectRequest;
use crate::state::ServerState;
use crate::status_error::StatusError;

/// Checks a role or binding that a create or update writes. `old` is `None` for a create.
///
/// # Errors
///
/// 403 if the user lacks permissions that the role or binding grants. This is not checked for a
/// role that the user may `escalate`, nor for a binding whose role the user may `bind`. 404 if the
/// role of the binding does not exist, 400 or 500 if the binding's `roleRef` is invalid.
pub(crate) fn check_escalation(
    server: &ServerState,
    request: &ObjectRequest,
    object: &Value,
    old: Option<&Value>,
) -> Result<(), StatusError> {
    let user = &request.user;
    if request.kind.group() != GROUP || user.is_in(MASTERS) {
        return Ok(());
    }
    let check = EscalationCheck {
        server,
        request,
        object,
        user,
    };
    if request.kind.plural().ends_with("bindings") {
        check.check_binding(old)
    } else {
        check.check_role(old)
    }
}

/// Escalation check of one write.
struct EscalationCheck<'a> {
    server: &'a ServerState,
    request: &'a ObjectRequest,
    object: &'a Value,
    user: &'a User,
}

impl EscalationCheck<'_> {
    fn check_role(&self, old: Option<&Value>) -> Result<(), StatusError> {
        // The permission is that for the role, even in a request for a subresource.
        let mut escalate = Attributes::for_object("escalate", &self.request.target);
        escalate.subresource.clear();
        let may_escalate =
            authorizer::decide_and_record(self.server, self.user, &escalate).is_allowed;
        if may_escalate || self.changes_only_gc_fields(old) {
            return Ok(());
        }
        let role: Role = serde_json::from_value(self.object.clone()).unwrap_or_default();
        self.confirm_no_escalation(&role.rules)?;
        if has_aggregation_rule(self.object) || old.is_some_and(has_aggregation_rule) {
            let message = "must have cluster-admin privileges to use the aggregationRule";
            self.confirm_no_escalation(&full_authority())
                .map_err(|_| self.forbidden(message))?;
        }
        Ok(())
    }

    fn check_binding(&self, old: Option<&Value>) -> Result<(), StatusError> {
        if self.changes_only_gc_fields(old) {
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
            let mut bind = Attributes::for_resource("bind", &role.api_group, resource, &role.name);
            bind.namespace.clone_from(namespace);
            if authorizer::decide_and_record(self.server, self.user, &bind).is_allowed {
                return Ok(());
            }
        }
        let role = authorizer::lookup_role(self.server, role, namespace, self.wording())?;
        self.confirm_no_escalation(&role.rules)
    }

    /// Rejects a write that grants `rules`, unless the rules of the user's roles cover them
    /// (`ConfirmNoEscalation` in rule.go).
    fn confirm_no_escalation(&self, rules: &[PolicyRule]) -> Result<(), StatusError> {
        let namespace = &self.request.target.namespace;
        let found = bindings_for(self.server, self.user, namespace, self.wording());
        let held: Vec<_> = found
            .grants
            .iter()
            .flat_map(|grant| &grant.role.rules)
            .collect();
        let missing = uncovered_rules(&held, rules);
        if missing.is_empty() {
            return Ok(());
        }
        // Sorted and without duplicates, as Go prints a set.
        let missing: BTreeSet<_> = missing.iter().map(PolicyRule::to_compact_string).collect();
        let missing: Vec<_> = missing.into_iter().collect();
        let mut message = format!(
            "user {} (groups={}) is attempting to grant RBAC permissions not currently held:\n{}",
            quoted(&self.user.name),
            quote_list(&self.user.groups),
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

    fn forbidden(&self, reason: &str) -> StatusError {
        let name = metadata::str_field(self.object, "name");
        StatusError::forbidden(GROUP, self.request.kind.plural(), name, reason)
    }

    /// Returns whether an update changes only metadata that the garbage collector writes
    /// (`IsOnlyMutatingGCFields`). Such an update grants nothing, so it is not checked.
    fn changes_only_gc_fields(&self, old: Option<&Value>) -> bool {
        let without_gc_fields = |object: &Value| {
            let mut object = object.clone();
            let ignored = ["ownerReferences", "finalizers", "selfLink", "managedFields"];
            for field in ignored {
                metadata::set_field(&mut object, field, None);
            }
            object
        };
        old.is_some_and(|old| without_gc_fields(old) == without_gc_fields(self.object))
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

/// Returns the rules of cluster-admin (`fullAuthority`).
fn full_authority() -> [PolicyRule; 2] {
    let any = || vec!["*".to_owned()];
    let resources = PolicyRule {
        verbs: any(),
        api_groups: any(),
        resources: any(),
        ..PolicyRule::default()
    };
    let paths = PolicyRule {
        verbs: any(),
        non_resource_urls: any(),
        ..PolicyRule::default()
    };
    [resources, paths]
}
