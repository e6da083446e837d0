//! Lookup of built-in Kubernetes kinds for their controllers and webhooks.

use genclient_syntax::{closest, names};

use super::Typed;
use crate::known::{self, BuiltInKind};

/// The Rust path of a built-in kind, and the kind.
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

/// The built-in kind of the group with a similar name, preferably in the typed version.
pub(super) fn similar(typed: &Typed) -> Option<BuiltInKind> {
    let of_group = known::kinds().filter(|kind| is_called(kind, &typed.group));
    let mut kinds: Vec<_> = of_group.collect();
    let names = kinds.iter().map(|kind| kind.kind.as_str());
    let meant = closest(&typed.kind, names)?.to_owned();
    kinds.retain(|kind| kind.kind == meant);
    kinds.sort_by_key(|kind| (kind.version != typed.version, kind.version.len()));
    kinds.into_iter().next()
}

/// True if `group` is the name of the kind's group or of its module.
fn is_called(kind: &BuiltInKind, group: &str) -> bool {
    match kind.group {
        "" => group == "core" || group.is_empty(),
        full => group == full || names::group_module(full) == group,
    }
}
