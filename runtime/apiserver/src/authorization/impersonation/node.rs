//! User names of nodes: `system:node:NAME`.

use crate::rbac::user::{User, service_account};

/// Extra attribute of a service account's token: the node of its Pod.
const NODE_NAME: &str = "authentication.kubernetes.io/node-name";

/// Returns the node of a user name.
pub(super) fn name(user: &str) -> Option<&str> {
    let name = user.strip_prefix("system:node:")?;
    let errors = genclient_schema::meta::names::subdomain(name);
    errors.is_empty().then_some(name)
}

/// Returns whether a user is a service account whose Pod runs on the node of the user name `user`.
pub(super) fn is_that_of(requestor: &User, user: &str) -> bool {
    let Some(node) = name(user) else {
        return false;
    };
    let runs_on = requestor.extra.get(NODE_NAME);
    service_account(&requestor.name).is_some() && runs_on.is_some_and(|names| *names == [node])
}
