//! Settings that vary between deployments: values and features, and their resolution in objects.

use crate::project::{Certificates, Deploy};
use crate::yaml::YamlNode;

/// A value that a deployment may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// The image of the program.
    Image,
    /// The number of Pods.
    Replicas,
    /// A resource quantity of the container.
    Amount(&'static Amount),
}

/// A resource quantity of the container.
#[derive(Debug, PartialEq, Eq)]
pub struct Amount {
    /// `requests` or `limits`.
    pub section: &'static str,
    /// `cpu` or `memory`.
    pub resource: &'static str,
    /// The default: `512Mi`.
    pub default: &'static str,
}

/// An optional part of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// cert-manager issues the certificates.
    CertManager,
    /// Metrics are served.
    Metrics,
    /// Prometheus reads the metrics.
    Prometheus,
    /// Network policies restrict ingress.
    NetworkPolicy,
    /// The CRDs are installed.
    Crds,
    /// The CRDs stay when a chart is uninstalled.
    KeptCrds,
    /// The roles for users are installed.
    Helpers,
    /// The namespace is installed.
    Namespace,
}

/// A conjunction of features that are on or off. An empty conjunction always holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition(pub Vec<(Feature, bool)>);

impl Condition {
    pub(crate) fn on(feature: Feature) -> Self {
        Self(vec![(feature, true)])
    }

    pub(crate) fn off(feature: Feature) -> Self {
        Self(vec![(feature, false)])
    }

    /// Adds the condition that `feature` is on.
    pub(crate) fn and(mut self, feature: Feature) -> Self {
        self.0.push((feature, true));
        self
    }
}

/// Resolves the parts of objects that depend on settings.
pub trait Rendering {
    /// The namespace of the deployment.
    fn namespace(&self) -> &str;

    /// Renders a value that a deployment may set.
    fn variable(&self, variable: Variable) -> YamlNode;

    /// Renders `node` as a value that is present if one of the conditions holds. The result is
    /// `node` itself, or `node` within the `if` of a Helm template. Returns `None` if the value is
    /// never present.
    fn when(&self, conditions: &[&Condition], node: YamlNode) -> Option<YamlNode>;

    /// Renders a value that depends on no settings.
    fn fixed(&self, node: &YamlNode) -> YamlNode {
        node.clone()
    }
}

/// Rendering with the settings of Cargo.toml.
pub struct Settled<'a> {
    /// The settings.
    pub deploy: &'a Deploy,
    /// The image of the program.
    pub image: &'a str,
}

impl Settled<'_> {
    fn has(&self, feature: Feature) -> bool {
        match feature {
            Feature::CertManager => self.deploy.certificates == Certificates::CertManager,
            Feature::Metrics => self.deploy.metrics,
            Feature::Prometheus => self.deploy.prometheus,
            Feature::NetworkPolicy => self.deploy.network_policy,
            // Only a chart can leave these out.
            Feature::Crds | Feature::Helpers | Feature::Namespace => true,
            // A kustomize base deletes CRDs like any other object.
            Feature::KeptCrds => false,
        }
    }

    /// Returns whether all features of the condition are on or off as it requires.
    pub fn holds(&self, condition: &Condition) -> bool {
        let mut features = condition.0.iter();
        features.all(|(feature, is_on)| self.has(*feature) == *is_on)
    }
}

impl Rendering for Settled<'_> {
    fn namespace(&self) -> &str {
        &self.deploy.namespace
    }

    fn variable(&self, variable: Variable) -> YamlNode {
        match variable {
            Variable::Image => YamlNode::Text(self.image.to_owned()),
            Variable::Replicas => YamlNode::plain(self.deploy.replicas),
            Variable::Amount(amount) => YamlNode::Text(amount.default.to_owned()),
        }
    }

    fn when(&self, conditions: &[&Condition], node: YamlNode) -> Option<YamlNode> {
        let mut conditions = conditions.iter();
        conditions.any(|it| self.holds(it)).then_some(node)
    }
}
