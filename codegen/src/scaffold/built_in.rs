//! Kinds that Kubernetes serves, for controllers and webhooks of them.

use genclient_syntax::{closest, names};

use super::Typed;
use crate::known::{self, BuiltInKind};

/// The Rust path of a kind of Kubernetes' own, and the kind.
pub(super) fn find(typed: &Typed) -> Option<(String, BuiltInKind)> {
    let group = match typed.group.as_str() {
        "" => "core",
        group => group,
    };
    let module = names::group_module(group);
    let (version, kind) = (&typed.version, &typed.kind);
    let path = format!("k8s_openapi::api::{module}::{version}::{kind}");
    let segments: Vec<_> = path.split("::").map(str::to_owned).collect();
    let found = known::kind(&segments)?;
    is_called(&found, group).then_some((path, found))
}

/// The kind of a group of Kubernetes whose name is close to the one that was typed: in that
/// version, if it is there.
pub(super) fn similar(typed: &Typed) -> Option<BuiltInKind> {
    let of_group = known::kinds().filter(|kind| is_called(kind, &typed.group));
    let mut kinds: Vec<_> = of_group.collect();
    let names = kinds.iter().map(|kind| kind.kind.as_str());
    let meant = closest(&typed.kind, names)?.to_owned();
    kinds.retain(|kind| kind.kind == meant);
    kinds.sort_by_key(|kind| (kind.version != typed.version, kind.version.len()));
    kinds.into_iter().next()
}

/// Whether the group of a kind is called so, by its name or by that of its module.
fn is_called(kind: &BuiltInKind, group: &str) -> bool {
    match kind.group {
        "" => group == "core" || group.is_empty(),
        full => group == full || names::group_module(full) == group,
    }
}
