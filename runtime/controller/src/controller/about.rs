//! [`About`]: the kind that the requests of a controller are about.

use std::any::TypeId;

use genclient::cache::ObjectName;
use genclient::k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use genclient::kube::Resource;
use genclient::kube::core::ClusterResourceScope;

use crate::owner::{controller_of, group};

/// The kind that the requests of a controller are about.
#[derive(Clone, Debug)]
pub(super) struct About {
    pub(super) group: String,
    pub(super) kind: String,
    is_cluster_scoped: bool,
}

impl About {
    pub(super) fn of<K: Resource + 'static>(types: &K::DynamicType) -> Self {
        Self {
            group: K::group(types).into_owned(),
            kind: K::kind(types).into_owned(),
            is_cluster_scoped: TypeId::of::<K::Scope>() == TypeId::of::<ClusterResourceScope>(),
        }
    }

    /// The object of this kind that controls `object`.
    pub(super) fn owner_of<K: Resource>(&self, object: &K) -> Option<ObjectName> {
        let owner = controller_of(object).filter(|owner| self.is(owner))?;
        let namespace = object.meta().namespace.as_deref();
        let namespace = namespace.filter(|_| !self.is_cluster_scoped);
        Some(ObjectName::new(namespace.unwrap_or_default(), &owner.name))
    }

    /// Whether a reference is one of this kind, in whatever version.
    fn is(&self, owner: &OwnerReference) -> bool {
        owner.kind == self.kind && group(&owner.api_version) == self.group
    }
}
