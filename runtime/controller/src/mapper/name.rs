//! [`TypeName`]: the parsed name of a kind or a resource, such as `Deployment.v1.apps`.

use std::fmt;

/// A kind or a resource, its group, and its version if one was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct TypeName {
    pub(super) name: String,
    /// `None`: the preferred version, or another version if the preferred one lacks the kind.
    pub(super) version: Option<String>,
    pub(super) group: String,
}

/// Whether a looked-up name is a kind or a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LookupBy {
    Kind,
    /// The plural or singular name of a resource.
    Resource,
}

impl TypeName {
    /// Parses `Pod`, `Deployment.apps`, `Deployment.v1.apps` or `Pod.v1.`. The label after the kind
    /// is the version if it has the form of one. Otherwise, it is the first label of the group.
    /// kubectl (`schema.ParseKindArg`) does not check the form: it tries both readings of
    /// `Deployment.v1.apps`, and reads the `v1` in `Pod.v1` as a group.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let (name, rest) = text.split_once('.').unwrap_or((text, ""));
        let (first, others) = rest.split_once('.').unwrap_or((rest, ""));
        let (version, group) = if is_version(first) {
            (Some(first.to_owned()), others)
        } else {
            (None, rest)
        };
        Self::checked(name, version, group)
    }

    /// Returns the name for an `apiVersion` and a kind, such as `apps/v1` and `Deployment`.
    pub(super) fn of_reference(api_version: &str, kind: &str) -> Option<Self> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        Self::checked(kind, Some(version.to_owned()), group)
    }

    /// Checks name, version and group, because version and group become part of a request's path.
    fn checked(name: &str, version: Option<String>, group: &str) -> Option<Self> {
        let is_label = |it: &str| {
            let mut bytes = it.bytes();
            !it.is_empty() && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
        };
        let is_group = group.is_empty() || group.split('.').all(is_label);
        let is_valid = is_label(name) && is_group && version.as_deref().is_none_or(is_label);
        is_valid.then(|| Self {
            name: name.to_owned(),
            version,
            group: group.to_owned(),
        })
    }

    /// Returns the `apiVersion` for messages, or the group if there is no version.
    pub(super) fn place(&self) -> String {
        match (&self.version, &*self.group) {
            (Some(version), "") => format!("`{version}`"),
            (Some(version), group) => format!("`{group}/{version}`"),
            (None, "") => "the core group".to_owned(),
            (None, group) => format!("`{group}`"),
        }
    }
}

/// Whether a label has the form of Kubernetes' own versions: `v1`, `v2beta3`.
fn is_version(label: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let Some(rest) = label.strip_prefix('v') else {
        return false;
    };
    ["alpha", "beta"].iter().any(|stage| {
        let parts = rest.split_once(stage);
        parts.is_some_and(|(major, minor)| digits(major) && digits(minor))
    }) || digits(rest)
}

impl fmt::Display for LookupBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Kind => "kind",
            Self::Resource => "resource",
        })
    }
}

impl fmt::Display for TypeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        if let Some(version) = &self.version {
            write!(f, ".{version}")?;
        }
        if self.group.is_empty() {
            return Ok(());
        }
        write!(f, ".{}", self.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_may_have_version_and_group() {
        for (text, expected) in [
            ("Pod", Some(("Pod", None, ""))),
            ("Pod.v1", Some(("Pod", Some("v1"), ""))),
            ("Pod.v1.", Some(("Pod", Some("v1"), ""))),
            ("Deployment.apps", Some(("Deployment", None, "apps"))),
            (
                "deployments.v1.apps",
                Some(("deployments", Some("v1"), "apps")),
            ),
            (
                "Driver.v2beta1.a.io",
                Some(("Driver", Some("v2beta1"), "a.io")),
            ),
            (
                "Driver.v2gamma1.a.io",
                Some(("Driver", None, "v2gamma1.a.io")),
            ),
            (
                "Driver.vehicles.a.io",
                Some(("Driver", None, "vehicles.a.io")),
            ),
            ("", None),
            (".v1", None),
            ("Pod..", None),
            ("Pod.a/b", None),
            ("Pod.v1.a?b", None),
        ] {
            let name = TypeName::parse(text);
            let found = name
                .as_ref()
                .map(|it| (&*it.name, it.version.as_deref(), &*it.group));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn api_version_is_split_into_group_and_version() {
        for (api_version, expected) in [
            ("v1", Some((Some("v1"), ""))),
            ("v1.a.io/odd", Some((Some("odd"), "v1.a.io"))),
            ("", None),
            ("a/b/c", None),
        ] {
            let name = TypeName::of_reference(api_version, "Driver");
            let found = name.as_ref().map(|it| (it.version.as_deref(), &*it.group));
            assert_eq!(found, expected, "{api_version}");
        }
    }
}
