//! Defaults of the core group, except Pods and volume sources (pkg/apis/core/v1, defaults.go).

use serde_json::Value;

use crate::builtins::core::service;
use crate::builtins::members::{change_member, member_text, set_default};
use crate::types::Object;

pub(crate) fn set(name: &str, members: &mut Object) {
    match name {
        "Secret" => set_default(members, "type", "Opaque"),
        "Service" => service::set_defaults(members),
        "Namespace" => namespace(members),
        "NamespaceStatus" => set_default(members, "phase", "Active"),
        "NodeStatus" => {
            if let Some(capacity) = members.get("capacity").cloned() {
                set_default(members, "allocatable", capacity);
            }
        }
        "PersistentVolumeClaim" => {
            change_member(members, "status", |status| {
                set_default(status, "phase", "Pending")
            });
        }
        "PersistentVolumeClaimSpec" => set_default(members, "volumeMode", "Filesystem"),
        "LimitRangeItem" if member_text(members, "type") == "Container" => limits(members),
        _ => {}
    }
}

fn namespace(members: &mut Object) {
    let name = members
        .get("metadata")
        .map(|metadata| metadata["name"].clone());
    if let Some(Value::String(name)) = name.filter(|name| name != "") {
        change_member(members, "metadata", |metadata| {
            change_member(metadata, "labels", |labels| {
                labels.insert("kubernetes.io/metadata.name".to_owned(), name.into());
            });
        });
    }
}

/// Sets the defaults of a LimitRange item. The default limit of a resource is its maximum. The
/// default request is the default limit or, without one, the minimum.
fn limits(item: &mut Object) {
    for (from, to) in [
        ("max", "default"),
        ("default", "defaultRequest"),
        ("min", "defaultRequest"),
    ] {
        let Some(Value::Object(source)) = item.get(from).cloned() else {
            continue;
        };
        change_member(item, to, |target| {
            for (name, value) in source {
                target.entry(name).or_insert(value);
            }
        });
    }
}
