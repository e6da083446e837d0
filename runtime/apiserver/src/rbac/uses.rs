//! [`Uses`]: what allowed requests have asked of each role.

use std::collections::{HashMap, HashSet};

use super::attributes::Attributes;
use super::policy::Rule;

/// A Role or ClusterRole; the namespace of a ClusterRole is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RoleKey {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// What allowed requests have asked, by role, whichever users they were of.
#[derive(Debug, Default)]
pub(crate) struct Uses(HashMap<RoleKey, HashSet<Attributes>>);

impl Uses {
    /// Notes a request that a rule of a role allows.
    pub(crate) fn note(&mut self, role: RoleKey, rule: &Rule, request: &Attributes) {
        let mut asked = Attributes {
            namespace: String::new(),
            ..request.clone()
        };
        // Requests that no rule tells apart are one.
        if request.is_resource {
            asked.path.clear();
        }
        if rule.resource_names.is_empty() {
            asked.name.clear();
        }
        self.0.entry(role).or_default().insert(asked);
    }

    /// Whether a rule has allowed a request to a role.
    pub(crate) fn has(&self, role: &RoleKey, rule: &Rule) -> bool {
        let uses = self.0.get(role);
        uses.is_some_and(|uses| uses.iter().any(|asked| rule.allows(asked)))
    }
}
