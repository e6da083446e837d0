//! RBAC authorizer: whether roles and bindings allow a request (plugin/pkg/auth/authorizer/rbac and
//! pkg/registry/rbac/validation/rule.go).

use std::sync::Arc;

use genclient_apimachinery::errors::aggregate;
use genclient_builtins::types::quoted;
use http::request::Parts;

use super::bootstrap::load_bootstrap_policy;
use crate::query::Query;
use crate::rbac::Attributes;
use crate::rbac::policy::{Binding, Role, RoleRef};
use crate::rbac::user::{MASTERS, User};
use crate::rbac::{GROUP, RoleKey, rbac_resource};
use crate::route::RequestInfo;
use crate::state::ServerState;
use crate::status_error::StatusError;
use crate::store::Key;

/// Authorization decision on a request.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Decision {
    pub(crate) is_allowed: bool,
    pub(crate) reason: String,
}

/// Resource named in the error for a missing role. It depends on where kube-apiserver looks the
/// role up.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wording<'a> {
    /// Lookup in the authorizer's cache. The error names the resource of the role in the singular,
    /// such as `clusterrole`.
    Authorizer,
    /// Lookup in the registry, during a write of a role or binding. The error names the written
    /// resource, such as `rolebindings`.
    Registry(&'a str),
}

/// Binding that applies to a user, with its role.
pub(super) struct Grant {
    pub(super) binding: Arc<Binding>,
    pub(super) role: Arc<Role>,
}

/// Bindings that apply to a user, and errors for bindings whose role cannot be found.
#[derive(Default)]
pub(super) struct Grants {
    pub(super) grants: Vec<Grant>,
    pub(super) errors: Vec<String>,
}

/// Checks that a user may send a request.
///
/// # Errors
///
/// 403 if no role allows the request.
pub(crate) fn authorize(
    server: &ServerState,
    user: &User,
    head: &Parts,
    query: &Query,
) -> Result<(), StatusError> {
    if user.is_in(MASTERS) {
        return Ok(());
    }
    let mut attributes = Attributes::from_request(&head.method, head.uri.path(), query);
    require_permission(server, user, &attributes)?;
    // If a watch with `sendInitialEvents` fails, clients list instead (`WatchListClient` of
    // client-go). Their roles therefore need the permission to list as well, and it counts as used.
    if attributes.verb == "watch" && query.is_set("sendInitialEvents") {
        "list".clone_into(&mut attributes.verb);
        record_use(server, user, &attributes);
    }
    Ok(())
}

/// Checks that the user may create an object by a PUT or an apply.
///
/// # Errors
///
/// 403 if the user may not create the object.
pub(crate) fn check_create(
    server: &ServerState,
    user: &User,
    target: &RequestInfo,
) -> Result<(), StatusError> {
    let attributes = Attributes::for_object("create", target);
    require_permission(server, user, &attributes)
}

/// Rejects a request with 403 if no role allows it. Otherwise, records the use of the rules that
/// allow it.
pub(super) fn require_permission(
    server: &ServerState,
    user: &User,
    request: &Attributes,
) -> Result<(), StatusError> {
    let decision = decide_and_record(server, user, request);
    if decision.is_allowed {
        Ok(())
    } else {
        Err(request.forbidden(user, &decision.reason))
    }
}

/// Decides whether a user may send a request, and records the use of the rules that allow it.
/// Access reviews call [`decide`] instead: to ask about a permission is not to use it.
pub(super) fn decide_and_record(
    server: &ServerState,
    user: &User,
    request: &Attributes,
) -> Decision {
    let decision = decide(server, user, request);
    if decision.is_allowed {
        record_use(server, user, request);
    }
    decision
}

/// Records the use of every rule that allows a request.
pub(super) fn record_use(server: &ServerState, user: &User, request: &Attributes) {
    if user.is_in(MASTERS) {
        return;
    }
    let found = bindings_for(server, user, &request.namespace, Wording::Authorizer);
    let mut uses = server.authorization.uses.lock();
    for grant in &found.grants {
        for rule in grant.role.rules.iter().filter(|rule| rule.allows(request)) {
            uses.record(grant.role_key(), rule, request);
        }
    }
}

/// Decides whether a user may send a request (`RBACAuthorizer.Authorize`), without recording a use.
/// The first rule that allows it gives the reason. A denial has a reason only if roles are missing.
pub(crate) fn decide(server: &ServerState, user: &User, request: &Attributes) -> Decision {
    if user.is_in(MASTERS) {
        return Decision {
            is_allowed: true,
            reason: String::new(),
        };
    }
    let found = bindings_for(server, user, &request.namespace, Wording::Authorizer);
    for grant in &found.grants {
        if grant.role.rules.iter().any(|rule| rule.allows(request)) {
            return Decision {
                is_allowed: true,
                reason: format!("RBAC: allowed by {}", grant.describe(user)),
            };
        }
    }
    Decision {
        is_allowed: false,
        reason: match aggregate(&found.errors) {
            None => String::new(),
            Some(errors) => format!("RBAC: {errors}"),
        },
    }
}

/// Returns the bindings that apply to a user: first ClusterRoleBindings, then the RoleBindings of
/// `namespace` (`DefaultRuleResolver.VisitRulesFor`).
pub(super) fn bindings_for(
    server: &ServerState,
    user: &User,
    namespace: &str,
    wording: Wording<'_>,
) -> Grants {
    // Roles and bindings of the policy count as those that a test creates, so the policy has to be
    // in the store before it is listed. It is loaded here, at the first request that needs roles.
    load_bootstrap_policy(server);
    let mut found = Grants::default();
    collect_grants(server, user, "", wording, &mut found);
    if !namespace.is_empty() {
        collect_grants(server, user, namespace, wording, &mut found);
    }
    found
}

fn collect_grants(
    server: &ServerState,
    user: &User,
    namespace: &str,
    wording: Wording<'_>,
    found: &mut Grants,
) {
    let (plural, prefix) = match namespace {
        "" => ("clusterrolebindings", String::new()),
        namespace => ("rolebindings", format!("{namespace}/")),
    };
    for (_, stored) in server.store.list(&rbac_resource(plural), &prefix).objects {
        let binding = server.authorization.cache.lock().binding(&stored);
        if binding.subject(user).is_none() {
            continue;
        }
        match lookup_role(server, &binding.role_ref, namespace, wording) {
            Ok(role) => found.grants.push(Grant { binding, role }),
            Err(error) => found.errors.push(error.message),
        }
    }
}

/// Returns the role that a binding refers to (`GetRoleReferenceRules`). `namespace` is empty for a
/// ClusterRoleBinding.
pub(super) fn lookup_role(
    server: &ServerState,
    role: &RoleRef,
    namespace: &str,
    wording: Wording<'_>,
) -> Result<Arc<Role>, StatusError> {
    let (plural, namespace) = match &*role.kind {
        "Role" => ("roles", namespace),
        "ClusterRole" => ("clusterroles", ""),
        kind => {
            let message = format!("unsupported role reference kind: {}", quoted(kind));
            return Err(StatusError::unknown(500, message));
        }
    };
    // `NamespaceKeyFunc` in k8s.io/apiserver/pkg/registry/generic/registry/store.go.
    if plural == "roles" && namespace.is_empty() {
        return Err(StatusError::bad_request("Namespace parameter required."));
    }
    if role.name.is_empty() {
        return Err(StatusError::bad_request("Name parameter required."));
    }
    let key = Key::new(namespace, &role.name);
    match server.store.get(&rbac_resource(plural), &key) {
        Some(stored) => Ok(server.authorization.cache.lock().role(&stored)),
        None => {
            let named = match wording {
                Wording::Authorizer => plural.trim_end_matches('s'),
                Wording::Registry(plural) => plural,
            };
            Err(StatusError::not_found(GROUP, named, &role.name))
        }
    }
}

impl Grant {
    /// Returns the key of the role that the binding refers to.
    fn role_key(&self) -> RoleKey {
        let Binding {
            namespace,
            role_ref,
            ..
        } = &*self.binding;
        RoleKey {
            namespace: match &*role_ref.kind {
                "Role" => namespace.clone(),
                _ => String::new(),
            },
            name: role_ref.name.clone(),
        }
    }

    /// Describes the grant in the reason of a decision.
    fn describe(&self, user: &User) -> String {
        let Binding {
            name,
            namespace,
            role_ref,
            ..
        } = &*self.binding;
        let (kind, name) = match &**namespace {
            "" => ("ClusterRoleBinding", name.clone()),
            // The name comes first, unlike in a key (`roleBindingDescriber.String` in rule.go).
            namespace => ("RoleBinding", format!("{name}/{namespace}")),
        };
        let subject = self
            .binding
            .subject(user)
            .map(|subject| subject.describe(namespace));
        format!(
            "{kind} {} of {} {} to {}",
            quoted(&name),
            role_ref.kind,
            quoted(&role_ref.name),
            subject.unwrap_or_default()
        )
    }
}
