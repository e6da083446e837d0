//! Kinds that Kubernetes serves, for controllers and webhooks of them.

use genclient_syntax::names;

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
    let is_meant = match found.group {
        "" => group == "core",
        full => group == full || names::group_module(full) == group,
    };
    is_meant.then_some((path, found))
}
