//! Kinds and resources as data, and decoding of JSON by kind.
//!
//! A generated client has a module `scheme` that lists its kinds in `KINDS`, and decodes objects of
//! these kinds into the enum `AnyObject`. Both correspond to client-go's `scheme.Scheme` with its
//! universal decoder.

use std::borrow::Cow;
use std::fmt;

use kube::Resource;
use serde::Deserialize;
use serde::de::DeserializeOwned;

pub use kube::core::TypeMeta;

/// Group, version, kind, resource and scope of a kind.
///
/// ```
/// use genclient::scheme::Kind;
///
/// const GPU_TASK: Kind = Kind {
///     group: "falldio.com",
///     version: "v1",
///     kind: "GPUTask",
///     plural: "gputasks",
///     namespaced: true,
/// };
/// assert_eq!(GPU_TASK.api_version(), "falldio.com/v1");
/// assert!(GPU_TASK.matches("falldio.com/v1", "GPUTask"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Kind {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The version within the group.
    pub version: &'static str,
    /// The kind, as in the `kind` of an object.
    pub kind: &'static str,
    /// The resource, as in a URL path: lower case and plural.
    pub plural: &'static str,
    /// Whether objects are namespaced.
    pub namespaced: bool,
}

/// Group, version and resource, as in a URL path of the API server.
///
/// `Display` begins with the resource: `gputasks.v1.falldio.com`, and `pods.v1` in the core group.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersionResource {
    /// The API group; empty for the core group.
    pub group: String,
    /// The version within the group.
    pub version: String,
    /// The resource: lower case and plural.
    pub resource: String,
}

/// Error of decoding an object from JSON.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DecodeError {
    /// The generated client has no kind with this `apiVersion` and `kind`.
    #[error("no kind `{kind}` is registered for version `{api_version}`")]
    UnknownKind {
        /// The object's `apiVersion`.
        api_version: String,
        /// The object's `kind`.
        kind: String,
    },
    /// The text is not JSON, or not an object of the kind.
    #[error("malformed object")]
    Malformed(#[source] serde_json::Error),
}

/// Decodes only the `apiVersion` and `kind` of the object in `json`.
///
/// ```
/// let json = br#"{"apiVersion": "falldio.com/v1", "kind": "GPUTask", "spec": {}}"#;
/// let types = genclient::scheme::decode(json)?;
/// assert_eq!(types.kind, "GPUTask");
/// # Ok::<(), genclient::scheme::DecodeError>(())
/// ```
///
/// # Errors
///
/// [`DecodeError::Malformed`] if `json` is not an object with an `apiVersion` and a `kind`.
pub fn decode(json: &[u8]) -> Result<TypeMeta, DecodeError> {
    from_json(json)
}

/// Decodes an object of type `T`.
///
/// # Errors
///
/// [`DecodeError::Malformed`] if `json` is not a `T`.
pub fn from_json<'a, T: Deserialize<'a>>(json: &'a [u8]) -> Result<T, DecodeError> {
    serde_json::from_slice(json).map_err(DecodeError::Malformed)
}

/// Objects that a cache can hold: resources that can be deserialized and shared between tasks.
///
/// A blanket implementation covers built-in, generated and derived kinds,
/// [`DynamicObject`](kube::core::DynamicObject) and
/// [`PartialObjectMeta`](kube::core::PartialObjectMeta). So no type implements the trait by hand.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a kind",
    label = "not a kind",
    note = "use the type that has `#[genclient]`, not its spec or status"
)]
pub trait Object:
    Resource<DynamicType: Clone> + Clone + DeserializeOwned + Send + Sync + 'static
{
}

#[diagnostic::do_not_recommend]
impl<K> Object for K where
    K: Resource<DynamicType: Clone> + Clone + DeserializeOwned + Send + Sync + 'static
{
}

// === impl DecodeError ===

impl DecodeError {
    /// Returns the error for an object whose kind is unknown.
    #[must_use]
    pub fn unknown(types: TypeMeta) -> Self {
        let TypeMeta { api_version, kind } = types;
        Self::UnknownKind { api_version, kind }
    }
}

// === impl Kind ===

impl Kind {
    /// Returns the `apiVersion` of objects: `falldio.com/v1`, or `v1` in the core group.
    #[must_use]
    pub fn api_version(&self) -> Cow<'static, str> {
        if self.group.is_empty() {
            Cow::Borrowed(self.version)
        } else {
            Cow::Owned(format!("{}/{}", self.group, self.version))
        }
    }

    /// Whether an object with this `apiVersion` and `kind` is of this kind.
    #[must_use]
    pub fn matches(&self, api_version: &str, kind: &str) -> bool {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        self.kind == kind && self.group == group && self.version == version
    }
}

// === impl GroupVersionResource ===

impl GroupVersionResource {
    /// Returns the resource with these names.
    pub fn new(
        group: impl Into<String>,
        version: impl Into<String>,
        resource: impl Into<String>,
    ) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
            resource: resource.into(),
        }
    }

    /// Returns the resource of objects of type `K`.
    pub fn of<K: Resource>(types: &K::DynamicType) -> Self {
        Self::new(K::group(types), K::version(types), K::plural(types))
    }
}

impl From<&Kind> for GroupVersionResource {
    fn from(kind: &Kind) -> Self {
        Self::new(kind.group, kind.version, kind.plural)
    }
}

impl fmt::Display for GroupVersionResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.resource, self.version)?;
        if self.group.is_empty() {
            return Ok(());
        }
        write!(f, ".{}", self.group)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POD: Kind = Kind {
        group: "",
        version: "v1",
        kind: "Pod",
        plural: "pods",
        namespaced: true,
    };

    #[test]
    fn core_group_has_no_slash() {
        assert_eq!(POD.api_version(), "v1");
        assert!(POD.matches("v1", "Pod"));
        assert!(!POD.matches("/v2", "Pod"));
        assert!(!POD.matches("apps/v1", "Pod"));
        assert!(!POD.matches("v1", "Node"));
    }

    #[test]
    fn resources_are_displayed_as_in_client_go() {
        assert_eq!(GroupVersionResource::from(&POD).to_string(), "pods.v1");
        let resource = GroupVersionResource::new("falldio.com", "v1", "gputasks");
        assert_eq!(resource.to_string(), "gputasks.v1.falldio.com");
    }

    #[test]
    fn json_without_type_meta_is_malformed() {
        for json in [&b"{}"[..], b"[]", b"{\"kind\": \"Pod\"}", b"{"] {
            assert!(matches!(decode(json), Err(DecodeError::Malformed(_))));
        }
    }
}
