//! [`Rendering`]: resolution of settings in objects.

use super::settings::{Condition, Switch, Variable};
use crate::project::{Certificates, Deploy};
use crate::yaml::YamlNode;

/// Resolves the parts of objects that depend on settings.
pub(crate) trait Rendering {
    /// The namespace of the deployment.
    fn namespace(&self) -> &str;

    /// A value that a deployment may set.
    fn variable(&self, variable: Variable) -> YamlNode;

    /// A value that is present if one of the conditions holds.
    fn when(&self, conditions: &[&Condition], node: YamlNode) -> Option<YamlNode>;

    /// A value without settings.
    fn fixed(&self, node: &YamlNode) -> YamlNode {
        node.clone()
    }
}

/// Rendering with the settings of Cargo.toml.
pub(crate) struct Settled<'a> {
    /// The settings.
    pub(crate) deploy: &'a Deploy,
    /// The image of the program.
    pub(crate) image: &'a str,
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

    /// True if the condition holds.
    pub(crate) fn holds(&self, condition: &Condition) -> bool {
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
