//! Impersonation: requests on behalf of the user in `Impersonate-*` headers
//! (k8s.io/apiserver/pkg/endpoints/filters/impersonation).

mod headers;

use std::sync::Arc;

use http::HeaderMap;
use http::request::Parts;

use self::headers::{extra_error, has_impersonation_headers, has_only_name, user_to_impersonate};
use super::authorizer;
use crate::query::Query;
use crate::rbac::Attributes;
use crate::rbac::ImpersonationMode;
use crate::rbac::user::{
    ANONYMOUS, AUTHENTICATED, MASTERS, UNAUTHENTICATED, User, groups_of, service_account,
};
use crate::state::ServerState;
use crate::status_error::StatusError;

const MODES: [ImpersonationMode; 5] = [
    ImpersonationMode::AssociatedNode,
    ImpersonationMode::ArbitraryNode,
    ImpersonationMode::ServiceAccount,
    ImpersonationMode::UserInfo,
    ImpersonationMode::Legacy,
];

/// If a request has at least this many groups, the permission for the group `*` is checked first,
/// except in `Legacy`. If the sender has this permission, the individual groups are not checked.
/// The same applies to extra values (`manyAuthorizationChecksInLoop` in mode.go).
const MANY_CHECKS: usize = 4;

const AUTHENTICATION: &str = "authentication.k8s.io";

/// Extra attribute of a service account whose token is bound to a Pod: the node of the Pod.
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";

/// Returns the user of a request: the impersonated user or, without impersonation headers, the
/// sender.
///
/// # Errors
///
/// 403 if the impersonation is not allowed, 400 if the headers have groups, a uid or extra
/// attributes, but no user name.
pub(crate) fn impersonate(
    server: &ServerState,
    sender: Arc<User>,
    head: &Parts,
    query: &Query,
) -> Result<Arc<User>, StatusError> {
    if !has_impersonation_headers(&head.headers) {
        return Ok(sender);
    }
    let attributes = Attributes::from_request(&head.method, head.uri.path(), query);
    try_modes(server, sender, &attributes, &head.headers)
}

/// Returns the user of a request with impersonation headers. Tries the modes until one succeeds,
/// beginning with the sender's last successful mode. The error is that of the first failed attempt.
fn try_modes(
    server: &ServerState,
    sender: Arc<User>,
    request: &Attributes,
    headers: &HeaderMap,
) -> Result<Arc<User>, StatusError> {
    let Some(wanted) = user_to_impersonate(headers)? else {
        return Ok(sender);
    };
    let last = server.authorization.modes.lock().get(&sender.name).copied();
    let others = MODES.into_iter().filter(|mode| Some(*mode) != last);
    let mut first_error = None;
    for mode in last.into_iter().chain(others) {
        let attempt = ImpersonationAttempt {
            server,
            sender: &sender,
            wanted: &wanted,
            mode,
        };
        if !attempt.applies() {
            continue;
        }
        match attempt.authorize_user(request) {
            Ok(user) => {
                let mut modes = server.authorization.modes.lock();
                modes.insert(sender.name.clone(), mode);
                return Ok(Arc::new(user));
            }
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    Err(first_error.unwrap_or_else(|| StatusError::unknown(500, "all impersonation modes failed")))
}

/// Attempt to impersonate a user in one mode.
struct ImpersonationAttempt<'a> {
    server: &'a ServerState,
    sender: &'a User,
    wanted: &'a User,
    mode: ImpersonationMode,
}

impl ImpersonationAttempt<'_> {
    /// Returns whether the mode can be used for the impersonated user.
    fn applies(&self) -> bool {
        let name = &self.wanted.name;
        let only_name = has_only_name(self.wanted);
        let (is_node, is_account) = (node_of(name).is_some(), service_account(name).is_some());
        match self.mode {
            ImpersonationMode::AssociatedNode => only_name && is_on_node_of(self.sender, name),
            ImpersonationMode::ArbitraryNode => only_name && is_node,
            ImpersonationMode::ServiceAccount => only_name && is_account,
            ImpersonationMode::UserInfo => !is_node && !is_account,
            ImpersonationMode::Legacy => true,
        }
    }

    fn mode_name(&self) -> &'static str {
        match self.mode {
            ImpersonationMode::AssociatedNode => "associated-node",
            ImpersonationMode::ArbitraryNode => "arbitrary-node",
            ImpersonationMode::ServiceAccount => "serviceaccount",
            ImpersonationMode::UserInfo => "user-info",
            ImpersonationMode::Legacy => "",
        }
    }

    fn is_constrained(&self) -> bool {
        self.mode != ImpersonationMode::Legacy
    }

    /// Returns the impersonated user, if the sender may impersonate that user for the request.
    fn authorize_user(&self, request: &Attributes) -> Result<User, StatusError> {
        if self.is_constrained() {
            let verb = format!("impersonate-on:{}:{}", self.mode_name(), request.verb);
            let mut request = request.clone();
            request.verb = verb;
            self.require(&request)?;
        }
        let mut user = self.wanted.clone();
        self.check_name(&mut user)?;
        if !self.wanted.uid.is_empty() {
            self.require(&self.attributes(AUTHENTICATION, "uids", &self.wanted.uid))?;
        }
        self.check_groups()?;
        self.check_extra()?;
        let group = match &*user.name {
            ANONYMOUS => UNAUTHENTICATED,
            _ if user.is_in(UNAUTHENTICATED) => return Ok(user),
            _ => AUTHENTICATED,
        };
        if !user.is_in(group) {
            user.groups.push(group.to_owned());
        }
        Ok(user)
    }

    /// Checks the permission for the user name. If the request has no groups, `user` gets the
    /// groups of a service account or, except in `Legacy`, those of a node.
    fn check_name(&self, user: &mut User) -> Result<(), StatusError> {
        let name = &self.wanted.name;
        let mut attributes = self.attributes(self.group(), "users", name);
        if self.is_constrained()
            && let Some(node) = node_of(name)
        {
            attributes = self.attributes(self.group(), "nodes", node);
            if self.mode == ImpersonationMode::AssociatedNode {
                "*".clone_into(&mut attributes.name);
            }
            user.groups = vec!["system:nodes".to_owned()];
        }
        if let Some((namespace, name)) = service_account(name) {
            attributes = self.attributes(self.group(), "serviceaccounts", name);
            namespace.clone_into(&mut attributes.namespace);
            if user.groups.is_empty() {
                user.groups = groups_of(namespace);
            }
        }
        self.require(&attributes)
    }

    fn check_groups(&self) -> Result<(), StatusError> {
        let groups = &self.wanted.groups;
        if groups.is_empty() {
            return Ok(());
        }
        let group_attributes = |name: &str| self.attributes(self.group(), "groups", name);
        if self.is_constrained() {
            let refuse = |name: &str, what: &str| {
                let reason = format!("impersonating the {what} group is not allowed");
                Err(group_attributes(name).forbidden(self.sender, &reason))
            };
            if self.wanted.is_in("") {
                return refuse("", "empty string");
            }
            if self.wanted.is_in(MASTERS) {
                return refuse(MASTERS, MASTERS);
            }
            if groups.len() >= MANY_CHECKS && self.require(&group_attributes("*")).is_ok() {
                return Ok(());
            }
        }
        groups
            .iter()
            .try_for_each(|group| self.require(&group_attributes(group)))
    }

    fn check_extra(&self) -> Result<(), StatusError> {
        let wanted = &self.wanted.extra;
        if wanted.is_empty() {
            return Ok(());
        }
        let extra_attributes = |key: &str, value: &str| {
            let mut attributes = self.attributes(AUTHENTICATION, "userextras", value);
            key.clone_into(&mut attributes.subresource);
            attributes
        };
        if self.is_constrained() {
            if let Some(reason) = extra_error(wanted) {
                return Err(extra_attributes("", "").forbidden(self.sender, &reason));
            }
            let count = wanted.values().map(Vec::len).sum::<usize>();
            if count >= MANY_CHECKS && self.require(&extra_attributes("*", "*")).is_ok() {
                return Ok(());
            }
        }
        for (key, values) in wanted {
            for value in values {
                self.require(&extra_attributes(key, value))?;
            }
        }
        Ok(())
    }

    /// Returns the API group of the resources `users`, `groups`, `serviceaccounts` and `nodes`: the
    /// core group in `Legacy`, or else `authentication.k8s.io`. The resources `uids` and
    /// `userextras` are in `authentication.k8s.io` in every mode.
    fn group(&self) -> &'static str {
        match self.mode {
            ImpersonationMode::Legacy => "",
            _ => AUTHENTICATION,
        }
    }

    fn attributes(&self, group: &str, resource: &str, name: &str) -> Attributes {
        let verb = match self.mode {
            ImpersonationMode::Legacy => "impersonate".to_owned(),
            _ => format!("impersonate:{}", self.mode_name()),
        };
        Attributes::for_resource(&verb, group, resource, name)
    }

    fn require(&self, attributes: &Attributes) -> Result<(), StatusError> {
        authorizer::require_permission(self.server, self.sender, attributes)
    }
}

/// Returns the node in a user name such as `system:node:NAME`.
fn node_of(user: &str) -> Option<&str> {
    let name = user.strip_prefix("system:node:")?;
    let errors = genclient_apimachinery::validation::subdomain(name);
    errors.is_empty().then_some(name)
}

/// Returns whether the requestor is a service account whose Pod runs on the node that `user` names.
fn is_on_node_of(requestor: &User, user: &str) -> bool {
    let Some(node) = node_of(user) else {
        return false;
    };
    let runs_on = requestor.extra.get(NODE_NAME);
    service_account(&requestor.name).is_some() && runs_on.is_some_and(|names| *names == [node])
}
