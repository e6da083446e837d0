//! [`About`]: the kind that a controller reconciles.

use genclient::cache::ObjectName;
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use genclient::kube::Resource;
use genclient::scheme::Object;

use crate::owner::{controller_of, group};
use crate::watch::Watch;

/// The kind that a controller reconciles.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub(super) group: String,
    pub(super) kind: String,
    is_cluster_scoped: bool,
}

impl About {
    pub(super) fn of<K: Object>(watch: &Watch<K>) -> Self {
        Self {
            group: K::group(&watch.types).into_owned(),
            kind: K::kind(&watch.types).into_owned(),
            is_cluster_scoped: watch.is_cluster_scoped,
        }
    }

    /// Returns the name of the object of this kind that controls `object`.
    pub(super) fn owner_of<K: Resource>(&self, object: &K) -> Option<ObjectName> {
        let owner = controller_of(object).filter(|owner| self.is(owner))?;
        let namespace = object.meta().namespace.as_deref();
        let namespace = namespace.filter(|_| !self.is_cluster_scoped);
        Some(ObjectName::new(namespace.unwrap_or_default(), &owner.name))
    }

    /// Whether an owner reference is to this kind, in any version.
    fn is(&self, owner: &OwnerReference) -> bool {
        owner.kind == self.kind && group(&owner.api_version) == self.group
    }
}
