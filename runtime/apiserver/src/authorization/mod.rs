//! Authentication and authorization: users of requests, and their permissions by the RBAC objects
//! in the store.
//!
//! A request without credentials is an administrator's, who may do everything; nothing is evaluated
//! then. `ApiServer::client_as` and tokens of the builder send requests as other users, who need
//! roles and bindings as in a cluster (plugin/pkg/auth/authorizer/rbac in Kubernetes' sources).
//!
//! Decisions and messages are those of kube-apiserver, with three exceptions. Roles and bindings
//! take effect at once, where a cluster needs some milliseconds. Bindings are evaluated in the
//! order of their names, where a cluster's order is random; this shows in reasons. An allowed
//! impersonation is not cached for ten seconds.

mod aggregation;
mod authenticate;
mod authorizer;
mod bootstrap;
mod escalation;
mod impersonation;
mod owners;
mod review;
mod review_rules;
mod tokens;

use std::sync::Arc;

use http::request::Parts;

pub(crate) use self::aggregation::aggregate_after;
pub(crate) use self::authenticate::user as authenticate;
pub(crate) use self::bootstrap::load as load_bootstrap_policy;
pub(crate) use self::escalation::check as check_escalation;
pub(crate) use self::owners::check as check_owners;
pub(crate) use self::review::{answer as answer_review, is_review};
pub(crate) use self::tokens::{issue as issue_token, uid as uid_of};

use crate::failure::Failure;
use crate::query::Query;
use crate::rbac::user::MASTERS;
use crate::rbac::{Attributes, User};
use crate::route::Target;
use crate::state::State;

/// Returns the user of a request: the impersonated one, or else the sender.
///
/// # Errors
///
/// 403 for an impersonation that no role allows, 400 for an incomplete one.
pub(crate) fn impersonate(
    server: &State,
    sender: Arc<User>,
    head: &Parts,
    query: &Query,
) -> Result<Arc<User>, Failure> {
    if !impersonation::is_asked_for(&head.headers) {
        return Ok(sender);
    }
    let attributes = Attributes::of(&head.method, head.uri.path(), query);
    impersonation::impersonated(server, sender, &attributes, &head.headers)
}

/// Authorizes a request of a user.
///
/// # Errors
///
/// 403 if no role allows it.
pub(crate) fn authorize(
    server: &State,
    user: &User,
    head: &Parts,
    query: &Query,
) -> Result<(), Failure> {
    if user.is_in(MASTERS) {
        return Ok(());
    }
    let mut attributes = Attributes::of(&head.method, head.uri.path(), query);
    authorizer::require(server, user, &attributes)?;
    // Clients fall back to a list where a watch with `sendInitialEvents` fails.
    if attributes.verb == "watch" && query.is_set("sendInitialEvents") {
        "list".clone_into(&mut attributes.verb);
        authorizer::note(server, user, &attributes);
    }
    Ok(())
}

/// Returns whether a user may do something, and the reason.
pub(crate) fn decide(server: &State, user: &User, attributes: &Attributes) -> (bool, String) {
    let decision = authorizer::decide(server, user, attributes);
    (decision.is_allowed, decision.reason)
}

/// Checks that the user may create the object of an update that creates it.
///
/// # Errors
///
/// 403 if the user may not create the object.
pub(crate) fn check_create(server: &State, user: &User, target: &Target) -> Result<(), Failure> {
    let attributes = Attributes::of_target("create", target);
    authorizer::require(server, user, &attributes)
}
