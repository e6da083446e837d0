//! [`Uses`]: uses of each role by allowed requests.

use std::collections::{HashMap, HashSet};

use super::attributes::Attributes;
use super::policy::Rule;

/// Key of a Role or ClusterRole; the namespace of a ClusterRole is empty.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RoleKey {
    pub(crate) namespace: String,
    pub(crate) name: String,
}

/// Attributes of allowed requests by role, for all users together.
#[derive(Debug, Default)]
pub(crate) struct Uses(HashMap<RoleKey, HashSet<Attributes>>);

impl Uses {
    /// Records a request that a rule of a role allows.
    pub(crate) fn note(&mut self, role: RoleKey, rule: &Rule, request: &Attributes) {
        let mut asked = Attributes {
            namespace: String::new(),
            ..request.clone()
        };
        // Drop attributes that no rule distinguishes.
        if request.is_resource {
            asked.path.clear();
        }
        if rule.resource_names.is_empty() {
            asked.name.clear();
        }
        self.0.entry(role).or_default().insert(asked);
    }

    /// Returns whether a rule of a role has allowed a request.
    pub(crate) fn has(&self, role: &RoleKey, rule: &Rule) -> bool {
        let uses = self.0.get(role);
        uses.is_some_and(|uses| uses.iter().any(|asked| rule.allows(asked)))
    }
}
