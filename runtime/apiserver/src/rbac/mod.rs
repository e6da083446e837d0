//! RBAC model: users, tokens, attributes of requests, rules, roles, bindings, and recorded uses of
//! roles.

mod attributes;
pub(crate) mod coverage;
pub(crate) mod policy;
pub(crate) mod tokens;
pub(crate) mod user;

use std::collections::{HashMap, HashSet};

use parking_lot::Mutex;

pub(crate) use self::attributes::Attributes;
use self::policy::{Cache, PolicyRule};
use self::tokens::IssuedTokens;
pub use self::user::User;
use crate::store::GroupResource;

/// API group of roles and bindings.
pub(crate) const GROUP: &str = "rbac.authorization.k8s.io";

/// Returns the resource of roles or bindings with this plural.
pub(crate) fn rbac_resource(plural: &str) -> GroupResource {
    GroupResource::new(GROUP, plural)
}

/// Authorization settings and state of a server.
#[derive(Debug)]
pub(crate) struct AuthorizationState {
    /// Users by bearer token, as the builder declares them.
    pub(crate) tokens: HashMap<String, User>,
    /// Tokens that TokenRequests have issued for service accounts.
    pub(crate) issued: IssuedTokens,
    /// Whether the admission plug-in OwnerReferencesPermissionEnforcement is enabled.
    pub(crate) enforces_owners: bool,
    /// Whether the server computes the rules of aggregated ClusterRoles.
    pub(crate) aggregates: bool,
    pub(crate) cache: Mutex<Cache>,
    /// Requests that roles have allowed.
    pub(crate) uses: Mutex<Uses>,
    /// Impersonation mode that last succeeded, by the sender's name. The next request of the
    /// sender tries it first.
    pub(crate) modes: Mutex<HashMap<String, ImpersonationMode>>,
}

impl Default for AuthorizationState {
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

/// Impersonation mode: the permissions that impersonation requires. All modes except `Legacy` also
/// require a permission for the verb of the request: `impersonate-on:MODE:VERB`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImpersonationMode {
    /// A service account impersonates the node of its Pod.
    AssociatedNode,
    ArbitraryNode,
    ServiceAccount,
    UserInfo,
    /// Requires the verb `impersonate`, whatever the verb of the request.
    Legacy,
}

/// Key of a Role or ClusterRole. The namespace of a ClusterRole is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RoleKey {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// Requests of all users, by the role that allowed them.
#[derive(Debug, Default)]
pub(crate) struct Uses(HashMap<RoleKey, HashSet<Attributes>>);

impl Uses {
    /// Records a request that `rule` of `role` has allowed.
    pub(crate) fn record(&mut self, role: RoleKey, rule: &PolicyRule, request: &Attributes) {
        let mut asked = Attributes {
            namespace: String::new(),
            ..request.clone()
        };
        // Drop attributes that the rule does not compare: a test that sends the same request for a
        // thousand objects then adds one entry.
        if request.is_resource {
            asked.path.clear();
        }
        if rule.resource_names.is_empty() {
            asked.name.clear();
        }
        self.0.entry(role).or_default().insert(asked);
    }

    /// Returns whether a rule of a role allows any of the recorded requests.
    pub(crate) fn has(&self, role: &RoleKey, rule: &PolicyRule) -> bool {
        let uses = self.0.get(role);
        uses.is_some_and(|uses| uses.iter().any(|asked| rule.allows(asked)))
    }
}
