//! [`ObjectName`]: namespace and name of an object, used as the key of caches and queues.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::str::FromStr;
use std::sync::Arc;

use kube::Resource;

/// Namespace and name of an object: client-go's `cache.ObjectName`.
///
/// It is displayed and parsed like client-go's keys: `namespace/name`, or `name` for cluster-scoped
/// objects. The text is shared, so a clone does not copy it.
///
/// ```
/// use genclient::cache::ObjectName;
///
/// let name: ObjectName = "default/train".parse()?;
/// assert_eq!(name, ObjectName::namespaced("default", "train"));
/// assert_eq!((name.namespace(), name.name()), (Some("default"), "train"));
/// assert_eq!(name.to_string(), "default/train");
/// # Ok::<(), genclient::cache::ParseObjectNameError>(())
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct ObjectName {
    /// `namespace/name`, or `name` for cluster-scoped objects.
    key: Arc<str>,
    /// Length of the namespace in bytes; 0 for cluster-scoped objects.
    namespace: usize,
}

/// The string is not the key of an object: client-go's `unexpected key format`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unexpected key format: {key:?}")]
#[non_exhaustive]
pub struct ParseObjectNameError {
    /// The string.
    pub key: String,
}

impl ObjectName {
    /// Returns the name of a namespaced object.
    #[must_use]
    pub fn namespaced(namespace: &str, name: &str) -> Self {
        Self::new(namespace, name)
    }

    /// Returns the name of a cluster-scoped object.
    #[must_use]
    pub fn cluster(name: &str) -> Self {
        Self::new("", name)
    }

    /// Returns the name of a namespaced object, or of a cluster-scoped object if `namespace` is
    /// empty.
    pub fn new(namespace: impl AsRef<str>, name: impl AsRef<str>) -> Self {
        let (namespace, name) = (namespace.as_ref(), name.as_ref());
        Self {
            key: key(namespace, name),
            namespace: namespace.len(),
        }
    }

    /// Returns the name of `object`. A missing name is empty.
    pub fn from_object<K: Resource>(object: &K) -> Self {
        let (namespace, name) = parts(object);
        Self::new(namespace, name)
    }

    /// Returns the namespace, or `None` for cluster-scoped objects.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        (self.namespace > 0).then(|| &self.key[..self.namespace])
    }

    /// Returns the name within the namespace.
    #[must_use]
    pub fn name(&self) -> &str {
        match self.namespace {
            0 => &self.key,
            length => &self.key[length + "/".len()..],
        }
    }

    /// Returns namespace and name. The namespace is empty for cluster-scoped objects.
    pub(crate) fn parts(&self) -> (&str, &str) {
        (self.namespace().unwrap_or_default(), self.name())
    }
}

/// Returns namespace and name of `object`, or empty strings if they are missing.
pub(crate) fn parts<K: Resource>(object: &K) -> (&str, &str) {
    let metadata = object.meta();
    (
        metadata.namespace.as_deref().unwrap_or_default(),
        metadata.name.as_deref().unwrap_or_default(),
    )
}

/// Joins namespace and name, on the stack if they fit, so that the `Arc` is the only allocation.
fn key(namespace: &str, name: &str) -> Arc<str> {
    /// Length of a DNS label, a slash and a DNS subdomain: the longest key of most kinds.
    const MAX_LENGTH: usize = 63 + 1 + 253;
    if namespace.is_empty() {
        return name.into();
    }
    let mut buffer = [0; MAX_LENGTH];
    let start = namespace.len() + 1;
    if let Some(key) = buffer.get_mut(..start + name.len()) {
        key[..namespace.len()].copy_from_slice(namespace.as_bytes());
        key[namespace.len()] = b'/';
        key[start..].copy_from_slice(name.as_bytes());
        if let Ok(key) = str::from_utf8(key) {
            return key.into();
        }
    }
    format!("{namespace}/{name}").into()
}

/// Hashes only the key. Different names have the same key only if a slash is part of a namespace or
/// name, which Kubernetes does not allow.
impl Hash for ObjectName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key.hash(state);
    }
}

/// Orders by namespace, then by name.
impl Ord for ObjectName {
    fn cmp(&self, other: &Self) -> Ordering {
        self.parts().cmp(&other.parts())
    }
}

impl PartialOrd for ObjectName {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.key)
    }
}

impl fmt::Debug for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("ObjectName").field(&self.key).finish()
    }
}

/// Parses a key: client-go's `SplitMetaNamespaceKey`.
impl FromStr for ObjectName {
    type Err = ParseObjectNameError;

    fn from_str(key: &str) -> Result<Self, ParseObjectNameError> {
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        if name.contains('/') {
            return Err(ParseObjectNameError {
                key: key.to_owned(),
            });
        }
        Ok(Self::new(namespace, name))
    }
}
