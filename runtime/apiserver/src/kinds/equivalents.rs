//! Equivalent resources, which serve the same objects in another version or another API group.
//!
//! Source: `EquivalentResourceRegistry` in k8s.io/apimachinery/pkg/runtime, mapper.go.

use genclient::kube::core::{GroupVersionKind, GroupVersionResource};
use serde_json::Value;

use crate::builtins::autoscaling::conversion;
use crate::builtins::events::event;
use crate::builtins::kind;
use crate::builtins::kind::BuiltinKind;
use crate::kinds::endpoints::{CustomEndpoints, Endpoints};
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
        match (&self.origin, &self.endpoints) {
            (Origin::Builtin(own), _) => {
                let others = kind::all().filter(|other| is_convertible(own, other));
                let others = others
                    .filter(|it| subresource.is_empty() || it.subresource(subresource).is_some());
                others
                    .map(|it| equivalent(it.group, it.version, it.plural, it.kind))
                    .collect()
            }
            (Origin::Custom(_), Endpoints::Custom(endpoints)) => {
                self.other_versions(endpoints, subresource)
            }
            (Origin::Custom(_), Endpoints::Builtin(..)) => Vec::new(),
        }
    }

    fn other_versions(&self, endpoints: &CustomEndpoints, subresource: &str) -> Vec<Equivalent> {
        let others = endpoints.versions.iter();
        let others = others.filter(|other| {
            other.name != self.version
                && match subresource {
                    "" => true,
                    "status" => other.has_status,
                    "scale" => other.replicas.is_some(),
                    _ => false,
                }
        });
        let others = others.map(|other| {
            let found = equivalent(self.group(), &other.name, self.plural(), &self.kind);
            match subresource {
                "scale" => Equivalent {
                    kind: GroupVersionKind::gvk("autoscaling", "v1", "Scale"),
                    ..found
                },
                _ => found,
            }
        });
        others.collect()
    }
}

fn equivalent(group: &str, version: &str, plural: &str, kind: &str) -> Equivalent {
    Equivalent {
        resource: GroupVersionResource::gvr(group, version, plural),
        kind: GroupVersionKind::gvk(group, version, kind),
    }
}

/// Returns whether objects of one built-in kind can be converted to the other. This is the case for
/// Events of core/v1 and of events.k8s.io/v1, and for HorizontalPodAutoscalers of v1 and v2.
fn is_convertible(one: &BuiltinKind, other: &BuiltinKind) -> bool {
    let is_shared = ["events", "horizontalpodautoscalers"].contains(&one.plural);
    is_shared && one.plural == other.plural && one.api_version() != other.api_version()
}

/// Converts an object of a built-in kind to the kind of an equivalent resource.
pub(crate) fn converted(object: Value, to: &GroupVersionKind) -> Value {
    match (&*to.group, &*to.version, &*to.kind) {
        (event::GROUP, ..) => event::to_events(object),
        ("", _, "Event") => event::to_core(object),
        (conversion::GROUP, "v1", "HorizontalPodAutoscaler") => conversion::to_v1(object),
        (conversion::GROUP, "v2", _) => conversion::to_v2(object),
        _ => object,
    }
}
