//! Settings that vary between deployments: values and switches.

/// A value that a deployment may set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Variable {
    /// The image of the program.
    Image,
    /// The number of Pods.
    Replicas,
    /// An amount of a resource of the container.
    Amount(&'static Amount),
}

/// An amount of a resource of the container.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Amount {
    /// `requests` or `limits`.
    pub(crate) of: &'static str,
    /// `cpu` or `memory`.
    pub(crate) resource: &'static str,
    /// The amount, unless it is set.
    pub(crate) default: &'static str,
}

/// Something that a deployment has or has not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Switch {
    /// cert-manager issues the certificates.
    CertManager,
    /// Metrics are served.
    Metrics,
    /// Prometheus reads the metrics.
    Prometheus,
    /// Network policies say who may connect.
    NetworkPolicy,
    /// The definitions of kinds are installed.
    Crds,
    /// The definitions stay when a chart is removed.
    KeptCrds,
    /// The roles for people are installed.
    Helpers,
    /// The namespace is installed.
    Namespace,
}

/// Switches that are all on or off.
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
