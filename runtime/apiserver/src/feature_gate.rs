//! [`FeatureGate`]: features that are off by default, under Kubernetes' names.

use std::str::FromStr;

/// Feature gate of kube-apiserver. [`ApiServerBuilder::feature_gate`] sets it.
///
/// ```
/// use genclient_apiserver::FeatureGate;
///
/// assert_eq!("ShardedListAndWatch".parse(), Ok(FeatureGate::ShardedListAndWatch));
/// ```
///
/// [`ApiServerBuilder::feature_gate`]: crate::ApiServerBuilder::feature_gate
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum FeatureGate {
    /// Lists, watches and deletions of a collection take a `shardSelector`, which selects objects
    /// by ranges of a hash. Alpha since Kubernetes 1.36, and off by default: the parameter is then
    /// ignored.
    ShardedListAndWatch,
}

/// Error of parsing a [`FeatureGate`]: the server has no gate of this name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unrecognized feature gate: {0}")]
pub struct UnknownFeatureGateError(String);

impl FromStr for FeatureGate {
    type Err = UnknownFeatureGateError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        match name {
            "ShardedListAndWatch" => Ok(Self::ShardedListAndWatch),
            other => Err(UnknownFeatureGateError(other.to_owned())),
        }
    }
}
