//! Values of the `authorizer` library: access checks and decisions.
//!
//! Follows k8s.io/apiserver/pkg/cel/library, authz.go.

use std::fmt;

/// Authorizer for the user of a request.
pub trait Authorizer {
    /// Decides one access check.
    fn decide(&self, check: &AccessCheck) -> AccessDecision;
}

/// An access check: a verb on a resource or on a non-resource URL.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessCheck {
    /// Namespace and name of the service account that is checked instead of the user.
    pub service_account: Option<(String, String)>,
    /// The path of a non-resource request.
    pub path: Option<String>,
    /// API group of the resource; empty for the core group.
    pub group: String,
    /// Plural name of the resource.
    pub resource: String,
    /// Subresource; empty for the resource itself.
    pub subresource: String,
    /// Namespace; empty for cluster scope.
    pub namespace: String,
    /// Name of the object; empty for all objects.
    pub name: String,
    /// The verb, such as `get`.
    pub verb: String,
}

/// Decision on an access check.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AccessDecision {
    /// Whether the access is allowed.
    pub is_allowed: bool,
    /// Reason for the decision; usually empty if access is denied.
    pub reason: String,
}

/// A value of a type of the `authorizer` library.
#[derive(Clone)]
pub(super) struct Authorization<'a> {
    pub(super) authorizer: &'a dyn Authorizer,
    pub(super) check: AccessCheck,
    pub(super) stage: Stage,
}

/// Type of an authorization value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Stage {
    Authorizer,
    PathCheck,
    GroupCheck,
    ResourceCheck,
    Decision(AccessDecision),
}

impl Authorization<'_> {
    /// Returns a value of type `stage` with a changed access check.
    pub(super) fn with(&self, stage: Stage, change: impl FnOnce(&mut AccessCheck)) -> Self {
        let mut check = self.check.clone();
        change(&mut check);
        Self {
            authorizer: self.authorizer,
            check,
            stage,
        }
    }

    /// Returns the name of the type without its package, as in the parameter types of CEL
    /// functions.
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
