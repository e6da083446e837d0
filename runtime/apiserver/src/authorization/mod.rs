//! Authentication and authorization: who sends a request, and whether the RBAC objects in the store
//! allow it.
//!
//! A request without credentials comes from an administrator, who may do everything without roles.
//! Other users send requests by `ApiServer::client_as`, with tokens or by impersonation. They need
//! roles and bindings as in a cluster (plugin/pkg/auth/authorizer/rbac in Kubernetes' sources).
//!
//! Decisions and messages are those of kube-apiserver, with three exceptions. Roles and bindings
//! take effect at once, not after some milliseconds. Bindings are evaluated in the order of their
//! names, not in random order, so the reason of a decision names the first binding that allows the
//! request. Allowed impersonations are not cached; kube-apiserver caches those of the constrained
//! modes (verbs `impersonate:…`) for ten seconds.

mod aggregation;
mod authenticate;
mod authorizer;
mod bootstrap;
mod escalation;
mod impersonation;
mod owners;
mod review;
mod review_validation;

pub(crate) use self::aggregation::aggregate_after;
pub(crate) use self::authenticate::{authenticate, issue_token, uid_of};
pub(crate) use self::authorizer::{authorize, check_create, decide};
pub(crate) use self::bootstrap::load_bootstrap_policy;
pub(crate) use self::escalation::check_escalation;
pub(crate) use self::impersonation::impersonate;
pub(crate) use self::owners::check_owners;
pub(crate) use self::review::{answer_review, is_review};
