//! [`ObjectName`]: what caches and queues know an object by.

use std::fmt;
use std::str::FromStr;

use kube::Resource;

/// Namespace and name of an object, client-go's `cache.ObjectName`.
///
/// Written and read as client-go's keys: `namespace/name`, or `name` for cluster scoped objects.
///
/// ```
/// use genclient::cache::ObjectName;
///
/// let name: ObjectName = "default/train".parse()?;
/// assert_eq!(name, ObjectName::new("default", "train"));
/// assert_eq!(name.to_string(), "default/train");
/// # Ok::<(), genclient::cache::MalformedKey>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectName {
    /// The namespace; empty for cluster scoped objects.
    pub namespace: String,
    /// The name.
    pub name: String,
}

/// A text that is no key of an object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unexpected key format: {0:?}")]
pub struct MalformedKey(pub String);

impl ObjectName {
    /// Names an object; `namespace` is empty for cluster scoped ones.
    pub fn new(namespace: impl Into<String>, name: impl Into<String>) -> Self {
        Self {
            namespace: namespace.into(),
            name: name.into(),
        }
    }

    /// The name of `object`. What is absent is empty.
    pub fn from_object<K: Resource>(object: &K) -> Self {
        let (namespace, name) = parts(object);
        Self::new(namespace, name)
    }
}

/// Namespace and name of `object`, borrowed. What is absent is empty.
pub(crate) fn parts<K: Resource>(object: &K) -> (&str, &str) {
    let metadata = object.meta();
    (
        metadata.namespace.as_deref().unwrap_or_default(),
        metadata.name.as_deref().unwrap_or_default(),
    )
}

impl fmt::Display for ObjectName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.namespace.is_empty() {
            write!(f, "{}/", self.namespace)?;
        }
        f.write_str(&self.name)
    }
}

impl FromStr for ObjectName {
    type Err = MalformedKey;

    fn from_str(key: &str) -> Result<Self, MalformedKey> {
        let (namespace, name) = key.split_once('/').unwrap_or(("", key));
        if name.contains('/') {
            return Err(MalformedKey(key.to_owned()));
        }
        Ok(Self::new(namespace, name))
    }
}
