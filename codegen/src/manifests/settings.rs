//! Settings that vary between deployments: values and switches.

/// A value that a deployment may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// The image of the program.
    Image,
    /// The number of Pods.
    Replicas,
    /// A resource quantity of the container.
    Amount(&'static Amount),
}

/// A resource quantity of the container.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Amount {
    /// `requests` or `limits`.
    pub(crate) of: &'static str,
    /// `cpu` or `memory`.
    pub(crate) resource: &'static str,
    /// The default quantity.
    pub(crate) default: &'static str,
}

/// An optional part of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    /// cert-manager issues the certificates.
    CertManager,
    /// Metrics are served.
    Metrics,
    /// Prometheus reads the metrics.
    Prometheus,
    /// Network policies restrict ingress.
    NetworkPolicy,
    /// The definitions of kinds are installed.
    Crds,
    /// The definitions stay when a chart is uninstalled.
    KeptCrds,
    /// The roles for users are installed.
    Helpers,
    /// The namespace is installed.
    Namespace,
}

/// A conjunction of switch states. An empty one always holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Condition(pub(crate) Vec<(Switch, bool)>);

impl Condition {
    /// True if the switch is on.
    pub(crate) fn on(switch: Switch) -> Self {
        Self(vec![(switch, true)])
    }

    /// True if the switch is off.
    pub(crate) fn off(switch: Switch) -> Self {
        Self(vec![(switch, false)])
    }

    /// True if this holds and the switch is on.
    pub(crate) fn and(mut self, switch: Switch) -> Self {
        self.0.push((switch, true));
        self
    }
}
