//! [`MapperError`]: errors of looking up a kind.

use std::sync::Arc;

use genclient::kube;

use super::discovery::ServedGroup;
use super::name::{By, TypeName};

/// Error of looking up a kind.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MapperError {
    /// The text is not the name of a kind or a resource.
    #[error("`{0}` is not a kind: write it as `Pod`, `Deployment.apps` or `Deployment.v1.apps`")]
    Name(String),
    /// The API server does not serve the group: its CustomResourceDefinition may not be installed.
    #[error("the API server does not serve the group `{group}` of `{name}`")]
    NoSuchGroup {
        /// The group.
        group: String,
        /// The name that was looked up.
        name: String,
    },
    /// The group is served, but not in this version.
    #[error(
        "the API server does not serve `{name}` in version `{version}`; the group has {}",
        backticked(served)
    )]
    NoSuchVersion {
        /// The name that was looked up.
        name: String,
        /// The version.
        version: String,
        /// The versions of the group that are served, the preferred one first.
        served: Vec<String>,
    },
    /// The group has no such kind or resource, in the version that was given or in any.
    #[error("the API server serves no {what} `{name}` in {place}{}", did_you_mean(similar.as_ref()))]
    NoSuchKind {
        /// `kind` or `resource`.
        what: String,
        /// The name of the kind or resource.
        name: String,
        /// The group, with the version if one was given.
        place: String,
        /// The name to suggest, if only case, singular or plural is wrong.
        similar: Option<String>,
    },
    /// The request to the API server failed.
    #[error("kinds cannot be looked up")]
    Request(#[source] Arc<kube::Error>),
}

impl MapperError {
    /// Whether the API server answered that it does not serve the kind.
    #[must_use]
    pub fn is_not_served(&self) -> bool {
        !matches!(self, Self::Name(_) | Self::Request(_))
    }

    /// Returns the error for the part that is missing: group, version or kind.
    pub(super) fn missing(name: &TypeName, by: By, group: Option<&ServedGroup>) -> Self {
        let Some(group) = group else {
            return Self::NoSuchGroup {
                group: name.group.clone(),
                name: name.name.clone(),
            };
        };
        let served = || group.versions.iter().map(|version| &version.name);
        if let Some(version) = &name.version
            && !{ served() }.any(|it| it == version)
        {
            return Self::NoSuchVersion {
                name: name.to_string(),
                version: version.clone(),
                served: served().cloned().collect(),
            };
        }
        Self::NoSuchKind {
            what: by.to_string(),
            name: name.name.clone(),
            place: name.place(),
            similar: group.similar(name, by).map(str::to_owned),
        }
    }
}

fn backticked(names: &[String]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("`{name}`")).collect();
    names.join(", ")
}

fn did_you_mean(similar: Option<&String>) -> String {
    similar.map_or_else(String::new, |name| format!("; did you mean `{name}`?"))
}
