//! Object references in log events.

use std::fmt;

use kube::Resource;

use crate::cache::ObjectName;

/// Reference to an object in the format of kube's `ObjectRef`, such as
/// `Deployment.v1.apps/web.default`, for the field `object.ref` of log events.
pub(crate) struct ObjectRef<'a, K: Resource> {
    pub(crate) types: &'a K::DynamicType,
    pub(crate) name: &'a ObjectName,
}

impl<K: Resource> fmt::Display for ObjectRef<'_, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, version) = (K::kind(self.types), K::version(self.types));
        let (group, name) = (K::group(self.types), self.name.name());
        write!(f, "{kind}.{version}.{group}/{name}")?;
        match self.name.namespace() {
            Some(namespace) => write!(f, ".{namespace}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::Deployment;
    use k8s_openapi::api::core::v1::Node;

    use super::*;

    fn check<K: Resource<DynamicType = ()>>(namespace: &str, name: &str, expected: &str) {
        let name = ObjectName::new(namespace, name);
        let shown = ObjectRef::<K> {
            types: &(),
            name: &name,
        };
        assert_eq!(shown.to_string(), expected);
    }

    #[test]
    fn object_refs_are_displayed_as_in_kube() {
        check::<Deployment>("default", "web", "Deployment.v1.apps/web.default");
        check::<Node>("", "worker-1", "Node.v1./worker-1");
    }
}
