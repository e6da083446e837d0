//! Shard keys: the namespace or the name whose hash assigns an object to a replica.

use std::fmt;
use std::str::FromStr;

use genclient_apimachinery::sharding::hash;
use serde::{Deserialize, Serialize};

/// The key whose hash decides which replica works on an object.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum ShardBy {
    /// The namespace. An object and the objects that it owns in its namespace have the same
    /// replica.
    #[default]
    Namespace,
    /// The namespace and the name of the object to reconcile.
    Name,
}

/// Parses the value of `--shard-by`.
impl FromStr for ShardBy {
    type Err = ParseShardByError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let all = [Self::Namespace, Self::Name];
        let named = all.into_iter().find(|it| it.to_string() == text);
        named.ok_or(ParseShardByError)
    }
}

/// Error of parsing a [`ShardBy`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected `namespace` or `name`")]
#[non_exhaustive]
pub struct ParseShardByError;

/// Displays as the value of `--shard-by`.
impl fmt::Display for ShardBy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Namespace => "namespace",
            Self::Name => "name",
        })
    }
}

impl ShardBy {
    /// Returns the hash that decides about the replica of an object.
    pub(crate) fn hash(self, namespace: &str, name: &str) -> u64 {
        match self {
            Self::Namespace => hash(namespace),
            Self::Name => hash(&format!("{namespace}/{name}")),
        }
    }
}

/// The object that decides which replica caches an object.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ShardKey {
    /// The object itself.
    Itself,
    /// Its controller: the owner reference with `controller: true`. All replicas cache an object
    /// without a controller of this kind, unless they share the objects by
    /// [namespace](ShardBy::Namespace) and the kind is namespaced.
    Controller {
        /// API group of the controller's kind; empty for the core group.
        group: String,
        /// The controller's kind.
        kind: String,
        /// Whether the controller's kind is cluster-scoped.
        is_cluster_scoped: bool,
    },
}

impl ShardKey {
    /// Returns the key of objects that objects of a kind own.
    #[must_use]
    pub fn controller(group: &str, kind: &str, is_cluster_scoped: bool) -> Self {
        Self::Controller {
            group: group.to_owned(),
            kind: kind.to_owned(),
            is_cluster_scoped,
        }
    }

    /// Returns whether the object's namespace decides.
    #[must_use]
    pub fn is_namespace(&self, shard_by: ShardBy) -> bool {
        let is_cluster_scoped = matches!(
            self,
            Self::Controller {
                is_cluster_scoped: true,
                ..
            }
        );
        shard_by == ShardBy::Namespace && !is_cluster_scoped
    }
}
