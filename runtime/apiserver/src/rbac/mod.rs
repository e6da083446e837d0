//! Users, what their requests are about, and the rules of roles and bindings.

mod attributes;
pub(crate) mod coverage;
pub(crate) mod policy;
pub(crate) mod tokens;
pub(crate) mod user;
pub(crate) mod uses;

use std::collections::HashMap;

use parking_lot::Mutex;

pub(crate) use self::attributes::Attributes;
use self::policy::Cache;
use self::tokens::IssuedTokens;
pub use self::user::User;
use self::uses::Uses;
use crate::store::Resource;

/// The group of roles and bindings.
pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

/// A resource of the group of roles.
pub(crate) fn resource(plural: &str) -> Resource {
    Resource {
        group: GROUP.to_owned(),
        plural: plural.to_owned(),
    }
}

/// Settings and memory of a server's authorization.
#[derive(Debug)]
pub(crate) struct Authorization {
    /// Users by their bearer tokens.
    pub(crate) tokens: HashMap<String, User>,
    /// Tokens of service accounts.
    pub(crate) issued: IssuedTokens,
    /// The admission plug-in OwnerReferencesPermissionEnforcement.
    pub(crate) enforces_owners: bool,
    /// The controller that computes the rules of aggregated ClusterRoles.
    pub(crate) aggregates: bool,
    pub(crate) cache: Mutex<Cache>,
    /// What allowed requests have asked of roles.
    pub(crate) uses: Mutex<Uses>,
    /// The mode by which a user impersonated somebody last.
    pub(crate) modes: Mutex<HashMap<String, Mode>>,
}

impl Default for Authorization {
    fn default() -> Self {
        Self {
            tokens: HashMap::new(),
            issued: IssuedTokens::default(),
            enforces_owners: false,
            aggregates: true,
            cache: Mutex::default(),
            uses: Mutex::default(),
            modes: Mutex::default(),
        }
    }
}

/// A way to be allowed an impersonation. The constrained ones need a right for what is done, too:
/// `impersonate-on:MODE:VERB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// A service account acts as the node that its Pod runs on.
    AssociatedNode,
    ArbitraryNode,
    ServiceAccount,
    UserInfo,
    /// The verb `impersonate`, for whatever is done.
    Legacy,
}
