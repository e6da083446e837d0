//! Values of `authorizer`: what is asked about the rights of a user, and the decision.
//!
//! k8s.io/apiserver/pkg/cel/library, authz.go.

use std::fmt;

/// Decides what the user of a request may do.
pub trait Authorizer {
    /// The decision about one access.
    fn decide(&self, check: &AccessCheck) -> AccessDecision;
}

/// An access: a verb for a resource, or for a path.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessCheck {
    /// Namespace and name of the service account to ask about in place of the user.
    pub service_account: Option<(String, String)>,
    /// The path of a request that is not about objects.
    pub path: Option<String>,
    /// The group of a resource; empty for the core.
    pub group: String,
    /// The plural of a resource.
    pub resource: String,
    /// The subresource; mostly empty.
    pub subresource: String,
    /// Empty for the scope of the cluster.
    pub namespace: String,
    /// Empty for all objects.
    pub name: String,
    /// The verb, such as `get`.
    pub verb: String,
}

/// A decision about an access.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessDecision {
    /// Whether the access is allowed.
    pub is_allowed: bool,
    /// Why; mostly empty for what is not allowed.
    pub reason: String,
}

/// A value of one of the types of the library.
#[derive(Clone)]
pub(super) struct Authorization<'a> {
    pub(super) authorizer: &'a dyn Authorizer,
    pub(super) check: AccessCheck,
    pub(super) stage: Stage,
}

/// The type of such a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Authorizer,
    PathCheck,
    GroupCheck,
    ResourceCheck,
    Decision(AccessDecision),
}

impl Authorization<'_> {
    /// The same about another access.
    pub(super) fn with(&self, stage: Stage, change: impl FnOnce(&mut AccessCheck)) -> Self {
        let mut check = self.check.clone();
        change(&mut check);
        Self {
            authorizer: self.authorizer,
            check,
            stage,
        }
    }

    /// The name of the type in declarations of functions.
    pub(super) fn short_type_name(&self) -> &'static str {
        match self.stage {
            Stage::Authorizer => "Authorizer",
            Stage::PathCheck => "PathCheck",
            Stage::GroupCheck => "GroupCheck",
            Stage::ResourceCheck => "ResourceCheck",
            Stage::Decision(_) => "Decision",
        }
    }

    pub(super) fn type_name(&self) -> &'static str {
        match self.stage {
            Stage::Authorizer => "kubernetes.authorization.Authorizer",
            Stage::PathCheck => "kubernetes.authorization.PathCheck",
            Stage::GroupCheck => "kubernetes.authorization.GroupCheck",
            Stage::ResourceCheck => "kubernetes.authorization.ResourceCheck",
            Stage::Decision(_) => "kubernetes.authorization.Decision",
        }
    }

    pub(super) fn go_type(&self) -> &'static str {
        match self.stage {
            Stage::Authorizer => "library.authorizerVal",
            Stage::PathCheck => "library.pathCheckVal",
            Stage::GroupCheck => "library.groupCheckVal",
            Stage::ResourceCheck => "library.resourceCheckVal",
            Stage::Decision(_) => "library.decisionVal",
        }
    }
}

impl fmt::Debug for Authorization<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = f.debug_struct("Authorization");
        shown
            .field("check", &self.check)
            .field("stage", &self.stage);
        shown.finish_non_exhaustive()
    }
}
