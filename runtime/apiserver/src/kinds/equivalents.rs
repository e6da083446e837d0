//! Equivalent resources, which serve the same objects in another version or another API group.
//!
//! Source: `EquivalentResourceRegistry` in k8s.io/apimachinery/pkg/runtime, mapper.go.

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use genclient_builtins::kind;
use serde_json::Value;

use crate::kinds::field_managers::{CustomFieldManagers, CustomVersionFields, FieldManagers};
use crate::kinds::{Kind, Origin};

/// Equivalent resource, with the kind of its objects or of the subresource that was asked for.
#[derive(Clone, Debug)]
pub(crate) struct Equivalent {
    pub(crate) resource: GroupVersionResource,
    pub(crate) kind: GroupVersionKind,
}

impl Kind {
    /// Returns the equivalent resources of this kind. Versions of a CustomResourceDefinition are
    /// included even if they are not served. If `subresource` is not empty, only resources with
    /// this subresource are returned.
    pub(crate) fn equivalents(&self, subresource: &str) -> Vec<Equivalent> {
        match (&self.origin, &self.field_managers) {
            (Origin::Builtin(own), _) => own
                .equivalents()
                .filter(|other| !std::ptr::eq(*other, *own))
                .filter(|it| subresource.is_empty() || it.subresource(subresource).is_some())
                .map(|it| equivalent(it.group, it.version, it.plural, it.kind))
                .collect(),
            (Origin::Custom(_), FieldManagers::Custom(field_managers)) => {
                self.other_versions(field_managers, subresource)
            }
            (Origin::Custom(_), FieldManagers::Builtin(..)) => Vec::new(),
        }
    }

    fn other_versions(
        &self,
        field_managers: &CustomFieldManagers,
        subresource: &str,
    ) -> Vec<Equivalent> {
        let has_subresource = |version: &CustomVersionFields| match subresource {
            "" => true,
            "status" => version.has_status,
            "scale" => version.replicas.is_some(),
            _ => false,
        };
        field_managers
            .versions
            .iter()
            .filter(|other| other.name != self.version && has_subresource(other))
            .map(|other| {
                let found = equivalent(self.group(), &other.name, self.plural(), &self.kind);
                match subresource {
                    "scale" => Equivalent {
                        kind: GroupVersionKind::gvk("autoscaling", "v1", "Scale"),
                        ..found
                    },
                    _ => found,
                }
            })
            .collect()
    }
}

fn equivalent(group: &str, version: &str, plural: &str, kind: &str) -> Equivalent {
    Equivalent {
        resource: GroupVersionResource::gvr(group, version, plural),
        kind: GroupVersionKind::gvk(group, version, kind),
    }
}

/// Converts an object of a built-in kind to the kind of an equivalent resource.
pub(crate) fn converted(object: Value, to: &GroupVersionKind) -> Value {
    match kind::find_kind(&to.group, &to.version, &to.kind) {
        Some(kind) => kind.strategy.convert_from_equivalent(object),
        None => object,
    }
}
