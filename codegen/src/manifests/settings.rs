//! Settings that vary between deployments: values and switches, and their resolution in objects.

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
    pub of: &'static str,
    /// `cpu` or `memory`.
    pub resource: &'static str,
    /// The default: `512Mi`.
    pub default: &'static str,
}

/// An optional part of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
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

/// A conjunction of switch states. An empty conjunction always holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Condition(pub Vec<(Switch, bool)>);

impl Condition {
    pub(crate) fn on(switch: Switch) -> Self {
        Self(vec![(switch, true)])
    }

    pub(crate) fn off(switch: Switch) -> Self {
        Self(vec![(switch, false)])
    }

    /// Adds the condition that `switch` is on.
    pub(crate) fn and(mut self, switch: Switch) -> Self {
        self.0.push((switch, true));
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
    fn has(&self, switch: Switch) -> bool {
        match switch {
            Switch::CertManager => self.deploy.certificates == Certificates::CertManager,
            Switch::Metrics => self.deploy.metrics,
            Switch::Prometheus => self.deploy.prometheus,
            Switch::NetworkPolicy => self.deploy.network_policy,
            Switch::Crds | Switch::Helpers | Switch::Namespace => true,
            Switch::KeptCrds => false,
        }
    }

    /// Returns whether all switches of the condition are as it says.
    pub fn holds(&self, condition: &Condition) -> bool {
        let mut switches = condition.0.iter();
        switches.all(|(switch, is_on)| self.has(*switch) == *is_on)
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
